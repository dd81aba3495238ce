"""The course as a reader meets it: a real JupyterLab in a real browser.

Needs Chromium on the PATH; without it these tests are skipped, and fail where CI is set.
"""

import re

import nbformat
import pytest

from live_figures.tests.browser import reader
from live_figures.tests.browser.jupyter_page import close, open_lab, open_next, run_all, wait_until_ready
from tests.conftest import cell_with_tag
from tools import kept_models
from tools.course import NOTEBOOKS


@pytest.fixture(scope="module")
def window(browser, course):
    """A window with JupyterLab, in which one notebook after the other is opened."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    open_lab(page, course[1])
    yield page
    page.close()


@pytest.fixture
def page(window, course, path):
    """The notebook, opened and not yet run."""
    if first := kept_models.first_cell(path):
        copy = course[0] / path.name
        notebook = nbformat.read(copy, as_version=4)
        notebook.cells.insert(0, nbformat.v4.new_code_cell(first))
        nbformat.write(notebook, copy)
    open_next(window, f"notebooks/{path.name}")
    yield window
    window.evaluate(f"localStorage.removeItem('course-page answers notebooks/{path.name}')")
    close(window)


def check_stored_pictures(page, path):
    stored = [
        output
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    cells = "[...jupyterapp.shell.currentWidget.content.model.cells].filter(cell => cell.type === 'code')"
    assert page.evaluate(f"{cells}.some(cell => cell.trusted)") is False
    page.wait_for_function(f"document.querySelectorAll('.jp-RenderedImage img').length === {len(stored)}")
    # what each shows is said
    pictures = "[...document.querySelectorAll('.jp-RenderedImage img')]"
    page.wait_for_function(f"{pictures}.every(picture => /^(Picture ·|Live figure)/.test(picture.alt))")
    assert "model not found" not in page.inner_text(".jp-Notebook").lower()


def check_links_to_sections(page):
    """Those of what was seen lead to their headings: JupyterLab knows none that is not ASCII."""
    notebook = ".jp-NotebookPanel:not(.lm-mod-hidden)"
    find = f"""it => [...document.querySelectorAll('{notebook} .jp-RenderedMarkdown li a')].filter(
        link => /^#\\d/.test(link.getAttribute('href')))"""
    assert page.evaluate(f"({find})().length") > 1
    place = page.evaluate(f"""() => {{
        const link = ({find})().at(-1)
        link.scrollIntoView()
        link.click()
        return link.hash.slice(1)
    }}""")
    page.wait_for_function(
        f"""place => {{
            const heading = document.querySelector(`{notebook} h2[data-jupyter-id="${{CSS.escape(place)}}"]`)
            const {{ top }} = heading.getBoundingClientRect()
            return top > 50 && top < 300
        }}""",
        arg=place,
    )


VEILED = """() => {  // for each prediction: whether the code behind it is veiled, with what it shows
    const cells = jupyterapp.shell.currentWidget.content.widgets
    const isAsked = ({ node }) => node.querySelector('.jp-RenderedMarkdown blockquote + details')
    const next = n => cells.slice(n).find(cell => cell.model.type === 'code').node
    return cells.flatMap((cell, n) => (isAsked(cell) ? [next(n).hasAttribute('data-course-veiled')] : []))
}"""


def check_veils(page, path):
    """Also where a text stands between a prediction and what it is about, as in notebook 05."""
    cells = nbformat.read(path, as_version=4).cells
    asked = len([cell for cell in cells if re.search("^> .*Predict.*\n\n<details>", cell.source, re.M)])
    assert asked
    page.wait_for_function(
        f"asked => {{ const all = ({VEILED})(); return all.length === asked && !all.includes(false) }}",
        arg=asked,
    )


def check_marks(page):
    """What an answer is, and what waits below a question in its own cell."""
    blurred = "it => getComputedStyle(it).filter"
    for text in page.query_selector_all("[data-course-asks] .jp-RenderedMarkdown > details + p"):
        assert "blur" in text.evaluate(blurred)
    answers = page.locator(".jp-RenderedMarkdown blockquote + details, blockquote + details + details")
    answers.evaluate_all("all => all.forEach(it => it.open = true)")
    page.wait_for_function("!document.querySelector('[data-course-asks], [data-course-veiled]')")
    is_right = "/^\\s*Yes\\b/.test(it.querySelector('p').textContent)"
    marks = answers.evaluate_all(f"all => all.map(it => [{is_right}, it.dataset.courseRight])")
    assert marks and all(mark == str(right).lower() for right, mark in marks)


def behind_its_figures(page):
    """The index of the cell behind the last live figure: what follows is run by nbval."""
    return page.evaluate("""() => 1 + [...jupyterapp.shell.currentWidget.content.model.cells].findLastIndex(
        cell => cell.type === 'code' && JSON.stringify(cell.outputs.toJSON()).includes('Live figure'))""")


def test_a_notebook_in_the_browser(page, path):
    check_stored_pictures(page, path)
    assert not page.locator(".Toastify__toast", has_text="Jupyter news").count()  # it asks about none
    assert page.evaluate("jupyterapp.shell.currentWidget.context.model.dirty") is False  # it is saved
    titles = page.locator(".jp-PlaceholderText").all_text_contents()
    assert titles[0].startswith("Set-up: menu Run, Run All Cells")
    assert not any("@" in title for title in titles)
    check_veils(page, path)
    check_links_to_sections(page)
    page.locator(".Toastify__toast button", has_text="Back").last.click()
    page.wait_for_selector(".Toastify__toast:has-text('Back to where')", state="detached")
    assert run_all(page, until=behind_its_figures(page)) == []
    page.wait_for_function("!document.querySelector('img.live-picture, .live-picture[data-frames=\"0\"]')")
    check_marks(page)
    figures = page.query_selector_all(".live-figure")
    assert figures
    if path.name.startswith("05"):  # a menu has its arrow keys, which Jupyter takes for its cells
        menu = page.locator(".live-figure select").first
        menu.focus()
        before = menu.input_value()
        page.keyboard.press("ArrowDown")
        assert menu.input_value() != before
        page.keyboard.press("ArrowUp")
    for figure in figures:
        reader.check_place(figure)
        if drawn := figure.query_selector("text=Show it"):  # a curve that the reader may draw first
            drawn.click()
        # every route is the engine's, whose tests try it; here it is tried in one notebook
        if path.name.startswith("02"):
            reader.check_every_control(page, figure)
            reader.check_drag(page, figure)
        else:
            reader.check_every_control_once(page, figure)


def run_alone(page, tag, source):
    """Type other code into the cell with this tag, and run that cell."""
    cell_of(page, tag).locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(source)
    page.keyboard.press("Control+Enter")


def cell_of(page, tag):
    place = page.evaluate(
        """tag => [...jupyterapp.shell.currentWidget.content.model.cells].findIndex(
            cell => cell.getMetadata('tags')?.includes(tag))""",
        tag,
    )
    return page.locator(".jp-Notebook .jp-Cell").nth(place)


@pytest.mark.parametrize("path", NOTEBOOKS[:1], ids=lambda path: path.stem)
def test_answers_are_found_as_they_were_left(page, path):
    answers = page.locator(".jp-RenderedMarkdown blockquote ~ details")
    for n in (0, 1, 0):  # the first is shut again
        answers.nth(n).locator("summary").click()
    page.wait_for_function("!document.querySelector('.jp-RenderedMarkdown blockquote + details').open")
    veiled = page.evaluate(VEILED)
    close(page)
    open_next(page, f"notebooks/{path.name}")
    page.wait_for_selector("blockquote ~ details[open]")
    assert answers.evaluate_all("all => all.map(it => it.open)").count(True) == 1
    assert answers.nth(1).evaluate("it => it.open && it.dataset.courseRight === 'false'")
    assert page.evaluate(VEILED) == veiled and not veiled[0]


@pytest.mark.parametrize("path", NOTEBOOKS[:1], ids=lambda path: path.stem)
def test_a_verdict_follows_its_answer(page, path):
    """No folded cell is run again: its number stays."""
    assert run_all(page) == []
    page.locator(".Toastify__toast", has_text="All cells have run").wait_for()
    place = "jupyterapp.shell.currentWidget.content.outerNode.scrollTop"
    assert page.evaluate(place) < 50  # where it was, at the top
    title = page.locator(".jp-CodeCell:not([data-course-done]) .jp-Placeholder-contentContainer").first
    done = page.locator("[data-course-done]")
    assert done.count() == 1 and not done.locator(".jp-PlaceholderText").is_visible() and title.is_visible()
    done.locator(".jp-Placeholder").click()  # its code is higher than the screen
    page.wait_for_selector("[data-course-done] .cm-content")
    page.evaluate("jupyterapp.shell.currentWidget.content.outerNode.scrollTo(0, 800)")
    page.wait_for_function("document.querySelector('[data-course-done]').getBoundingClientRect().top < -200")
    page.evaluate("document.querySelector('[data-course-done] .jp-InputCollapser > div').click()")
    page.wait_for_selector("[data-course-done] .jp-Placeholder")
    shut = "document.querySelector('[data-course-done]').getBoundingClientRect().top"
    page.wait_for_function(f"{shut} > 50")  # and is in sight when it is shut
    page.wait_for_timeout(500)  # what stands below follows
    before = page.evaluate(VEILED).count(True)
    cover = page.locator("[data-course-veiled] .course-cover").nth(1)
    lead = cover.get_by_role("button", name="Open an answer first")
    cover.scroll_into_view_if_needed()
    assert cover.evaluate("it => getComputedStyle(it).backgroundColor").startswith("rgb(")  # not seen through
    text = page.locator(
        "[data-course-veiled] .jp-RenderedMarkdown > p:not(:has(+ details))"
    ).first.element_handle()
    assert "blur" in text.evaluate("it => getComputedStyle(it).filter") and text.evaluate("it => it.inert")
    lead.press("Enter")  # leads to its question
    assert page.evaluate("document.activeElement.matches('blockquote + details > summary')")
    question = page.locator(".jp-RenderedMarkdown blockquote").first
    page.wait_for_function(
        "it => { const { top } = it.getBoundingClientRect(); return 100 < top && top < 800 }",
        arg=question.element_handle(),
    )
    page.locator(".jp-RenderedMarkdown blockquote + details > summary").first.click()
    page.locator(".jp-RenderedMarkdown blockquote + details[open]").first.dblclick()
    assert not page.locator(".jp-MarkdownCell:not(.jp-mod-rendered)").count()  # it would show all answers
    assert text.evaluate("it => getComputedStyle(it).filter + it.inert") == "nonefalse"
    page.wait_for_function(f"before => ({VEILED})().filter(Boolean).length === before - 1", arg=before)
    page.locator(".course-cover").last.get_by_role("button", name="Show it now").click()
    page.wait_for_function(f"before => ({VEILED})().filter(Boolean).length === before - 2", arg=before)
    check = cell_of(page, "check-1")
    note = "getComputedStyle(document.querySelector('.course-verdict'), '::after').content"
    assert page.evaluate(note) == "none"  # it has run
    number = check.locator(".jp-InputPrompt").text_content()
    check.get_by_text("– Not filled in yet: replace the dots in notices_order").wait_for()

    (right,) = re.findall(r"```python\n(.*?)```", cell_with_tag(path, "solution-1"), re.S)
    run_alone(page, "exercise-1", right)
    check.get_by_text("✓ notices_order is right in all 7 cases.").wait_for()

    run_alone(page, "exercise-1", "def notices_order(layer, x):\n    return True")
    check.get_by_text("is True; it should be False.").wait_for()
    run_alone(page, "exercise-1", right)
    check.get_by_text("✓").wait_for()
    run_alone(page, "exercise-1", right.replace("return", "return ("))
    check.get_by_text("✗ Not checked: the cell of notices_order stops with SyntaxError.").wait_for()
    assert check.locator(".jp-OutputArea-output").count() == 1
    assert check.locator(".jp-InputPrompt").text_content() == number
    assert page.evaluate(note) == "none"

    page.evaluate("delete document.querySelector('.jp-CodeCell:has(.course-verdict)').dataset.courseRan")
    run_alone(page, "exercise-1", "def notices_order(layer, x):\n    return ...")  # as after a reload:
    check.get_by_text("– Not filled in yet").wait_for()  # the check runs behind the answer
    page.wait_for_selector("[data-course-ran] .course-verdict")
    page.evaluate("delete document.querySelector('.jp-CodeCell:has(.course-verdict)').dataset.courseRan")
    check.locator(".jp-Placeholder").click()
    page.wait_for_selector("[data-course-ran] .course-verdict")
    assert not check.locator(".cm-content").is_visible()  # its code has answers
    run_alone(page, "exercise-1", right.replace("return", "return ("))
    cell_of(page, "exercise-1").get_by_text(
        "SyntaxError"
    ).first.wait_for()  # an error ends what waits behind it
    page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    page.locator(".Toastify__toast", has_text="This cell stopped with an error").wait_for()
    error = page.locator(".jp-OutputArea-output:visible", has_text="SyntaxError").first
    error.wait_for()
    outputs = "[...document.querySelectorAll('.jp-OutputArea-output')]"
    top = f"{outputs}.find(it => /SyntaxError/.test(it.innerText)).getBoundingClientRect().top"
    page.wait_for_function(f"0 < {top} && {top} < 900")
    run_alone(page, "exercise-1", right)  # the check, which did not run, runs behind it
    check.get_by_text("✓ notices_order is right in all 7 cases.").wait_for()

    page.evaluate("() => { window.restart = jupyterapp.commands.execute('kernelmenu:restart') }")
    page.click(".jp-Dialog .jp-mod-accept")
    page.wait_for_function(f"{note} !== 'none'")  # what stands there follows no more
    page.wait_for_selector(".jp-PlaceholderText:has-text('menu Run, Run All Cells')")
    page.evaluate("""() => {  // as when the notebook was saved and is opened with another kernel
        const output = document.querySelector('.jp-OutputArea-output:has(.live-figure)')
        output.textContent = 'Error displaying widget: model not found'
    }""")
    page.wait_for_selector(".jp-OutputArea-output > img[alt^='Live figure']", state="attached")
    page.evaluate("async () => { await restart }")  # a kernel on its way cannot be shut down
    wait_until_ready(page)
