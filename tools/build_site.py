"""Make the site: record the live figures, prepare the pages' sources, run Sphinx.

    make site                            write it to _site/
    python -m http.server -d _site       look at it; no network is needed

What is recorded is kept in build/recordings/ for as long as the code that it came from stays the same. The
address of the repository is that of GITHUB_REPOSITORY where it is set, as in GitHub's workflows; while
pyproject.toml still says OWNER, the pages have no links to it.
"""

import argparse
import base64
import hashlib
import html
import inspect
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext, redirect_stderr, redirect_stdout, suppress
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from string import Template
from urllib.parse import quote

import nbformat
import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from PIL import Image

from live_figures import draw_in, png, record, without_note
from live_figures.recording import MAX_BYTES, NARROW
from pe_helpers import claims
from pe_helpers.plots import heatmap, new_figure
from tools import (
    course,
    kept_models,
    site_claims,
    site_glossary,
    site_pages,
    site_paper,
    site_search,
    site_sources,
    slides,
)
from tools.course import NOTEBOOKS, OF_NOTEBOOKS, ROOT

SITE = ROOT / "site"
ENGINE = ROOT / "live_figures"
RECORDINGS = ROOT / "build" / "recordings"
SOURCE = ROOT / "build" / "site"
EXAMPLES = json.loads((SITE / "examples.json").read_text())  # {notebook: {line of text: examples}}
NARROW_FORM, SLIDE_FORM = "-narrow", "-slide"  # in the names of files
# pixels of a picture on paper, and of a setting with panels in a row, or with one; text is 1388 of them wide
SIZES = USUAL, ROW, HALF = 1178, 1080, 770
MANY = 1600  # pixels of three panels beside each other, whose letters have 7 points: their titles have room
MAX_SETTINGS = 3  # of a live figure, which paper has besides the start's
MAX_SITE_BYTES = 40e6


def repository():
    """The address of the repository, or of the fork whose workflow makes the site; "": nobody has said it."""
    slug = os.environ.get("GITHUB_REPOSITORY")
    address = f"https://github.com/{slug}" if slug else course.repository()
    return "" if "/OWNER/" in address else address


# ── The recordings ──


def recordings_of(path):
    """The folder where a notebook's recordings are kept, for its code and the package's as they are now."""
    code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    tags = "wide", "every-state"  # that `recordings` reads
    cells = [(cell.source, [tag in cell.metadata.get("tags", []) for tag in tags]) for cell in code]
    files = [*sorted((ROOT / "pe_helpers").rglob("*.py")), *sorted(ENGINE.glob("*.py"))]
    code = map(
        inspect.getsource,
        (recordings, size_on_slide, on_paper, moved_by, in_order, name_of_start, size_on_paper, light),
    )
    rooms = slides.room_of_pictures(path)
    settings = [cells, rooms, EXAMPLES.get(path.stem), os.environ.get("SITE_STEPS"), SIZES, *code]
    known = [json.dumps(settings).encode(), *(file.read_bytes() for file in files)]
    return RECORDINGS / f"{path.stem}-{hashlib.sha256(b''.join(known)).hexdigest()[:12]}"


def record_notebook(path):
    """Record the live figures of a notebook, unless that is done, and keep its claims.

    1.bin is a figure's recording, 1.txt its caption; for a phone there are 1-narrow.bin and the still
    1-narrow.png. cell-7-narrow.png is the picture of that cell for a phone, cell-7-slide.png that for slides,
    cell-7-low-slide.png where a slide's words leave it less room.
    1-paper-0.png, 1-paper-1.png, … are a live figure's settings for paper, 1-paper.json what they are called,
    [[name, caption], …]; cell-7-paper.png is a picture for which there is none for slides.
    """
    folder = recordings_of(path)
    if folder.exists():
        return
    made, stills, claims, settings = recordings(path)
    new = folder.with_suffix(f".{os.getpid()}")
    new.mkdir(parents=True)
    for number, forms in enumerate(made, 1):
        for form, recording in forms.items():
            (new / f"{number}{form}.bin").write_bytes(recording.to_bytes())
        (new / f"{number}.txt").write_text(forms[""].caption)
        (new / f"{number}-paper.json").write_text(json.dumps(settings[number - 1]))
    for name, picture in stills.items():
        (new / f"{name}.png").write_bytes(picture)
    (new / "claims.json").write_text(json.dumps(claims))
    new.rename(folder)
    said = f"{len(made)} live figures, {len(stills)} pictures for phones and slides"
    print(f"recorded {path.stem}: {said}", flush=True)


def recordings(path):
    """Run a notebook as far as its last picture and claim: ([its recordings of each live figure], {name of a
    still picture for a phone, a slide or paper: PNG}, its claims, [what paper shows of each live figure]).

    Each figure is recorded when its cell has run: {"": as it is, NARROW_FORM: for a phone}. Where its cell is
    tagged `wide`, or its panels are of several grids, phones have it as it is, too; so it is with pictures
    that stay still. Slides have these as wide as they are, or for half of one, as is nearer to their shape.
    Where a figure's cell is tagged `every-state`, its sliders move independently.
    A claim is as in `pe_helpers.claims.made`.
    """
    os.environ["MPLBACKEND"] = "agg"
    draw_in("page")  # nobody looks: no picture of the kernel for every step
    os.chdir(path.parent)
    cells = nbformat.read(path, as_version=4).cells
    code = {index: cell for index, cell in enumerate(cells) if cell.cell_type == "code"}
    wanted = [index for index, cell in code.items() if is_drawn(cell) or "claim(" in cell.source]
    end = next((index for index, cell in enumerate(cells) if "## What you saw" in cell.source), len(cells))
    last = max(wanted, default=-1)
    examples = EXAMPLES.get(path.stem, {})
    steps = int(os.environ.get("SITE_STEPS", 0))
    rooms = slides.room_of_pictures(path)
    trained = kept_models.folder_of(path)  # what the tests trained is not trained again
    shell = InteractiveShell.instance()
    found, stills, told, settings = [], {}, [], []
    with kept_models.remember(trained) if trained else nullcontext():
        for index, cell in code.items():
            if index > last:
                break
            before = len(claims.made)
            with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
                result = shell.run_cell(cell.source)
            result.raise_error()
            told += [{"cell": index, **claim} for claim in claims.made[before:]]
            shown = result.result
            is_still = is_drawn(cell) and not slides.is_live(cell)
            after = cells[index + 1 : index + 2]
            is_read = any("slide-words" in cell.metadata.get("tags", []) for cell in after)
            if index < end and (is_still or (slides.is_live(cell) and is_read)):  # once more, with its words
                sizes = [size_on_slide(shown.figure, room) for room in (math.inf, rooms.get(index, math.inf))]
                for size, form in dict(zip(sizes[::-1], ("-low", ""), strict=True)).items():
                    stills[f"cell-{index}{form}{SLIDE_FORM}"] = light(png(shown.figure, *size))
            elif is_still:
                stills[f"cell-{index}-paper"] = light(png(shown.figure, *size_on_paper(shown.figure)), 2 / 3)
            if slides.is_live(cell):
                every = "every-state" in cell.metadata.get("tags", [])
                found.append({"": record(shown, examples, steps=steps, every=every)})
                pictures, said = on_paper(shown, found[-1][""])
                settings.append(said)
                stills |= {f"{len(found)}-paper-{n}": picture for n, picture in enumerate(pictures)}
            if is_drawn(cell) and "wide" not in cell.metadata.get("tags", []):
                with suppress(ValueError):  # no figure of `subplots`
                    if is_still:
                        stills[f"cell-{index}{NARROW_FORM}"] = png(shown, NARROW)
                    else:
                        like = found[-1][""]
                        narrow = record(shown, examples, steps=steps, width=NARROW, like=like)
                        found[-1][NARROW_FORM] = narrow
                        stills[f"{len(found)}{NARROW_FORM}"] = shown.stored(NARROW)
    return found, stills, told, settings


def size_on_slide(figure, room=math.inf):
    """(width, height) in pixels of a screen of 1280 × 720, for so much room above each other: from edge to
    edge, or beside words, as is nearer to its shape. Letters are a little larger than they are drawn, or a
    little smaller beside a question (room: 0).
    """
    across, down = figure.get_size_inches()
    if across <= 1.8 * down:
        return 785, 576
    return (785, 480) if not room else (1178, round(min(400, room * 1178 / 1254)))


def size_on_paper(figure, is_setting=False):
    """(width, height) in pixels, of which letters have 22: on paper they are 8 points, in a setting 7.

    A picture is 9 cm high at most, unless it has more rows of panels than have room in that, or rows that
    would be narrow there, as their panels keep their shape; a setting with panels in a row may be flatter, as
    several stand on one sheet.
    """
    across, down = figure.get_size_inches()
    grids = [axes.get_subplotspec().get_gridspec() for axes in figure.axes if axes.get_subplotspec()]
    rows, columns = (max(sides, default=1) for sides in ([g.nrows for g in grids], [g.ncols for g in grids]))
    width = (MANY if columns > 2 else USUAL) if not is_setting else ROW if columns > 1 else HALF
    keep_shape = any(axes.get_aspect() != "auto" for axes in figure.axes)
    most = max(800 if width == MANY else 700, (400 if keep_shape else 330) * rows)
    return width, round(min(max(width * down / across, 380 if width == ROW else 420), most))


def on_paper(shown, recording):
    """([picture, …], [[name, caption], …]) of a live figure's start and of its other settings for paper.

    Those are its presets; where it has none, the choices of its first menu of few, or else both ends of its
    first slider. More than three are for the screen. Alone the start has no name.
    """
    start, *others = dict.fromkeys(recording.presets.values())
    names = {state: name for name, state in reversed(recording.presets.items()) if name != "reset"}
    few = range(2, MAX_SETTINGS + 2)
    menus = [n for n, it in enumerate(recording.controls) if it.kind == "select" and len(it.shown) in few]
    sliders = [n for n, it in enumerate(recording.controls) if it.kind == "range"]
    if not others and (menus or sliders):
        n = [*menus, *sliders][0]
        _, label, kind, _, shown_as = recording.controls[n]
        name = "" if kind == "select" else label.partition(" (")[0] + " "
        steps = range(len(shown_as)) if kind == "select" else (0, start[n], len(shown_as) - 1)
        names = {(*start[:n], step, *start[n + 1 :]): name + shown_as[step] for step in steps}
        others = [state for state in names if state != start]
    if len(others) > MAX_SETTINGS:
        others = []
    pictures, said = [], []
    panels = [axes for axes in shown.figure.axes if axes.get_subplotspec()]
    is_row = all(axes.get_subplotspec().get_gridspec().nrows == 1 for axes in panels)
    titles = {axes.title: axes.title.get_wrap() for axes in panels if is_row}
    for title in titles:  # letters are larger than on the page; above several rows it would be cut
        title.set_wrap(True)
    names.setdefault(start, name_of_start(recording.controls, start, names) if others else "")
    for state in in_order([start, *others]):
        shown.go_to({c.name: c.values[step] for c, step in zip(recording.controls, state, strict=True)})
        size = size_on_paper(shown.figure, is_setting=bool(others))  # to be compared, all are alike
        pictures.append(light(shown.stored(*size), 2 / 3))
        said.append([names[state] if others else "", shown.caption])
    for title, is_wrapped in titles.items():
        title.set_wrap(is_wrapped)
    shown.to_start()
    return pictures, said


def moved_by(states):
    """The numbers of the controls that differ between these states."""
    return [n for n, steps in enumerate(zip(*states, strict=True)) if len(set(steps)) > 1]


def in_order(states):
    """States in the order of the control that moves from one to another; where several do, as they are.

    >>> in_order([(5, 1), (9, 1), (0, 1)]), in_order([(5, 1), (9, 0), (0, 1)])
    ([(0, 1), (5, 1), (9, 1)], [(5, 1), (9, 0), (0, 1)])
    """
    return sorted(states) if len(moved_by(states)) == 1 else states


def name_of_start(controls, start, names):
    """What the start is called beside presets with these names, {state: name}: as they are, by its value.

    >>> from types import SimpleNamespace
    >>> controls = [SimpleNamespace(shown=("-10", "0", "3"))]
    >>> name_of_start(controls, (0,), {(1,): "k = 0", (2,): "k = 3"})
    'k = −10'
    >>> name_of_start(controls, (0,), {(1,): "none", (2,): "three"})
    'the start'
    """
    moved = moved_by([start, *names])
    if len(moved) == 1:
        [n] = moved
        shown = controls[n].shown
        forms = {
            re.sub(rf"(?<!\w){re.escape(shown[state[n]])}(?!\w)", "\0", name) for state, name in names.items()
        }
        [form, *others] = forms
        if not others and "\0" in form:
            return form.replace("\0", shown[start[n]].replace("-", "−"))
    return "the start"


def light(picture, share=1):
    """A PNG in 256 colours, a third of its bytes: the pictures for slides are many dots.

    share: of its dots across and down.
    """
    file = io.BytesIO()
    with Image.open(io.BytesIO(picture)) as image:
        image = image.convert("RGB")
        image = image.resize([round(share * each) for each in image.size]) if share < 1 else image
        image.quantize(256, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def is_drawn(cell):
    """Whether a cell has stored a picture."""
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


def record_all(only):
    """Record these notebooks, by default every one, each in a process of its own; the longest first."""
    wanted = [path for path in NOTEBOOKS if not only or path.stem in only]
    missing = [path for path in wanted if not recordings_of(path).exists()]
    missing.sort(key=lambda path: "11_" not in path.name)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of each process, as in tests: sums have one order
    with ProcessPoolExecutor(2, get_context("spawn"), max_tasks_per_child=1) as pool:
        list(pool.map(record_notebook, missing))


# ── The pages ──


def prepare():
    """Write the sources of the pages: the notebooks with recorded figures, and the landing page."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    static, extra = SOURCE / "_static", SOURCE / "_extra"
    static.mkdir(parents=True)
    for file in (*SITE.glob("*.css"), *SITE.glob("*.js")):
        shutil.copy(file, static)
    for name in ("conf.py", "favicon.svg"):
        shutil.copy(SITE / name, SOURCE)
    (SOURCE / "_templates").mkdir()
    shutil.copy(SITE / "course_name.html", SOURCE / "_templates")
    (extra / "notebooks").mkdir(parents=True)
    for path in NOTEBOOKS:
        shutil.copy(path, extra / "notebooks")
        figures = static / path.stem
        if recordings_of(path).exists():
            shutil.copytree(recordings_of(path), figures)
        nbformat.write(page(path, figures), SOURCE / path.name)
        (extra / f"{path.stem}_slides.html").write_text(slides.slides(path, live_figure))
    (SOURCE / "index.md").write_text(landing_page())
    (SOURCE / "glossary.md").write_text(site_glossary.page())
    (SOURCE / "running.md").write_text(running_page())
    (SOURCE / "TEACHING.md").write_text(teaching_page())


# a word by which a reader finds something in a picture that stands on white
LIGHT = re.compile(r"\b(?:black|white|bright\w*|dark\w*|pale\w*)\b", re.I)


def is_on_white(cell, said):
    """Whether the picture of a cell stands on white on a dark page, too, and is not turned into a dark one.

    It does where its section says, or its own texts, what is black, white, bright or dark in it, where it
    has the colours of viridis, whose bright end is the large one, and where it shows a thing in its own
    colours, by `imshow` without a `cmap`: no sun is brown.
    """
    if LIGHT.search(said) or any("cmap" not in call for call in re.findall(r"\bimshow\(.*", cell.source)):
        return True
    return number_of_colours(cell, "magnitude") > 20


@cache
def colours_of_maps(kind):
    """The colours of the course's maps of a kind, each as one number."""
    forms = ({}, {"strength": 0.8}) if kind == "signed" else ({},)  # the second is notebook 05's
    maps = [heatmap(new_figure(1, 1)[1], [[1]], colours=kind, **form).cmap for form in forms]
    colours = np.concatenate([colours(range(256), bytes=True)[:, :3] for colours in maps])
    return colours @ (1 << 16, 1 << 8, 1)


def number_of_colours(cell, kind):
    """How many of these colours of the course's maps a cell's pictures have; with a bar it's most of 256."""
    found = 0
    for output in cell.outputs:
        if "image/png" in output.get("data", {}):
            with Image.open(io.BytesIO(base64.b64decode(output.data["image/png"]))) as image:
                pixels = np.asarray(image.convert("RGB")).reshape(-1, 3) @ (1 << 16, 1 << 8, 1)
            found = max(found, np.isin(colours_of_maps(kind), pixels).sum())
    return found


def said_of_pictures(cells):
    """{index of a cell of code: what its section says, and its own texts, but no names of colours}."""
    parts, found = [], {}  # [[headings and prose of a section, …], …], {index: section}
    for index, cell in enumerate(cells):
        if cell.cell_type == "code":
            found[index] = len(parts) - 1
            continue
        first, *others = re.split(r"^(?=##+ )", cell.source, flags=re.M)
        parts[-1:] = [[*(parts or [[]])[-1], first]]
        parts += [[other] for other in others]
    texts = {index: re.findall(r'"([^"\n]*)"', cells[index].source) for index in found}
    return {
        index: "\n".join([*parts[part], *(text for text in texts[index] if " " in text)])
        for index, part in found.items()
    }


def page(path, figures):
    """A notebook as the site's page."""
    notebook = nbformat.read(path, as_version=4)
    said = said_of_pictures(notebook.cells)
    count, heading = 0, ""
    if figures.exists():
        site_claims.marked(notebook, json.loads((figures / "claims.json").read_text()))
    site_glossary.mark(notebook, NOTEBOOKS.index(path))
    site_sources.mark(notebook)
    site_glossary.mark_own(notebook, NOTEBOOKS.index(path))
    site_paper.mark(notebook, path.stem, has_address=bool(repository()))
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            heading = (re.findall(r"^##+ (?:\d+\. )?(.+)", cell.source, re.M) or [heading])[-1]
            cell.source = to_section(re.sub(OF_NOTEBOOKS, "", linked(cell.source), flags=re.S))
            continue
        tags = cell.metadata.setdefault("tags", [])
        if "setup" in tags:
            tags.append("remove-cell")
        if is_on_white(cell, said[index]):
            tags.append("on-white")
        if number_of_colours(cell, "signed") > 100:  # on paper it says that its red and blue are one grey
            tags.append("red-and-blue")
        if found := re.match(r"# @title (.*)", cell.source):
            fold = called(found[1]) + ", with the answers" * any(tag.startswith("check-") for tag in tags)
            cell.metadata["mystnb"] = {"code_prompt_show": fold, "code_prompt_hide": fold}
        if any(tag.startswith("check-") for tag in tags):  # what is stored there judges an empty answer
            colab = ways(path).get("Open in Colab")
            where = '<a href="running.html">JupyterLab</a>'
            where += f' or <a href="{colab}">Colab</a>' if colab else ""
            told = f"<p class='where-checked'>The check of your answer runs in {where}.</p>"
            cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": told})]
        is_live = slides.is_live(cell)
        for output in cell.outputs if figures.exists() and is_live else []:
            count += 1
            (figures / f"{count}.png").write_bytes(without_note(base64.b64decode(output.data["image/png"])))
            output.data = {"text/html": live_figure(path.stem, count) + printed_figure(path.stem, count)}
        image = {"alt": alternative(cell, heading)}
        if any(figures.glob(f"cell-{index}-*.png")):
            image["classes"] = f"cell-{index}"  # by which tools/site_pages.py finds it
        cell.metadata.setdefault("mystnb", {})["image"] = image
    title = notebook.cells[0]
    links = " · ".join(f'<a href="{address}">{said}</a>' for said, address in ways(path).items())
    links = f'<span class="ways">{links}</span>'  # not on paper
    name, *lead, facts = slides.BADGE.sub(lambda _: links, title.source).split("\n\n")
    gaps = r"(?<=\[\d\d) · (?=\S)|(?<=section) (?=\d)"  # at which no line ends
    facts = re.sub(gaps, lambda gap: gap[0].replace(" ", "\u00a0"), facts)
    title.source = "\n\n".join([name, f"{path.stem[:2]} · {facts}", *lead])  # seen first
    return notebook


def called(title):
    """What a fold of code is called on a page, of its title in the notebook.

    >>> called("What it draws: the three steps"), called("What the next cell moves")
    ('Code · the three steps', 'Code · what moves below')
    """
    about = re.sub(r"^What [^:]*: ", "", title).replace("What the next cell moves", "what moves below")
    about = re.sub(r"^What it does", "what it does", about)
    return f"Code · {about}"


def ways(path):
    """{what a link says: where it leads} for running a notebook oneself."""
    slug = repository().removeprefix("https://github.com/")
    place = f"notebooks/{path.name}"
    here = {"Download the notebook": place, "Slides": f"{path.stem}_slides.html"}
    if not slug:
        return here
    return {
        "Open in Colab": f"https://colab.research.google.com/github/{slug}/blob/main/{place}",
        "Open in Binder": f"https://mybinder.org/v2/gh/{slug}/main?labpath={quote(place, safe='')}",
    } | here


def linked(text, files=r"(?:\.\./)+([^)]*)"):
    """Markdown whose links to other files of the repository lead there; without its address they are words.

    files: a pattern of the links' addresses, whose group is the file's path in the repository.
    """
    said = rf"[\1]({repository()}/blob/main/\2)" if repository() else r"\1"
    return re.sub(rf"\[([^]]*)\]\({files}\)", said, text)


def live_figure(notebook, number):
    """HTML of a recorded figure: the still picture and its caption, until `site.js` has the recording."""
    here = f"_static/{notebook}/{number}"
    told = recordings_of(ROOT / "notebooks" / f"{notebook}.ipynb") / f"{number}.txt"
    if not told.exists():
        return "<p>This figure was not recorded.</p>"
    caption = html.escape(told.read_text())
    narrow = ""
    if told.with_name(f"{number}{NARROW_FORM}.bin").exists():
        narrow = f' data-narrow="{here}{NARROW_FORM}.bin"'
    still = site_pages.picture(SOURCE, f"{here}.png", f"{here}{NARROW_FORM}.png", caption)
    colab = ways(ROOT / "notebooks" / f"{notebook}.ipynb").get("Open in Colab", "")
    return (
        f'<div class="live-figure" id="figure-{number}" data-recording="{here}.bin"{narrow} '
        f'data-colab="{colab}">'
        f"{still}<p>{caption}</p></div>"
    )


def printed_figure(notebook, number):
    """HTML of what paper has of a recorded figure: what is said of all its settings, and below that these."""
    here = f"_static/{notebook}/{number}-paper"
    folder = recordings_of(ROOT / "notebooks" / f"{notebook}.ipynb")
    if not folder.exists():
        return ""
    start = (folder / f"{number}.txt").read_text()
    told = json.loads((folder / f"{number}-paper.json").read_text())
    settings, all_said = [], [sentences(caption) for _, caption in told]
    shared = [said for said in all_said[0] if len(told) > 1 and all(said in each for each in all_said)]
    for n, (name, caption) in enumerate(told):
        picture = site_pages.on_paper(SOURCE, f"{here}-{n}.png", html.escape(caption))
        dots = site_pages.size_of(SOURCE / f"{here}-{n}.png")[0] / site_pages.DOTS["paper"]
        form = "printed-row" if dots > (HALF + ROW) / 2 else "printed-half"
        form = " ".join(["printed-start"] * (caption == start) + [form] * (len(told) > 1))
        said = html.escape(in_one_line(" ".join(said for said in all_said[n] if said not in shared)))
        named = f"<b>{html.escape(in_one_line(name))}.</b> " if name else ""
        settings.append(f'<div class="{form}">{picture}<p>{named}{said}</p></div>')
    settings[:0] = [f"<p>{html.escape(in_one_line(' '.join(shared)))}</p>"] * bool(shared)
    return f'<div class="printed-figure" data-caption="{html.escape(start)}">{"".join(settings)}</div>'


def sentences(caption):
    """The sentences of a caption, of which paper has those that several settings share once."""
    return re.split(r"(?<=[.!?]) ", caption)


def in_one_line(text):
    r"""A text whose ratios and values are not broken in a narrow column.

    >>> in_one_line("At 1 : 10, k = -1: far.").split(" ")
    ['At', '1\xa0:\xa010,', 'k\xa0=\xa0-1:', 'far.']
    """
    return re.sub(r"(?<=\w) ([:=]) (?=[-−\w])", "\xa0\\1\xa0", text)


def landing_page():
    """Markdown of the landing page: a question, the reader's own words, then parts of what there is."""
    readme, teaching = ((ROOT / name).read_text() for name in ("README.md", "TEACHING.md"))
    what = readme.split("\n\n")[1]
    question, about = re.match(r"(.*?\?) (.*?\. .*?\.) ", what).groups()
    start = nbformat.read(NOTEBOOKS[0], as_version=4).cells
    lead, facts = (start[0].source.split("\n\n")[n] for n in (2, -1))
    needs = re.search(r"needs: (.*?)(?: \(NumPy\))? · ", facts)[1]  # who only reads needs none
    lead = lead[0].lower() + lead.rpartition(". ")[0][1:] + "."
    needs = needs.replace(", ", " and ")
    needs = needs.replace("matrix products", '<a href="glossary.html#term-matrix">matrix products</a>')
    said = {"lead": lead, "count": len(NOTEBOOKS), "needs": needs, "about": about}
    said = {name: str(words).replace("'", "’") for name, words in said.items()}
    hero = Template((SITE / "landing.html").read_text()).substitute(said, start=f"{NOTEBOOKS[0].stem}.html")
    route = next(
        found[0] for cell in start if (found := re.search("^The short route .*$", cell.source, re.M))
    )
    route = to_section(route.replace("this notebook", f"[00]({NOTEBOOKS[0].name})"))
    title = {path.stem[:2]: title_of(path).partition(":")[0] for path in NOTEBOOKS}
    route = re.sub(r"(\d\d)\](?=\()", lambda found: f"{found[1]}\u00a0·\u00a0{title[found[1]]}]", route)
    guide, how, *_ = teaching.split("\n\n")
    more = f"[{guide.removeprefix('# ')} …](TEACHING.md)"
    heading, notebooks = part(readme, "The notebooks").split("\n", 1)
    words = [heading, route, notebooks.strip(), f"#{guide}", how, more]
    names = "\n".join([*map(numbered, NOTEBOOKS), "glossary", "running", "TEACHING"])
    toctree = f"```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    head = f"---\nhtml_theme.sidebar_secondary.remove: true\n---\n\n# {question}"
    html = f"```{{raw}} html\n{hero}```"
    return "\n\n".join([head, html, from_root("\n\n".join(words)), toctree])


def to_section(text):
    """Markdown where "section 1 of" a notebook leads to that section.

    >>> to_section("section 1 of [04](04_similarity.ipynb), then [05](05.ipynb) and [08](08.ipynb).")
    '[section 1 of 04](04_similarity.ipynb#1.-Two-positions,-and-all-pairs-of-them), then [05]...
    """

    def led(found):
        said, number, notebook, name = found.groups()
        cells = nbformat.read(ROOT / "notebooks" / name, as_version=4).cells
        heading = re.search(rf"^## ({number}\. .*)", "\n".join(cell.source for cell in cells), re.M)[1]
        return f"[{said} {notebook}]({name}#{heading.replace(' ', '-')})"

    return re.sub(r"(section (\d) of) \[(\d\d)\]\((\w+\.ipynb)\)", led, text)


WHERE = """First ask those who gave you this page for a copy of the course's folder, or for its address, \
which the page does not know. With the address, the badge at the top of a notebook opens it in Colab.

"""


def running_page():
    """Markdown of how to run the notebooks, as README.md says it to who learns; without an address of the
    repository nobody can fetch it.
    """
    address = repository()
    starts = ["With Python", "```\ngit clone", "`make lab ARGS", "```\npy -m venv"]
    if address:
        starts.append("Or open")
    told = part((ROOT / "README.md").read_text(), "Two commands").split("\n\n")
    commands = "\n\n".join(text for text in told if text.startswith(tuple(starts)))
    fetch = f"git clone {address} && cd {address.rpartition('/')[2]}\n" if address else ""
    for command, instead in (("git clone", fetch), ("make test", "")):
        commands = re.sub(f"^{command} .*\n", instead, commands, flags=re.M)
    if not address:
        commands = WHERE + commands.replace(", git and make,", " and make, in the course's folder,")
    return from_root(f"# Run the notebooks in JupyterLab or Colab\n\n{commands}")


def teaching_page():
    """Markdown of TEACHING.md, and of the commands for a class, which README.md has."""
    guide = (ROOT / "TEACHING.md").read_text()
    _, _, commands = part((ROOT / "README.md").read_text(), "For teachers").split("\n\n", 2)
    heading = "Commands for a class"
    guide = guide.replace("[README](README.md#for-teachers)", f"[{heading}](#{heading.replace(' ', '-')})")
    return from_root(f"{guide.strip()}\n\n## {heading}\n\n{commands}\n")


def numbered(path):
    """A notebook in the list of pages: "00 · Start here: … <00_start_here>"."""
    return f"{path.stem[:2]} · {title_of(path)} <{path.stem}>"


def title_of(path):
    """The title of a notebook: "Start here"."""
    return re.search(r"^# (.+)", nbformat.read(path, as_version=4).cells[0].source, re.M)[1]


def from_root(text):
    """Markdown of a file in the root of the repository, whose links lead to pages, or to the repository."""
    text = re.sub(r"\]\(notebooks/", "](", text)
    return linked(text, r"(?!https?:|#|\d\d_|TEACHING|running)([^)]*)")


def part(text, heading):
    """A part of a Markdown file, with its heading."""
    found = re.search(rf"^## {heading}\n.*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    if not found:
        raise SystemExit(f"README.md or TEACHING.md must have a part {heading!r}")
    return found[0].strip()


def alternative(cell, heading):
    """What those hear who do not see a cell's picture: its title, or the heading above it, and its data.

    >>> shown = nbformat.v4.new_output("display_data", {"text/plain": "Picture · 2 rows of 3 numbers"})
    >>> cell = nbformat.v4.new_code_cell("# @title What it draws: a table", outputs=[shown])
    >>> alternative(cell, "Attention")
    'a table. 2 rows of 3 numbers'
    >>> alternative(nbformat.v4.new_code_cell("figure"), "Attention")
    'Attention'
    """
    found = re.match(r"# @title (?:What it draws: )?(.*)", cell.source)
    texts = [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    said = [text.removeprefix("Picture · ") for text in texts if text.startswith("Picture · ")]
    return ". ".join([found[1] if found else heading, *said])


def key(steps=0, only=()):
    """What tells one site from another: all that it is made of."""
    tools = [ROOT / "tools" / "build_site.py", *ROOT.glob("tools/site_*.py"), ROOT / "tools" / "slides.py"]
    packages = [file for folder in (ROOT / "pe_helpers", SITE) for file in folder.rglob("*.*")]
    sources = [*tools, *ENGINE.glob("*.py"), *ENGINE.glob("*.js")]
    sources += [file for file in packages if "__pycache__" not in str(file)]
    files = [*sorted(sources), *NOTEBOOKS, *sorted(ROOT.glob("*.md"))]
    content = b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(content + f"{repository()} {steps} {only}".encode()).hexdigest()


def run_sphinx(builder):
    """Make the pages or check their links; warnings are errors. Returns the folder of what was made."""
    target = ROOT / "build" / "sphinx" / builder
    shutil.rmtree(target, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-b", builder, "-E", "-q", "-W", "--keep-going"]
    doctrees = ["-d", target.with_name("doctrees")]
    environment = os.environ | {"SITE_REPOSITORY": repository()}
    subprocess.run([*command, *doctrees, SOURCE, target], env=environment, check=True)
    return target


def check_sizes(made):
    """What a reader has to fetch stays small."""
    whole = sum(file.stat().st_size for file in made.rglob("*") if file.is_file())
    recordings = [file.stat().st_size for file in made.glob("_static/*/*.bin")]
    print(f"{whole / 1e6:.1f} MB; {len(recordings)} recordings, at most {max(recordings) / 1e3:.0f} kB")
    if whole > MAX_SITE_BYTES or max(recordings) > MAX_BYTES:
        raise SystemExit(f"the site must be at most {MAX_SITE_BYTES / 1e6:.0f} MB, a recording 1.5 MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=ROOT / "_site", help="the folder to write")
    parser.add_argument("--check-links", action="store_true", help="ask for every address that a page names")
    parser.add_argument("--steps", type=int, default=0, help="of each slider, for a quick look; 0: all")
    parser.add_argument("--only", nargs="+", default=(), help="record these notebooks alone, as 01_formula")
    arguments = parser.parse_args()
    if arguments.steps:
        os.environ["SITE_STEPS"] = str(arguments.steps)  # for the processes that record
    made_of = key(arguments.steps, tuple(arguments.only))
    record_all(arguments.only)
    prepare()
    if arguments.check_links:
        run_sphinx("linkcheck")
    else:
        made = run_sphinx("html")
        pages = [*(path.stem for path in NOTEBOOKS), "running", "TEACHING"]
        site_search.write_index(made, pages, site_glossary.terms())
        site_pages.make_light(made)
        check_sizes(made)
        if key(arguments.steps, tuple(arguments.only)) != made_of:  # a page would lack its figures
            sys.exit("what the site is made of changed while it was made: build it again")
        (made / ".key").write_text(made_of)
        shutil.rmtree(arguments.to, ignore_errors=True)
        shutil.move(made, arguments.to)


if __name__ == "__main__":
    main()
