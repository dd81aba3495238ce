"""The site's first minute: the landing page, the reader's own words, and where the reader was."""

import re

import numpy as np
import pytest

from live_figures.tests.browser import reader
from live_figures.tests.conftest import pixels
from pe_helpers import sinusoidal
from tests.test_colours import contrast
from tools.course import NOTEBOOKS

SCREENS = [(1280, 720), (1400, 900), (375, 667), (375, 812)]
FIRST = ["article h1", ".words", ".hero-button", ".hero-start"]  # what stands on the first screen
ASK = """async ([words, share]) => {
    const { vectorOf, outputs, wordsOf } = await import(new URL('_static/words.js', document.baseURI))
    return [wordsOf(words).map(vectorOf), outputs(wordsOf(words), share)]
}"""
HEARD = """() => {  // what screen readers are told
    window.heard = []
    const live = document.querySelector('.words [aria-live=polite]')
    const note = () => live.textContent && heard.push(live.textContent)
    new MutationObserver(note).observe(live, { childList: true })
}"""
BANDS = """[...document.querySelectorAll('.words tbody tr')].map(row =>  // numbers in each line's order
    [...row.querySelectorAll('.words-band')].map(band => band.childElementCount))"""
SIGNS = "[...document.querySelectorAll('.words td:nth-child(3)')].map(cell => cell.textContent)"


@pytest.mark.parametrize("width, height", SCREENS)
def test_the_first_screen_has_the_question_the_words_and_the_way_in(open_page, width, height):
    page = open_page("index.html", width=width, height=height)
    for part in FIRST:
        box = page.locator(part).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= height, part
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, part
    assert page.inner_text("article h1").startswith("How does a Transformer know which word came first?")
    told = page.inner_text(".hero")
    assert "Positional encoding" in told and "half-hour" in told and "Needs matrix products" in told
    assert "assert" not in told and "CI" not in told
    lines = page.query_selector_all(".words input[type=text]")
    assert [line.input_value() for line in lines] == ["the dog bites the man", "the man bites the dog"]
    page.click(".hero-button")
    page.wait_for_url("**/00_start_here.html")


@pytest.mark.parametrize(("width", "height"), [(360, 640), (375, 667), (375, 812)])
def test_on_a_phone_an_invitation_and_an_explanation_keep_off_what_stands_above_them(
    open_page, width, height
):
    page = open_page("index.html", width=width, height=height, reduced_motion="reduce")
    parts = [".hero-lead", ".words-hint", ".words-lines", ".words-how"]
    lead, hint, lines, how = (page.locator(part).bounding_box() for part in parts)
    least = 7 if height < 740 else 14  # pixels
    assert hint["y"] - lead["y"] - lead["height"] >= least
    assert how["y"] - lines["y"] - lines["height"] >= least / 2
    start = page.locator(".hero-start").bounding_box()
    assert start["y"] + start["height"] <= height
    assert "16 half-hour notebooks with exercises" in page.inner_text(".hero-start")
    minutes = [int(re.search(r"\*\*(\d+) minutes\*\*", path.read_text())[1]) for path in NOTEBOOKS]
    assert len(minutes) == 16 and 25 <= min(minutes) <= max(minutes) <= 30


def test_below_are_the_short_route_and_the_map(open_page):
    page = open_page("index.html")
    route = page.locator("p", has_text="The short route takes")
    led = [link.inner_text().replace("\u00a0", " ") for link in route.locator("a").all()]
    assert led[:3] == ["00 · Start here", "01 · The formula", "section 1 of 04 · Similarity"]
    told = route.inner_text().replace("\u00a0", " ")
    assert told.endswith("section 1 of 04 · Similarity, then 05 · Shift matrices and 08 · Rotary.")
    assert page.locator("table a[href='15_inside_a_trained_model.html']").count() == 1
    assert page.locator("article table").count() == 2  # the words, the notebooks; the guide has its own page
    assert page.locator("article a[href='TEACHING.html']").count() == 1
    table = page.locator("table:has(a[href='01_formula.html'])")  # which numbers are of what
    assert 0 < table.bounding_box()["y"] - route.bounding_box()["y"] < 200  # which numbers are of what
    about = page.inner_text(".hero-about p")
    assert about.startswith("Positional encoding tells a Transformer where each word stands, often as")
    assert about.count(".") == 2 and about.endswith(".")  # whole sentences, also without the title
    assert "hands" in about  # of which the table speaks
    page.click("text=section 1 of")
    page.wait_for_url("**/04_similarity.html#two-positions-*")
    assert page.evaluate("document.querySelector(':target h2').textContent").startswith("1. ")


@pytest.mark.parametrize("width, height", SCREENS)
def test_the_colours_are_explained_below_the_strips(open_page, width, height):
    page = open_page("index.html", width=width, height=height, reduced_motion="reduce")
    assert page.inner_text(".words-key").split() == "Numbers: −2 0 2".split()
    table, key = (page.locator(part).bounding_box() for part in (".words table", ".words-key"))
    assert 0 <= key["y"] - table["y"] - table["height"] < 20 and key["x"] == table["x"]
    ends = """[...document.querySelectorAll('.words-scale')].flatMap(
        scale => getComputedStyle(scale).backgroundImage.match(/rgb[^)]*\\)/g))"""
    made = "async () => (await import(new URL('_static/words.js', document.baseURI))).colour"
    shown = [colour.replace(" ", "") for colour in page.evaluate(ends)]
    values = [*np.linspace(-2, 0, len(shown) // 2), *np.linspace(0, 2, len(shown) // 2)]
    colours = [page.evaluate(f"async value => (await ({made})())(value)", value) for value in values]
    assert shown == colours and len(set(colours)) == len(values) - 1 > 10


@pytest.mark.parametrize("width, height", SCREENS)
def test_attention_is_explained_above_the_strips(open_page, width, height):
    page = open_page("index.html", width=width, height=height, reduced_motion="reduce")
    told, lines, table = (
        page.locator(part).bounding_box() for part in (".words-how", ".words-lines", ".words table")
    )
    said = "Words and positions are rows of 8 numbers. Attention mixes the rows of all words."
    assert page.inner_text(".words-how") == said
    heads = [page.inner_text(f".words th:nth-child({n})") for n in (2, 4)]
    assert heads == ["word’s mix, first line", "same word, second line"]
    assert lines["y"] + lines["height"] <= told["y"] < told["y"] + told["height"] <= table["y"]


FRAMED = """[...document.querySelectorAll('.words tbody tr')].map(row =>  // the places of cells with a frame
    [...row.querySelectorAll('.words-band')].map(band =>
        [...band.children].flatMap((cell, n) => (cell.matches('.words-most') ? [n] : []))))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_the_largest_difference_has_a_frame_on_both_sides_that_is_seen(open_page, width, scheme):
    page = open_page("index.html", width=width, color_scheme=scheme, reduced_motion="reduce")
    key = page.locator(".words-framed")
    assert not key.is_visible() and not page.locator(".words-most").count()
    page.fill("#words-share", "100")
    made = [page.evaluate(ASK, [words, 1])[1] for words in ("the dog bites the man", "the man bites the dog")]
    far = abs(np.array(made[0])[4] - np.array(made[1])[1])  # of "man"
    assert page.evaluate(FRAMED) == [[[], []]] * 4 + [[[far.argmax()]] * 2]
    assert page.inner_text(".words-said").endswith(f"“man” differ by up to {far.max():.2f}.")
    assert key.is_visible() and "framed: differs most" in key.inner_text()
    for cell in page.locator(".words-most").all():
        box = cell.bounding_box()
        middle = box["y"] + box["height"] / 2
        edge = pixels(page.screenshot(clip={"x": box["x"] - 6, "y": middle, "width": 6, "height": 1})) / 255
        inner, outer = edge[0, 4:].mean(axis=0), edge[0, 2:4].mean(axis=0)
        assert contrast(inner, outer) > 6


def test_on_a_dark_page_the_largest_numbers_are_red_and_blue_too_and_not_pale(open_page):
    page = open_page("index.html", color_scheme="dark", reduced_motion="reduce")
    below, above = (scale.bounding_box() for scale in page.locator(".words-scale").all())
    low = pixels(page.screenshot(clip=below))[round(below["height"] / 2), 2].astype(int)
    high = pixels(page.screenshot(clip=above))[round(above["height"] / 2), -3].astype(int)
    assert low[2] - low[0] > 120 and high[0] - max(high[1:]) > 120


@pytest.mark.parametrize("width", [1280, 375])
def test_the_slider_says_of_what_it_is_a_share(open_page, width):
    page = open_page("index.html", width=width, reduced_motion="reduce")
    said = page.locator(".words-slider > span")
    assert said.inner_text() == "Add the position to each word: 0 %"
    page.get_by_label("Add the position to each word:").focus()
    box = said.bounding_box()
    page.keyboard.press("End")
    assert said.inner_text().endswith(": 100 %") and said.bounding_box() == box
    ask = "async p => (await import(new URL('_static/words.js', document.baseURI))).encoding(p)"
    numbers = np.array([page.evaluate(ask, p) for p in range(12)])
    assert numbers.shape[1] == 8 and 0.99 < abs(numbers).max() <= 1
    page.fill("#words-share", "5")
    assert {"< 0.01"} <= {*page.evaluate(SIGNS)}  # it differs: no "0.00"


def test_a_capital_i_stays_one_and_is_the_same_word_in_small_letters(open_page):
    page = open_page("index.html", reduced_motion="reduce")
    first, second = page.query_selector_all(".words input[type=text]")
    first.fill("I love Only you")
    assert second.input_value() == "You love Only I"
    assert page.locator(".words tbody th").all_inner_texts() == ["I", "love", "Only", "you"]
    second.fill("i you only love")
    assert page.inner_text(".words-said").startswith("Not one number differs")
    second.fill("you love only Bob")
    told = "Only line 1 has “I”, only line 2 has “Bob”: use the same words."
    assert page.inner_text(".words-said") == told  # as they are written


@pytest.mark.parametrize("share", [0, 1])
def test_no_number_is_beyond_the_colours(open_page, share):
    """Also where all words are the same: then nothing is averaged out."""
    page = open_page("index.html")
    for words in ("the dog bites the man", "dog " * 12, "my cat is extraordinarily lazy"):
        assert abs(np.array(page.evaluate(ASK, [words, share])[1])).max() <= 2


@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_what_attention_makes_of_words_is_what_numpy_makes_of_them(open_page, share):
    page = open_page("index.html")
    vectors, made = page.evaluate(ASK, ["The cat, the hat: Ωmega!", share])
    x = np.array(vectors) + share * sinusoidal(5, 8)  # (5, 8)
    parts = np.exp(x @ x.T / np.sqrt(8))
    assert np.allclose(made, parts / parts.sum(axis=1, keepdims=True) @ x, rtol=0, atol=1e-12)
    assert np.array_equal(vectors[0], vectors[2]) and len(np.unique(vectors)) == 4 * 8
    assert abs(np.array(vectors)).max() <= 1


def test_own_words_are_equal_in_both_orders_until_positions_speak(open_page):
    page = open_page("index.html", reduced_motion="reduce")
    first, second = page.query_selector_all(".words input[type=text]")
    first.fill("Anna sees Bob run")
    assert second.input_value() == "Bob sees Anna run"  # two trade places by themselves
    assert page.inner_text(".words th:nth-child(3)") == "largest difference"
    assert page.evaluate(SIGNS) == ["0"] * 4
    assert "Not one number differs" in page.inner_text(".words-said")
    page.fill("#words-share", "100")
    largest = max(map(float, page.evaluate(SIGNS)))
    said = page.inner_text(".words-said")
    assert "the numbers of “" in said and said.endswith(f" differ by up to {largest:.2f}.")
    second.fill("bob sees anna run")
    first.fill("anna sees bob run")
    assert second.input_value() == "bob sees anna run"  # it stays as the reader wrote it
    before = page.locator(".words-slider").bounding_box()
    second.fill("bob sees nobody")
    assert "same words" in page.inner_text(".words-said")
    assert page.evaluate(SIGNS) == [""] * 4  # nothing that was true of other words
    assert page.evaluate(BANDS) == [[8, 0], [8, 8], [8, 8], [8, 0]]  # of words that both lines have
    assert page.locator(".words-slider").bounding_box() == before  # nothing jumps while one types
    second.fill("")
    first.fill("   ")
    assert "same words" in page.inner_text(".words-said") and page.evaluate(BANDS) == []
    first.fill("red fish swim")
    assert second.input_value() == "swim fish red"  # what was emptied follows again
    second.fill("fish swim red")
    first.fill("one two")
    assert second.input_value() == "fish swim red"  # as long as one types
    first.press("Enter")
    page.wait_for_function("document.querySelectorAll('.words input[type=text]')[1].value === 'two one'")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Anna loves Peter, not Paul.", "Paul loves Peter, not Anna."),
        ("Dogs chase cats.", "Cats chase dogs."),
        ("The dog bites Paul.", "The Paul bites dog."),
        ("I saw Anna", "Anna saw I"),
        ("NASA loves dogs", "Dogs loves NASA"),
        ("Yesterday my sister saw her teacher", "Yesterday my teacher saw her sister"),
        ("She gave the dog a bone.", "She gave the bone a dog."),
        ("elephants never chase mice everywhere", "mice never chase elephants everywhere"),
        ("no no no no yes", "yes no no no no"),
        ("one one", "one one"),
        ("हिंदी में", "में हिंदी"),
        ("", ""),
    ],
)
def test_the_second_line_stays_a_sentence_with_its_capital_letter_and_marks(open_page, first, second):
    page = open_page("index.html", reduced_motion="reduce")
    lines = page.locator(".words input[type=text]")
    lines.first.fill(first)
    assert lines.nth(1).input_value() == second
    if "Anna loves" in first:
        names = page.locator(".words tbody th").all_inner_texts()
        assert names == ["Anna", "loves", "Peter", "not", "Paul"]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("a b c d e f g h i j k l m", "b a", "the first has 13."),
        (" ".join(f"word{n}" for n in range(40)), "b a", "the first has 40."),
        ("a b", "a b c d e f g h i j k l m n", "the second has 14."),
        ("a b c d e f g h i j k l m", "b a c d e f g h i j k l m", "the first has 13, the second has 13."),
    ],
)
def test_a_line_of_too_many_words_is_told_so_and_no_picture_says_more(open_page, first, second, said):
    page = open_page("index.html", reduced_motion="reduce")
    lines = page.locator(".words input[type=text]")
    lines.nth(1).fill(second)
    start = page.locator(".hero-button").bounding_box()["y"]
    lines.first.focus()
    lines.first.press("Control+a")
    page.keyboard.insert_text(first)  # as one writes: a field that has an end takes no more
    assert page.inner_text(".words-said") == f"At most 12 words a line: {said}"
    rows = page.evaluate(BANDS)
    count = len(first.split())
    assert page.locator(".words-slider button").is_disabled() and len(rows) == min(count, 5)
    assert rows == [[0, 0] if count > 12 else [8, 0]] * len(rows)
    assert page.locator(".words thead").is_visible() == (count <= 12)
    assert abs(page.locator(".hero-button").bounding_box()["y"] - start) < 40  # nothing below jumps


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("first", ["", " ".join(f"word{n}" for n in range(40))])
def test_where_no_picture_is_drawn_its_room_stays_and_nothing_is_said_of_its_colours(open_page, width, first):
    page = open_page("index.html", width=width, reduced_motion="reduce")
    high = page.evaluate("document.documentElement.scrollHeight")
    page.locator(".words input[type=text]").first.fill(first)
    assert not page.locator(".words-band i").count()
    assert page.locator(".words tbody tr").count() == (5 if first else 0)  # so a long line leaves no gap
    assert abs(page.evaluate("document.documentElement.scrollHeight") - high) < 40
    assert not page.locator(".words-key").is_visible()
    page.locator(".words input[type=text]").nth(1).fill("")
    if not first:
        assert page.inner_text(".words-said") == "Write some words, and the same words in another order."


def test_on_a_phone_nothing_moves_while_the_message_says_which_words_differ(open_page):
    page = open_page("index.html", width=375, height=667, reduced_motion="reduce")
    start, lines = page.locator(".hero-start"), page.locator(".words input[type=text]")
    before = start.bounding_box()
    for words in ("the man bites the cat", "the man bites the", "the man bites the dog and"):
        lines.nth(1).fill(words)
        assert start.bounding_box() == before, words
    assert before["y"] + before["height"] <= 667


@pytest.mark.parametrize("width", [1280, 375])
def test_the_ring_of_a_line_keeps_off_the_words_above_it(open_page, width):
    page = open_page("index.html", width=width, height=667, reduced_motion="reduce")
    hint, line = page.locator(".words-hint").bounding_box(), page.locator(".words input").first
    line.focus()
    sizes = "it => ['outlineOffset', 'outlineWidth'].map(name => parseFloat(getComputedStyle(it)[name]))"
    offset, width = line.evaluate(sizes)
    assert width > 0 and line.bounding_box()["y"] - offset - width >= hint["y"] + hint["height"]


def test_of_equal_words_it_is_told_which_is_which(open_page):
    page = open_page("index.html", reduced_motion="reduce")
    names = "all => all.map(name => name.textContent)"
    words = ["the 1st", "dog", "bites", "the 2nd", "man"]
    assert page.eval_on_selector_all(".words tbody th", names) == words
    page.fill("#words-share", "100")
    lines = page.locator(".words input[type=text]")
    lines.first.fill("no no no no yes")
    lines.nth(1).fill("no no no yes no")
    numbered = ["no 1st", "no 2nd", "no 3rd", "no 4th", "yes"]
    assert page.eval_on_selector_all(".words tbody th", names) == numbered
    lines.first.fill("yes no no")
    lines.nth(1).fill("no no yes")
    number = ["yes", "1st", "2nd"][np.argmax([float(sign) for sign in page.evaluate(SIGNS)])]
    name = "“yes”" if number == "yes" else f"the {number} “no”"
    assert f"numbers of {name} differ" in page.inner_text(".words-said")


def test_what_is_asked_for_can_be_done_and_what_is_left_out_is_said(open_page):
    page = open_page("index.html", reduced_motion="reduce")
    said, lines = page.locator(".words-said"), page.locator(".words input[type=text]")
    for alone in ("one", "one one"):
        lines.first.fill(alone)
        assert said.inner_text() == "“one” alone has no order: write at least two different words."
    lines.first.fill("Cats 😀 chase mice!")
    assert said.inner_text().startswith("“😀” is no word and is left out. Not one number differs")
    lines.first.fill("“Cats”, it's said, chase well-fed mice – why?")
    assert said.inner_text().startswith("Not one number differs")
    lines.first.fill("हिंदी में")
    assert page.locator(".words tbody th").all_inner_texts() == ["हिंदी", "में"]


def test_what_one_does_here_and_what_needs_a_notebook_is_said_with_a_way_to_the_words(open_page):
    page = open_page("index.html")
    about = page.inner_text(".hero-about")
    assert "nothing to install" in about and "JupyterLab" in about and "slides" in about
    page.click("text=run the notebooks in JupyterLab")
    page.wait_for_url("**/running.html")
    assert "make lab" in page.inner_text("article pre >> nth=0")
    page.go_back()
    page.click(".hero-about a[href='glossary.html']")
    page.wait_for_url("**/glossary.html")


@pytest.mark.parametrize("width", [1280, 375])
def test_no_word_is_broken_in_the_middle(open_page, width):
    page = open_page("index.html", width=width, reduced_motion="reduce")
    lines = "all => all.map(each => each.firstChild).map(text => {const range = document.createRange(); "
    lines += "range.selectNodeContents(text); "
    lines += "return new Set([...range.getClientRects()].map(each => each.top)).size})"
    for words in (
        "elephants never chase mice everywhere sometimes",
        "extraordinarily quick internationalisation",
    ):
        page.locator(".words input[type=text]").first.fill(words)
        assert page.eval_on_selector_all(".words tbody th", lines) == [1] * len(words.split())
    widths = "all => all.map(each => each.clientWidth)"
    assert min(page.eval_on_selector_all(".words-band", widths)) > 70
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [1280, 375])
def test_a_word_that_is_too_long_is_cut_and_the_others_keep_their_size(open_page, width):
    page = open_page("index.html", width=width, reduced_motion="reduce")
    names, line = page.locator(".words tbody th"), page.locator(".words input[type=text]").first
    size = "all => all.map(each => parseFloat(getComputedStyle(each).fontSize))"
    line.fill("a word that ends")
    usual = names.evaluate_all(size)
    line.fill("a supercalifragilisticexpialidocious word ends")
    assert names.evaluate_all(size) == usual
    is_cut = names.evaluate_all("all => all.map(each => each.scrollWidth > each.clientWidth)")
    assert is_cut == [False, True, False, False]
    heads = page.locator(".words thead th:nth-child(n + 2)")  # what stands above keeps its room
    assert heads.evaluate_all("all => Math.max(...all.map(each => each.scrollWidth - each.clientWidth))") <= 0
    assert names.nth(1).evaluate("each => getComputedStyle(each).textOverflow") == "ellipsis"


@pytest.mark.parametrize("width", [1280, 375])
def test_the_search_says_its_name_and_keys_where_there_is_room(open_page, width):
    page = open_page("index.html", width=width, height=720, reduced_motion="reduce")
    button = page.locator(".search-button")
    assert button.inner_text().split() == (["Search", "Ctrl+K"] if width == 1280 else [])
    box = button.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["height"] < 50
    button.click()
    assert page.locator("#pst-search-dialog").is_visible()


CUT = """([line, other]) => [line, other].map(input => {  // how much of a line is not seen, in pixels
    const style = getComputedStyle(input)
    const canvas = document.createElement('canvas').getContext('2d')
    canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
    const room = input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
    return canvas.measureText(input.value).width - room
})"""


@pytest.mark.parametrize("width", [1280, 375])
def test_a_long_line_is_seen_whole_beside_its_pencil_and_keeps_its_size_while_it_is_written(open_page, width):
    page = open_page("index.html", width=width, reduced_motion="reduce")
    lines = page.locator(".words input[type=text]")
    sizes = "all => all.map(each => parseFloat(getComputedStyle(each).fontSize))"
    usual = lines.evaluate_all(sizes)[0]
    lines.first.fill("Yesterday my sister saw her teacher")
    assert lines.evaluate_all(sizes)[0] == usual >= 16  # a phone does not zoom in
    page.focus("#words-share")
    assert max(lines.evaluate_all(CUT)) <= 0
    if width == 375:
        assert usual > lines.evaluate_all(sizes)[1] > 10
    lines.first.fill("the dog bites the man")
    page.focus("#words-share")
    assert set(lines.evaluate_all(sizes)) == {usual}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pencil_is_seen_on_light_and_on_dark_pages(open_page, scheme):
    page = open_page("index.html", color_scheme=scheme, reduced_motion="reduce")
    box = page.locator(".words input[type=text]").first.bounding_box()
    end = {"x": box["x"] + box["width"] - 32, "y": box["y"] + 4, "width": 28, "height": box["height"] - 8}
    colours = pixels(page.screenshot(clip=end)).reshape(-1, 3) / 255  # without the field's edge
    field = colours[0]
    pencil = colours[abs(colours - field).sum(axis=1).argmax()]
    assert contrast(pencil, field) > 6


@pytest.mark.parametrize("width, height", SCREENS)
def test_the_invitation_stands_at_the_lines_and_play_moves_nothing(open_page, width, height):
    page = open_page("index.html", width=width, height=height, reduced_motion="reduce")
    hint, line = (page.locator(part).first.bounding_box() for part in (".words-hint", ".words input"))
    assert page.inner_text(".words-hint") == "Type your own words; both lines can be edited:"
    assert 0 <= line["y"] - hint["y"] - hint["height"] < 10 and hint["x"] == line["x"]
    places = page.locator("#words-share, .words-slider button").all()
    before = [place.bounding_box() for place in places]
    page.click("text=Play")
    assert page.inner_text(".words-slider button") == "Pause" and len(before) == 2
    assert [place.bounding_box() for place in places] == before


@pytest.mark.parametrize("width, height", SCREENS)
def test_the_figure_stays_as_it_is_while_words_are_written(open_page, width, height):
    page = open_page("index.html", width=width, height=height, reduced_motion="reduce")
    places = page.locator(".words-slider, .words-said, .words-key, article h2").all()

    def boxes(words):
        page.locator(".words input").first.fill(words)
        assert page.locator(".words tbody tr").count() == len(words.split())
        return [
            (place.bounding_box()["y"] + page.evaluate("scrollY"), place.bounding_box()["height"])
            for place in places
        ]

    before = boxes("the dog bites the man")
    for words in ("dog", "dog bites", "the dog bites man", "one two three four five six seven"):
        assert np.allclose(boxes(words), before, rtol=0, atol=1), words
    longest = boxes("one two three four five six seven eight nine ten eleven twelve")
    moved = np.subtract(longest, before)[:, 0]
    assert abs(moved[:2]).max() <= 1 and (moved.max() <= 1 or width < 400)
    if height >= 720:  # the words, what moves them and what comes of it are seen together
        page.evaluate("scrollTo(0, 0)")
        box = page.locator(".words").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= height


def test_on_a_phone_what_a_notebook_teaches_has_the_width_of_the_screen(open_page):
    page = open_page("index.html", width=375, height=667, has_touch=True, is_mobile=True)
    row = page.locator("table:has(a[href='02_angle_rates.html']) tbody tr").nth(2)
    name, about, minutes = (row.locator("td").nth(n).bounding_box() for n in (1, 2, 3))
    assert about["width"] > 280 and about["y"] >= name["y"] + name["height"] - 1
    assert minutes["y"] == name["y"] and row.bounding_box()["height"] < 150


@pytest.mark.parametrize("width", [1280, 375])
def test_the_menu_of_colours_is_seen_whole_and_can_be_used(open_page, width):
    page = open_page("index.html", width=width)
    button = page.locator(".bd-header-article .theme-switch-button >> visible=true")
    dark = page.get_by_role("button", name="Dark").or_(page.get_by_text("Dark", exact=True)).first
    button.click()
    dark.click()
    page.wait_for_selector("html[data-theme=dark]")
    dark.wait_for(state="hidden")  # also while the pointer stands there
    button.click()
    dark.wait_for(state="visible")
    button.click()
    dark.wait_for(state="hidden")


def test_a_finger_that_scrolls_from_the_slider_does_not_set_it(open_page):
    page = open_page("index.html", width=375, height=667, has_touch=True, is_mobile=True)
    page.focus("#words-share")  # it stops playing
    for key in ("Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)

    def swipe(part, across, down):
        page.evaluate("scrollTo(0, 0)")
        box = page.locator("#words-share").bounding_box()
        reader.swipe(page, box["x"] + part * box["width"], box["y"] + box["height"] / 2, across, down)

    for part in (0.2, 0.5, 0.9):
        swipe(part, 0, -150)
        assert page.evaluate("scrollY") > 100
        assert page.input_value("#words-share") == "10" and page.inner_text(".words output") == "10 %"
    swipe(0.5, 80, 0)
    assert int(page.input_value("#words-share")) > 60
    page.click("text=Play")
    swipe(0.2, 0, -150)
    assert page.inner_text(".words-slider button") == "Pause"  # it plays on


def test_it_plays_until_it_is_touched_and_not_where_motion_is_unwanted(open_page):
    page = open_page("index.html")
    moves = "() => document.querySelector('#words-share').value > 0"
    page.wait_for_function(moves)
    page.evaluate(HEARD)
    page.focus("#words-share")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(600)
    assert page.input_value("#words-share") == "5"  # where the reader put it
    page.wait_for_function("heard.length > 0")
    assert page.evaluate("heard") == [page.inner_text(".words-said")]  # the last, and nothing while it played
    page.click("text=Play")
    page.wait_for_function(moves)
    page.click("text=Pause")
    still = open_page("index.html", reduced_motion="reduce")
    still.wait_for_timeout(2000)
    assert still.input_value("#words-share") == "0"


def test_a_button_leads_back_to_the_example_and_equal_lines_have_nothing_to_play(open_page):
    page = open_page("index.html", reduced_motion="reduce")
    back, play = page.locator(".words-hint button"), page.locator(".words-slider button")
    lines = page.locator(".words input[type=text]")
    assert not back.is_visible() and play.is_enabled()
    for line in lines.all():
        line.fill("red fish swim")
    assert "The two lines are the same" in page.inner_text(".words-said") and play.is_disabled()
    assert page.inner_text(".words-hint") == "Back to the example" and back.bounding_box()["height"] >= 24
    back.click()
    shown = lines.evaluate_all("all => all.map(line => line.value)")
    assert shown == ["the dog bites the man", "the man bites the dog"]
    assert not back.is_visible() and play.is_enabled() and "Type your own" in page.inner_text(".words-hint")
    lines.first.fill("red fish swim")
    assert lines.nth(1).input_value() == "swim fish red"  # the second follows the first again


def test_who_empties_the_lines_finds_the_example_again(open_page):
    page = open_page("index.html", reduced_motion="reduce")
    first, second = page.locator(".words input[type=text]").all()
    first.fill("")
    assert second.input_value() == "" and not page.locator(".words tbody tr").count()
    page.reload()
    assert first.input_value() == "the dog bites the man"
    first.fill(" ")
    second.focus()  # one may write there, too
    page.wait_for_timeout(50)
    assert second.input_value() == ""
    page.locator(".hero-button").focus()
    page.wait_for_function("document.querySelectorAll('.words tbody tr').length === 5")
    assert [line.input_value() for line in (first, second)] == [
        "the dog bites the man",
        "the man bites the dog",
    ]


def test_where_the_lines_have_other_words_the_page_says_which_and_nothing_plays(open_page):
    page = open_page("index.html", reduced_motion="reduce")
    second, said, button = (
        page.locator(".words input").nth(1),
        page.locator(".words-said"),
        page.locator(".words-slider button"),
    )
    second.fill("the man bites the cat")
    told = "Only line 1 has “dog”, only line 2 has “cat”: use the same words."
    assert said.inner_text() == told
    assert button.is_disabled()
    second.fill("the man bites dog")
    assert said.inner_text() == "Line 1 has “the” more often: use the same words."
    second.fill("the man bites the the dog")
    assert said.inner_text() == "Line 2 has “the” more often: use the same words."
    second.fill("one two three four five six seven eight nine ten eleven twelve thirteen")
    assert said.inner_text() == "At most 12 words a line: the second has 13."
    second.fill("the man bites the dog")
    assert not button.is_disabled()


def test_what_is_asked_of_another_address_is_seen_and_does_not_come(open_page):
    page = open_page("index.html")
    asked = "fetch('https://other.example/').then(() => 'came', error => error.name)"
    assert page.evaluate(asked) == "TypeError"
    assert open_page.wrong[0] == "asked for https://other.example/"
    open_page.wrong.clear()  # here it was meant to
