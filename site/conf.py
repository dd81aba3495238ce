"""Sphinx's settings for the site; tools/build_site.py puts this file beside the sources that it prepares."""

import os
from operator import methodcaller

from docutils.nodes import literal_block
from sphinx.ext.mathjax import html_visit_displaymath, html_visit_math

repository = os.environ["SITE_REPOSITORY"]  # https://github.com/owner/name; "": nobody has said it

project = "Positional encoding"
author = "the contributors"
language = "en"

extensions = ["myst_nb", "live_figures.sphinx"]
html_math_renderer = "tex"  # as it is: tools/site_pages.py sets it
myst_update_mathjax = False
nb_execution_mode = "off"
nb_ipywidgets_js = {}  # they would come from elsewhere
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_dmath_double_inline = True
myst_heading_anchors = 4
myst_heading_slug_func = methodcaller("replace", " ", "-")  # as Jupyter has them
suppress_warnings = ["config.cache"]  # it is a function, which is not kept from run to run

html_theme = "sphinx_book_theme"
html_title = "Positional encoding"
html_favicon = "favicon.svg"
html_context = {"default_mode": "auto"}  # as the reader's system: light or dark
html_static_path = ["_static"]
html_extra_path = ["_extra"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"type": "module", "priority": 100})]
html_copy_source = False
html_sidebars = {  # without the theme's title, which a narrow list cuts: each page's bar has it
    "index": [],
    "**": ["search-button-field.html", "sbt-sidebar-nav.html"],
}
html_show_sphinx = False
templates_path = ["_templates"]
html_theme_options = {
    "article_header_start": ["toggle-primary-sidebar.html", "course_name.html"],
    "repository_url": repository,
    "use_repository_button": bool(repository),
    "use_download_button": False,  # each page links to its notebook
    "use_fullscreen_button": False,
    "navbar_persistent": [],
    "home_page_in_toc": False,  # the title leads there
    "back_to_top_button": False,  # it would cover figures
    "show_toc_level": 1,
    "footer_content_items": ["author", "extra-footer"],  # no "© Copyright": the licences say more
    "extra_footer": "Code: MIT licence · text and pictures: CC BY 4.0",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
linkcheck_anchors = False  # many sites make them with scripts


def number_cells(app, doctree):
    """Give each cell of code its number in the notebook, and its lines theirs where it claims: cell-7-12."""
    for cell in doctree.findall(
        lambda node: getattr(node, "attributes", {}).get("nb_element") == "cell_code"
    ):
        name = f"cell-{cell['cell_index']}"
        cell["ids"].append(name)
        for code in cell.findall(literal_block):
            if "claim(" in code.astext():
                code["highlight_args"] = code.get("highlight_args", {}) | {"linespans": name}


def setup(app):
    app.add_html_math_renderer("tex", (html_visit_math, None), (html_visit_displaymath, None))
    app.connect("doctree-read", number_cells)
