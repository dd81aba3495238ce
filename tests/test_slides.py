"""The slides, made of the notebooks' cells by rule: what stands on them, without a browser."""

import html
import math
import re
from functools import cache
from itertools import takewhile

import nbformat
import pytest
from matplotlib.figure import Figure

from tools import build_site, site_glossary, site_slide_words, slides
from tools.course import NOTEBOOKS, ROOT
from tools.slides import Block

PATHS = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
SLIDE = re.compile(
    r'<section class="slide-(\w+)" id="slide-\d+">\n(.*?)\n<p class="slide-number">(.*?)</p>\n</section>',
    re.S,
)


@cache
def slides_of(path):
    """[(kind, HTML, number), …] of a notebook."""
    made = slides.slides(path, lambda notebook, number: f"<figure>{number}</figure>")
    return SLIDE.findall(made)


def cells_of_the_path(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if "## What you saw" in cell.source and cell.cell_type == "markdown":
            return
        yield cell


@PATHS
def test_every_question_and_every_live_figure_of_the_path_has_a_slide(path):
    made = slides_of(path)
    cells = list(cells_of_the_path(path))
    asked = sum(cell.source.count("> **Predict.**") for cell in cells if cell.cell_type == "markdown")
    assert [kind for kind, *_ in made].count("question") == asked >= 2
    figures = re.findall(r"<figure>(\d+)</figure>", "".join(body for _, body, _ in made))
    live = sum(slides.is_live(cell) for cell in cells if cell.cell_type == "code")
    assert figures == [str(number) for number in range(1, live + 1)]


@PATHS
def test_slides_begin_with_what_for_and_how_and_end_with_what_was_seen(path):
    made = slides_of(path)
    assert [number for *_, number in made] == [f"{n} / {len(made)}" for n in range(1, len(made) + 1)]
    (first, begin, _), *_, (_, end, _) = made
    assert first == "title" and "After these slides you can" in begin and "minutes</strong>" in begin
    assert re.search("Next slide: → .*Tab.*Escape", begin) and "Colab" not in begin
    course = f"<a href='index.html'>Positional encoding</a>\u00a0·\u00a0{path.stem[:2]}</p><h1>"
    assert course in begin and f'html_title = "{slides.COURSE}"' in (ROOT / "site" / "conf.py").read_text()
    assert "<h2>What you saw</h2>" in end and "Next:" in end
    whole = "".join(body for _, body, _ in made)
    assert f"{path.stem}.html#" not in whole  # a room stays in the deck
    places = [int(number) for number in re.findall('href="#slide-(.*?)"', end)]
    assert len(places) >= 3 and places == sorted(places) and f"{path.stem}.html" not in end
    for n in places:  # the first slide of a section
        before, first = (re.search("<h2>.*?</h2>", body) for _, body, _ in made[n - 2 : n])
        assert first and (not before or before[0] != first[0])


@PATHS
def test_every_question_has_words_beside_it_and_an_answer_after_it(path):
    made = slides_of(path)
    for n, (kind, body, number) in enumerate(made):
        if kind != "question":
            continue
        assert body.count("<details name='answers'>") >= 2, number
        following = made[n + 1 : n + 3]  # a live figure answers first, alone: the room is its own
        (after, answer, _) = following[following[0][0] == "figure"]
        assert after == "answer" and re.search(r"<strong>.*?</strong> Yes\b", answer, re.S), number
    alone = slides.BY_HAND.get(path.stem, {}).get("alone", [])
    assert sum("slide-sides" in body for _, body, _ in made) >= 2 - (len(alone) > 1)


@PATHS
def test_what_is_drawn_or_set_stands_on_one_slide_only_but_a_given_table_beside_its_question_too(path):
    made, given = slides_of(path), r"<div class='slide-sides'><div>\n<table>.*?</table>"
    whole = "".join(re.sub(given, "", body, flags=re.S) for _, body, _ in made)
    for found in (r'<div class="math">.*?</div>', r"<img .*?>", r"<table>.*?</table>"):
        shown = re.findall(found, whole, re.S)
        assert len(shown) == len(set(shown)), found


def test_the_picture_that_an_answer_points_to_follows_it():
    made = [body for _, body, _ in slides_of(NOTEBOOKS[5])]
    pointer = "Look at the picture's large dots, on the next slide"
    (question,) = (n for n, body in enumerate(made) if pointer in body)
    assert 'alt="Picture' in made[question + 1] and "attention" in made[question + 1]
    (answer, why, proof) = made[5:8]
    assert 'alt="Picture · position p = 0: 92°. position p = 3: 92°. position p = 9: 92°"' in answer
    assert "Two rules from school" in why
    assert "<strong>To move a hand by" in proof  # which concludes from that


def test_the_matrix_from_the_pencil_stands_on_the_slide_after_its_question():
    (_, question, _), (_, answer, _) = slides_of(NOTEBOOKS[5])[2:4]
    assert "Take a pencil" in question and r"0 &amp; -1\\ 1 &amp; 0" not in question
    assert r"0 &amp; -1\\ 1 &amp; 0" in answer and "<td>[0, −1]</td><td>[−1, 0]</td>" in answer


def test_a_table_that_is_given_stands_beside_the_question_that_asks_about_it():
    (_, given, _), (kind, question, _) = slides_of(NOTEBOOKS[0])[1:3]
    assert kind == "question" and "<td>2</td>" in given and "<td>2</td>" in question


@PATHS
def test_no_line_of_code_stands_on_a_slide(path):
    code = {
        line
        for cell in cells_of_the_path(path)
        if cell.cell_type == "code"
        for line in cell.source.split("\n")
    }
    shown = re.findall(r"<pre>(.*?)</pre>", "".join(body for _, body, _ in slides_of(path)), re.S)
    assert not code & set(html.unescape(re.sub("<.*?>", "", "\n".join(shown))).split("\n")) - {""}


@PATHS
def test_every_formula_before_a_part_with_a_heading_of_its_own_has_a_slide(path):
    shown = html.unescape("".join(body for _, body, _ in slides_of(path)))
    for _, *section in slides.in_sections(slides.blocks(cells_of_the_path(path))):
        for kind, text, *_ in takewhile(lambda part: part.kind != "part", section):
            assert kind != "formula" or text.strip("$\n") in shown


@pytest.mark.parametrize(
    ("number", "steps"),
    [
        (
            0,
            [
                r"From <em>bites</em> to <em>dog</em> it is",
                r"that\'s <em>softmax</em>",
                r"\tfrac27",
                "weights: each",
                r"\text{softmax}",
            ],
        ),
        (5, [r"R(k\omega)", r"R(k\omega_0)", r"T(k)\,T(k)^\top", "only 1.18 times"]),
    ],
)
def test_what_a_slide_rests_on_stands_before_it(number, steps):
    whole = html.unescape("".join(body for _, body, _ in slides_of(NOTEBOOKS[number])))
    places = [whole.find(step.replace("\\'", "'")) for step in steps]
    assert places[0] > -1 and places == sorted(places)


def test_a_paragraph_defines_a_word_that_stands_plain_later_and_does_not_conclude():
    texts = (
        "Its *rate*.",
        "The **rate** and a *wave*.",
        "One rate.",
        "**A wave is not what it was.** *Range*.",
        "range",
    )
    sections = [[Block("prose", text) for text in texts[:3]], [Block("prose", text) for text in texts[3:]]]
    assert slides.definitions(sections) == set(texts[:2])


def test_steps_are_definitions_and_formulas_with_what_leads_to_them():
    parts = [Block("prose", letter) for letter in "abcd"]
    parts[2:2] = [Block("formula", "$$1$$")]
    parts += [Block("part", "### A mistake"), Block("prose", "e"), Block("formula", "$$2$$")]
    assert slides.steps(parts, {"d", "e"}) == [1, 2, 4]
    assert slides.steps(parts, {"d"}, [4]) == [1, 2] and slides.steps(parts, {"a"}) == [0, 1, 2]


def test_what_has_no_room_on_a_slide_stands_on_the_next_and_a_formula_with_what_leads_to_it():
    parts = [Block("prose", "A" * length) for length in (500, 300, 1)]
    parts.insert(2, Block("formula", "$$a$$"))
    assert slides.screens(parts, [0, 1, 2, 3]) == [[0], [1, 2, 3]]
    assert slides.screens(parts, [1, 2, 3], 430) == [[1, 2], [3]]
    assert slides.screens(parts, [0, 1, 3]) == [[0], [1, 3]] and slides.screens(parts, []) == []


def test_paragraphs_that_would_be_a_wall_are_shared_evenly_by_as_few_slides_as_may_be():
    parts = [Block("prose", "A" * length) for length in (200, 200, 100, 300)]
    assert slides.screens(parts, range(4)) == [[0, 1], [2, 3]]  # not a full one and the rest
    assert slides.screens(parts, range(3)) == [[0, 1, 2]]  # one argument stays on one
    assert slides.screens([Block("prose", "A" * 900)], [0]) == [[0]]
    assert slides.screens([Block("prose", "A" * length) for length in (100, 600)], range(2)) == [[0, 1]]


def test_a_question_with_much_before_it_stands_alone_or_beside_the_last_of_it():
    answer = Block("answer", "<details><summary>One</summary>\n\nYes.\n\n</details>")
    asked = [Block("question", "> **Predict.** Which?"), answer]
    long, middle, short = (Block("prose", "A" * length) for length in (800, 650, 90))
    table = Block("table", "| t |\n|---|")
    for parts, kinds, has_sides in (
        ([short], ["question", "answer"], True),
        ([long], ["words", "question", "answer"], False),
        ([table, middle, short], ["words", "question", "answer"], True),
        ([table, long, short], ["words", "words", "question", "answer"], True),
        ([table, long], ["words", "words", "question", "answer"], False),
    ):
        made = list(slides.of_section([*parts, *asked], "page.html"))
        assert [slide.kind for slide in made] == kinds
        assert ("slide-sides" in made[-2].html) == has_sides


def test_what_a_cell_has_stored_stays_with_the_words_that_lead_to_it_or_else_read_it():
    shown, other = Block("print", "<pre>1</pre>"), Block("prose", "Then.")
    asks, leads, beside = (Block("prose", text) for text in ("Which is it?", "It is this:", "(As before.)"))
    assert slides.together([asks, shown, other, beside, other], range(5)) == [[0], [1, 2, 3], [4]]
    assert slides.together([leads, shown, other], range(3)) == [[0, 1], [2]]
    drawn, long = Block("picture", "<img>"), Block("prose", "A" * slides.AROUND)
    assert slides.together([leads, drawn, other], range(3)) == [[0, 1, 2]]  # what to see stands with it
    assert slides.together([leads, Block("table", "<table>"), other], range(3)) == [[0, 1, 2]]
    assert slides.together([leads, drawn, long], range(3)) == [[0, 1], [2]]
    goes_on = Block("prose", "A" * (slides.SHORT + 1))
    assert slides.together([leads, Block("table", "<table>"), goes_on], range(3)) == [[0, 1], [2]]
    formula, goes_on = Block("formula", "$$d$$"), Block("prose", "where it is.")
    assert slides.together([leads, formula, goes_on, other], range(4)) == [[0, 1, 2], [3]]
    assert slides.together([asks, Block("prose", "- one\n- two"), other], range(3)) == [[0, 1], [2]]
    given = Block("table", "| a |\n|---|\n| 1 |")
    assert slides.together([asks, given, other], range(3)) == [[0], [1], [2]]
    assert slides.together([leads, given, other], range(3)) == [[0, 1], [2]]


def test_a_ratio_is_set_as_other_numbers_are_and_does_not_break_and_nor_does_a_sections_number():
    made = slides.as_html(
        "At `1 : 10`, in [section 2](#2), in notebook 06 `d_model` and `1 / 2`.", "page.html"
    )
    assert "At 1\u00a0:\u00a010, in" in made and ">section\u00a02</a>, in notebook\u00a006" in made
    assert "<code>d_model</code> and <code>1 / 2</code>" in made
    made = slides.as_html("[04 · Similarity](04_similarity.ipynb), 30 · 2", "page.html")
    assert ">04\u00a0·\u00a0Similarity</a>, 30 · 2" in made


def test_what_begins_with_and_has_what_stands_before_it():
    parts = [Block("prose", "Why?"), Block("prose", "And then?"), Block("formula", "$$1$$")]
    assert slides.steps(parts, set()) == [0, 1, 2]


def test_a_question_has_the_last_words_and_one_table_beside_it():
    def prose(letter):
        return Block("prose", letter * 400)

    formula, code = Block("formula", "$$a$$"), Block("code", "known = 1\nother = 2")
    first, last = Block("table", "| first |"), Block("table", "| last |")
    parts = [formula, prose("a"), first, prose("b"), code, last, Block("prose", "Now:"), code]
    said = slides.said(parts, slides.needed(parts))
    assert "$$a$$" in said and "b" * 400 in said and "| last |" in said and "Now." in said
    assert "a" * 400 not in said and "first" not in said and "known" not in said
    assert slides.needed([prose("a"), prose("b"), prose("c")]) == [1, 2]
    assert slides.needed([prose("a"), code, last, *map(prose, "bcd")]) == [2, 4, 5]
    assert slides.needed([prose("a"), last, *map(prose, "bcd")]) == [0, 1, 3, 4]  # with what leads to it
    assert slides.needed([prose("a"), Block("part", "### A mistake"), prose("b")]) == [2]


def test_a_picture_a_live_figure_or_a_near_table_answers_and_no_print():
    prose, code, live = Block("prose", "Now."), Block("print", "<pre>1</pre>"), Block("live", "")
    table, picture = Block("table", "<table>"), Block("picture", "<img>")
    assert slides.answered([code, prose, table, prose, picture, picture, live]) == [2, 4, 6]
    assert slides.answered([picture, table]) == [0] and slides.answered([code, picture]) == [1]
    assert slides.answered([prose, prose, table]) == [] == slides.answered([prose, Block("table", "| a |")])
    assert slides.answered([prose, code]) == [] and slides.answered([prose, prose, table], 2) == [2]
    assert slides.answered([Block("part", "### A mistake"), picture]) == []


def test_what_one_question_has_shown_is_not_shown_for_the_next():
    answer = Block("answer", "<details><summary>One</summary>\n\nYes.\n\n</details>")
    asked = [Block("question", "> **Predict.** Which?"), answer]
    drawn = [Block("picture", "<img>"), Block("prose", "Seen.")]
    made = list(slides.of_section([Block("formula", "$$a$$"), *asked, *drawn, *asked], "page.html"))
    assert [slide.kind for slide in made] == ["question", "answer", "question", "answer"]
    first, _, second, _ = (slide.html for slide in made)
    assert "math" in first and "math" not in second and "<img>" not in second and "Seen." in second


def prose(*texts):
    return [Block("prose", text) for text in texts]


def test_a_section_concludes_with_its_last_bold_sentence():
    sentence = "**Only the words decide who bites.**"
    assert slides.conclusion(prose(f"{sentence} A **term** holds.")) == (0, sentence)
    rest = "**only the words decide who bites**, and the order. Then more."
    concluded = "**O" + rest[3:].removesuffix(" Then more.")
    assert slides.conclusion(prose(sentence, f"So: {rest}")) == (1, concluded)
    none = (-1, "")
    assert slides.conclusion([*prose("None."), Block("part", "### A mistake"), *prose(sentence)]) == none
    assert slides.conclusion(prose("- **A larger base** than ours, and **YaRN** slows hands.")) == none


YES = Block("answer", "<details><summary>One</summary>\n\nYes.\n\n</details>")
ASKED = [Block("question", "> **Predict.** Which?"), YES]


@pytest.mark.parametrize("is_shown", [True, False])
def test_what_concludes_is_said_once_and_what_only_begins_like_it_is_no_repetition(is_shown):
    first, last = (f"**One turn serves every position, {rest}.**" for rest in ("on paper", "in the model"))
    leads = f"{last} So:" if is_shown else f"{first} So:"
    parts = [*ASKED, Block("picture", "<img>"), *prose(leads), Block("formula", "$$a$$")]
    if not is_shown:
        parts += prose(last)
    whole = "".join(slide.html for slide in slides.of_section(parts, "page.html"))
    assert whole.count("in the model.</strong>") == 1


def printing(text, *said):
    """The parts of a cell that prints, after this Markdown."""
    cell = nbformat.v4.new_code_cell("known", outputs=[nbformat.v4.new_output("stream", text=text)])
    return list(slides.blocks([*map(nbformat.v4.new_markdown_cell, said), cell]))


def test_what_is_printed_is_shown_where_words_say_what_it_is():
    assert printing("[1 0]", "The first row:")[-1].kind == "print"
    assert printing("[1 0]", "Which row is first?")[-1].kind == "code"
    assert printing("two half steps make one: True", YES.text)[-1].kind == "code"
    (twice,) = (
        [part.kind for part in slides.blocks([nbformat.v4.new_markdown_cell("Rows:"), cell, cell])]
        for cell in [
            nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output("stream", text="1")]),
        ]
    )
    assert twice == ["prose", "code", "print", "code"]  # the words announced the first


def test_a_sentence_that_announces_code_which_shows_nothing_is_left_off():
    said = nbformat.v4.new_markdown_cell("PCA finds a plane. (It is flat.) A program has it:")
    silent = nbformat.v4.new_code_cell("fit")
    assert [part.text for part in slides.blocks([said, silent])] == [said.source[:-18], "fit"]
    loud = nbformat.v4.new_code_cell("draw", outputs=[nbformat.v4.new_output("stream", text="1")])
    assert next(slides.blocks([said, silent, loud])).text == said.source
    silent.outputs = [nbformat.v4.new_output("stream", text="1")]
    assert next(slides.blocks([said, silent])).text == said.source
    only = nbformat.v4.new_markdown_cell("A program has it:")
    assert next(slides.blocks([only, nbformat.v4.new_code_cell("fit")])).text == only.source


def test_beside_a_question_stand_the_words_after_the_last_cell_of_code():
    code, table = Block("code", "known"), Block("table", "<table>")
    assert slides.divided(
        [*prose("T:"), code, Block("print", "<pre>1</pre>"), *prose("Now.")], [0, 2, 3]
    ) == (
        [[0, 2]],
        [3],
    )
    long = prose("A" * 400)
    assert slides.divided([*long, code, *long], [0, 2]) == ([[0]], [2])
    assert slides.divided([*prose("Once."), code, *prose("Now.")], [0, 2]) == ([], [0, 2])  # all have room
    assert slides.divided([*prose("Once."), code], [0]) == ([], [0])
    assert slides.divided([*prose("Once."), code, table, *prose("Read.")], [0, 2, 3]) == ([], [0, 2, 3])


def test_an_answer_sends_to_the_next_slide_where_the_picture_is():
    sends = Block("answer", "<details><summary>Two</summary>\n\nCompare the bars: which?\n\n</details>")
    names = Block("answer", "<details><summary>Three</summary>\n\nLook at the formula.\n\n</details>")
    picture = Block("picture", "<img>")
    asks = [ASKED[0], sends, names, YES]
    once = Block("answer", "<details><summary>Four</summary>\n\nSee the next table.\n\n</details>")
    question, answer = slides.of_section([*asks, once, picture], "page.html")
    assert "Compare the bars, on the next slide: which?" in question.html and "slide" not in answer.html
    assert "Look at the formula." in question.html and "See the table, on the next slide." in question.html
    (question, *_) = slides.of_section([picture, *prose("Seen."), *asks, picture], "page.html")
    assert "<img>" in question.html and "Compare the bars: which?" in question.html
    (question, _) = slides.of_section(asks, "page.html")
    assert "next slide" not in question.html


def test_tagged_words_stand_below_the_picture_before_them():
    concludes = "**Positions say near, and words say another.**"
    words = nbformat.v4.new_markdown_cell(
        f"The grey bars.\n\n{concludes}", metadata={"tags": ["slide-words"]}
    )
    parts = [*ASKED, Block("picture", "<img>"), *slides.blocks([words])]
    _, answer = slides.of_section(parts, "page.html")
    places = [answer.html.find(said) for said in ("Yes.", "<img>", "The grey bars.", "Positions say")]
    assert places[0] > -1 and places == sorted(places) and answer.html.count("Positions say") == 1
    (_, without) = slides.of_section([*parts[:3], *prose("The grey bars.", concludes)], "page.html")
    assert "grey bars" not in without.html and "Positions say" in without.html


def test_an_answer_that_leaves_a_picture_no_room_stands_before_it():
    long = Block("answer", f"<details><summary>One</summary>\n\nYes. {'A' * slides.AROUND}\n\n</details>")
    made = list(slides.of_section([ASKED[0], long, Block("picture", "<img>")], "page.html"))
    assert [slide.kind for slide in made] == ["question", "answer", "answer"]
    assert "Yes." in made[1].html and "<img>" not in made[1].html and made[2].html == "<img>"


def test_an_answer_has_its_question_with_it_where_a_picture_has_no_room_for_both_too():
    asks = Block("question", f"> **Predict.** {'A' * slides.AROUND}?")
    made = list(slides.of_section([asks, YES, Block("picture", "<img>")], "page.html"))
    assert [slide.kind for slide in made] == ["question", "answer", "answer"]
    assert "AAA" in made[1].html and "Yes." in made[1].html and made[2].html == "<img>"


@PATHS
def test_every_answer_repeats_its_question(path):
    made = slides_of(path)
    for n, (kind, body, number) in enumerate(made):
        if kind == "question":
            asked = re.search(r"<p><strong>((?:(?!</p>).)*)</strong></p>\n<details", body, re.S)[1]
            asked = re.sub("<[^>]*>", "", asked)
            answer = next(body for kind, body, _ in made[n + 1 :] if kind == "answer")
            assert asked in re.sub("<[^>]*>", "", answer), number


def test_the_words_after_an_answer_without_a_picture_go_on_with_it_or_share_slides_with_it_evenly():
    defined = Block("prose", "A *turn*. " + "A" * 300)
    for length, kinds in ((100, ["question", "answer"]), (700, ["question", "answer", "words"])):
        asks = Block("question", f"> **Predict.** {'A' * length}?")
        parts = [asks, YES, Block("code", "1"), defined]
        made = list(slides.of_section(parts, "page.html", {defined.text}))
        assert [slide.kind for slide in made] == kinds
        assert "AAA?" in made[1].html and made[1].html.index("Yes.") and "A <em>turn" in made[-1].html


def test_words_that_read_a_live_figure_stand_with_its_still_and_the_answer_before_it():
    """So the room sees the answer where it is said, and the same panels again larger, not smaller."""
    live, reads = Block("live", "<img>"), Block("prose", "The frame holds new rows.", True)
    _, answer, figure = slides.of_section([*ASKED, live, reads], "page.html")
    places = [answer.html.find(said) for said in ("Which?", "Yes.", "<img>", "The frame")]
    assert places[0] > -1 and places == sorted(places) and "<img>" not in figure.html
    for others in ([live], [live, reads._replace(text="A" * slides.AROUND)]):  # none, and no room
        made = list(slides.of_section([*ASKED, *others], "page"))
        assert [slide.kind for slide in made[1:]] == ["figure", "answer"]
        assert "<img>" not in "".join(slide.html for slide in made)


def test_tagged_words_after_a_live_figure_that_answers_nothing_have_the_slide_after_it():
    """They say what was to be seen: beside the figure they would give it away."""
    live, tells = Block("live", "<img>"), Block("prose", "The other one does.", True)
    figure, told = slides.of_section([live, tells], "page.html")
    assert (figure.kind, figure.html, told.kind) == ("figure", "", "words")
    assert "The other one" in told.html and "<img>" not in told.html
    (alone,) = slides.of_section([live, tells._replace(is_kept=False)], "page.html")
    assert alone.kind == "figure"


def test_the_live_figure_of_07_has_its_question_the_answer_and_the_conclusion_on_its_slide():
    (figure,) = (body for kind, body, _ in slides_of(NOTEBOOKS[7]) if kind == "figure")
    above, below = figure.split("<figure>")
    fold = "which order loses blue dots sooner? <small>answer</small></summary>"
    assert "from the left: " + fold in above and "<summary>Raise " in above
    assert "<p>The shuffled one: in groups most neighbours are of a kind" in above
    assert "<strong>The ratio decides who is nearest" in below


def test_what_a_task_has_folded_is_open_on_slides_and_nothing_else_that_is():
    fold = "<details><summary>The matrix</summary>\n\nIt is this.\n\n$$a$$\n\n</details>"
    cell = nbformat.v4.new_markdown_cell(f"Take a pencil: which?\n\n{fold}")
    parts = list(slides.blocks([cell]))
    assert [part.kind for part in parts] == ["prose", "prose", "formula"]
    assert parts[0].text == "**Take a pencil: which?**"  # bold, as a question is
    for words in ("If it does not move.", "> **Predict.** Which?"):
        cell.source = f"{words}\n\n{fold}"
        assert [part.kind for part in slides.blocks([cell])][1:] == ["answer"]


def test_a_task_has_a_slide_with_what_it_needs_alone_and_concludes_nothing():
    why, leads, asks = prose("A" * 200, "B" * 90 + ":", "**Which matrix turns each of these rows?**")
    parts = [why, leads, Block("picture", "<img>"), asks]
    assert slides.screens(parts, range(4)) == [[0], [1, 2, 3]]
    assert slides.screens(parts, range(3)) == [[0, 1, 2]]  # nothing is asked
    assert slides.conclusion(parts) == (-1, "")
    (_, why, _), (_, task, _) = slides_of(NOTEBOOKS[5])[1:3]
    assert "One matrix should turn both words" in why and "<img" not in why
    assert "<strong>Take a pencil: which" in task


def test_a_table_that_words_of_a_slide_announce_or_that_is_announced_just_before_them_is_shown():
    leads, other, table = Block("prose", "This:"), Block("prose", "Now:"), Block("table", "<table>")
    parts = [leads, Block("code", "1"), table, other, Block("code", "2"), table, *prose("So.", "Plain.")]
    assert slides.steps(parts, {"This:"}) == [0, 2] and slides.steps(parts, {"So."}) == [3, 5, 6]
    assert slides.steps(parts, {"Plain."}) == [7]
    concludes, printed = Block("prose", "So. **Each head looks one word back.**"), Block("print", "<pre>")
    assert slides.steps([leads, table, concludes], set()) == [0, 1, 2]
    assert slides.steps([leads, table, concludes], set(), [1]) == []  # an answer's
    assert slides.steps([leads, printed, concludes], set()) == slides.steps([table, concludes], set()) == []
    (shown,) = (body for _, body, _ in slides_of(NOTEBOOKS[5]) if "(its rows as columns)" in body)
    assert r"R(3)^\top &amp;=" in shown and "Why? Turning the other way" in shown
    (own,) = (body for _, body, _ in slides_of(NOTEBOOKS[5]) if "1004" in body)
    assert "(its rows as columns)" not in own and "m+k" not in own


def test_by_hand_a_part_stays_with_what_stands_before_it_and_a_question_stands_alone():
    question = Block("question", "> **Predict.** Which?")
    parts = prose("A" * 300, "B" * 300, "Plain.")
    alone, staying, begins, asked = slides.by_hand([*parts, question], ["B"], ["Which?"], ["Plain"])
    assert not alone.stays and staying.stays and asked.is_alone and not asked.stays and begins.begins
    assert slides.steps([alone, staying], set()) == [0, 1] and slides.steps(parts, set()) == []
    assert slides.screens([alone, staying], [0, 1]) == [[0, 1]] != slides.screens(parts, [0, 1])
    with pytest.raises(ValueError, match=r"slides.toml: no part begins so: \['C'\]"):
        list(slides.by_hand(parts, ["C"]))
    (_, table, _), (_, planes, _), (kind, body, _) = slides_of(NOTEBOOKS[7])[11:14]
    assert kind == "question" and "Beside whom will" in body and "slide-sides" not in body
    assert "<em>wolf</em>" in table and "plane" not in table and "plane of the words" in planes
    (proof,) = (body for _, body, _ in slides_of(NOTEBOOKS[5]) if "both move on by" in body)
    assert r"\big(PE_n\,T(k)\big)^\top" in proof and "only the distance counts" in proof
    assert "To turn and turn back" in proof and "1004" not in proof  # what proves it stands beside it


def test_what_begins_a_slide_by_hand_neither_follows_nor_goes_on_with_another_part():
    first, table, read = [*prose("This:"), Block("table", "<table>"), *prose("So.")]
    parts = [first, table, read._replace(begins=True)]
    assert slides.screens([first, table, read], range(3)) == [[0, 1, 2]]
    assert slides.screens(parts, range(3)) == [[0, 1], [2]]
    made = [*slides.words(parts, [[0, 1], [2]], "page.html")]
    assert len(slides.filled(made)) == 2 > len(slides.filled([made[0], made[1]._replace(begins=False)]))


def test_the_room_of_a_picture_is_what_its_words_leave(monkeypatch):
    image = '<picture>\n<img alt="" data-cell="cell-{}" src="a"></picture>'
    sides = slides.SLIDE.format(kind="question", body=image.format(1), number=1, total=3)
    line, two = (f"<p>{'a' * n}</p>" for n in (91, 92))
    answer = slides.SLIDE.format(kind="answer", body=line + image.format(2) + two, number=2, total=3)
    full = slides.SLIDE.format(kind="words", body=image.format(3) + 9 * two, number=3, total=3)
    monkeypatch.setattr(slides, "slides", lambda path: sides + answer + full)
    rooms = slides.room_of_pictures.__wrapped__("a")
    assert rooms == {1: 0, 2: 604 - 34 - 14 - 68 - 14, 3: 302}  # at least so much
    flat, square = (Figure(figsize=size) for size in ((8, 3), (4, 4)))
    drawn = [build_site.size_on_slide(flat, room) for room in (rooms[1], rooms[3], 426, 600)]
    assert drawn == [(785, 480), (1178, 284), (1178, 400), (1178, 400)]
    assert build_site.size_on_slide(flat) == (1178, 400)
    assert build_site.size_on_slide(square, 302) == (785, 576)


def test_the_why_that_follows_a_table_or_a_formula_is_told_with_it():
    why, other = prose("Why? So.", "Why so many? They are.")
    shown = [Block("prose", "This:"), Block("code", "1"), Block("table", "<table>")]
    assert slides.steps([*shown, why], {"This:"}) == [0, 2, 3]
    assert slides.steps([*shown, other], {"This:"}) == [0, 2] == slides.steps(shown, {"This:"})
    assert slides.steps([*prose("This."), why], {"This."}) == [0]
    formula = [*prose("This:"), Block("formula", "$$1$$")]
    assert slides.steps([*formula, why], set()) == [0, 1, 2]
    assert slides.steps([*formula, other], set()) == [0, 1]
    assert slides.together([*formula, why], range(3)) == [[0, 1, 2]]


def test_the_worked_variance_of_07_stands_with_what_it_shows_and_the_question_has_none_of_it():
    made = slides_of(NOTEBOOKS[7])
    (n,) = (n for n, (_, body, _) in enumerate(made) if r"\(11\)</span></td>" in body)
    kind, body, _ = made[n + 2]
    assert "/ 4 = 17" in made[n][1] and "4^2 = 16" in made[n + 1][1] and "boxed" not in made[n][1]
    assert kind == "question" and "from layer to layer" in body and "<table" not in body


def test_the_matrix_of_two_hands_is_set_with_its_name_and_its_blocks_beside_its_sentence():
    (shown,) = (body for _, body, _ in slides_of(NOTEBOOKS[5]) if "so two blocks" in body)
    assert shown.count(r"\boxed") == 2 and "T(1) =" in shown and "<pre>" not in shown


def test_numbers_below_zero_have_a_minus_sign_in_a_table_on_slides():
    output = nbformat.v4.new_output(
        "display_data", {"text/html": "<table><td>-0.3</td><td>up-to</td><td>-</td>"}
    )
    (part,) = slides.stored(output)
    assert "<td>−0.3</td><td>up-to</td><td>-</td>" in part.text


def test_a_section_begins_with_why_where_its_first_slide_has_room():
    why, formula = Block("prose", "Why?" + "A" * 200), Block("formula", "$$1$$")
    long = Block("prose", "B" * slides.PROSE)
    for length, is_said in ((200, True), (500, False)):
        parts = [why, Block("prose", "C" * length), formula, Block("code", "1"), long, *ASKED]
        first, *_ = slides.of_section(parts, "page.html")
        assert ("Why?" in first.html) == is_said and "CCC" in first.html
    assert "finds the <em>key</em> (what a word shows) that is" in slides_of(NOTEBOOKS[5])[1][1]


def test_a_live_figure_explains_in_two_lines_what_its_controls_are_called_and_no_other_slide_does():
    made = slides_of(NOTEBOOKS[2])
    n = [kind for kind, *_ in made].index("figure")
    assert re.findall("<dt>(.*?)</dt>", made[n][1]) == ["dimension"]
    assert "<dl>" not in made[n - 1][1]  # where one thinks
    (figure,) = (body for kind, body, _ in slides_of(NOTEBOOKS[5]) if kind == "figure")
    assert "<dl>" not in figure  # its control may set the base to another number than the one explained
    by_name = {term.name: term for term in site_glossary.terms()}
    many = slides.Slide("figure", "A head.", controls="base, d_model, rate, query", room=0)
    (told,) = (re.findall("<dt>(.*?)</dt>", slide.html) for slide in explained([many], 5))
    assert len(told) == 2 == sum(site_slide_words.lines(by_name[name]) for name in told)


def test_words_stand_on_the_slide_of_the_picture_that_they_announce_and_that_others_read():
    """Beside it have room as many letters as above and below it."""
    why, leads, reads = prose("A" * 300, "B" * 90 + ":", "C" * 90)
    parts = [why, leads, Block("code", "1"), Block("picture", "<img>"), reads]
    assert sorted(slides.read(parts)) == [1, 3, 4] and sorted(slides.read([why, *parts[2:]])) == [2, 3]
    assert slides.screens(parts, [0, 1, 3, 4]) == [[0, 1, 3, 4]]
    parts[0] = Block("prose", "A" * 400)
    assert slides.screens(parts, [0, 1, 3, 4]) == [[0], [1, 3, 4]]
    (_, clock, _) = slides_of(NOTEBOOKS[5])[2]
    assert "Start with one clock hand" in clock and "<img" in clock and "Take a pencil" in clock


def test_a_short_slide_goes_on_with_the_next_but_not_with_a_picture_or_a_question():
    rooms = {"s": 200, "l": 500, "p": math.inf}
    short, long, drawn = (slides.Slide("words", name, room) for name, room in rooms.items())
    assert [slide.html for slide in slides.filled([short, long])] == ["sl"]
    assert [slide.html for slide in slides.filled([long, short, drawn, short])] == ["ls", "p", "s"]
    assert [slide.html for slide in slides.filled([long._replace(room=300)] * 2)] == ["l", "l"]
    made = [
        body for kind, body, _ in slides_of(NOTEBOOKS[5]) if kind == "answer" and "exactly one step" in body
    ]
    assert r"R(\tfrac12)" in made[0] and "the way back?" not in made[0]


def test_words_on_a_slide_with_a_picture_take_all_room():
    (drawn,), (said,) = (
        slides.words([Block("prose", "A"), Block(kind, "<p>")], [[0, 1]], "page.html")
        for kind in ("picture", "print")
    )
    assert drawn.room == math.inf > said.room


def test_what_to_do_with_a_live_figure_stands_with_it_and_nowhere_else():
    words = "**Look.** It turns. Now press *slow*: it creeps. Set $k$ to 0: what moves?"
    kept = Block("prose", words, True)
    _, answer, figure = slides.of_section([*ASKED, Block("live", "Live"), kept], "page.html")
    assert figure.tasks == ("Now press *slow*.", "Now press *slow*. Set $k$ to 0: what moves?")
    assert "It turns." in answer.html and "press" not in answer.html and "what moves" not in answer.html
    parts = [*prose("Press all."), Block("live", ""), *prose("Move one."), Block("picture", "<img>")]
    assert slides.tasks([*parts, *prose("Choose two.")], 1)[-1] == "Press all. Move one."
    (figure,) = (body for kind, body, _ in slides_of(NOTEBOOKS[5]) if kind == "figure")
    fold = r"<details><summary>Raise \$k\$ from .* return\? <small>answer</small></summary>"
    assert re.match(rf"<header><h2>2\. .*</h2>\n{fold}", figure)
    (figure,) = (body for kind, body, _ in slides_of(NOTEBOOKS[9]) if kind == "figure")
    assert "<em>flat</em>.</p>" in figure  # the next sentence has no room beside the heading


def test_a_task_that_asks_has_its_answer_in_a_fold_where_that_is_short():
    def told(words):
        return slides.tasks([Block("live", ""), *prose(words)], 0)

    first, fold = told("Press *slow*. Set $k$ to 0: what moves? The fast one.")
    assert first == "Press *slow*." and slides.as_html(fold, "page.html").count("<p>The fast one.</p>") == 1
    assert fold.startswith("<details><summary>Press *slow*. Set $k$ to 0: what moves?</summary>")
    for words in ("Move it: what moves?", "Move it. It turns.", f"Move it: what? {'It moves. ' * 11}"):
        assert not any("<details>" in task for task in told(words))
    (figure,) = (body for kind, body, _ in slides_of(NOTEBOOKS[5]) if kind == "figure")
    told = r"</summary>\n\n<p>Nearest at <code>6</code>, .*: a turn takes .*</p>\n</details>"
    assert re.search(told, figure.split("<figure>")[0])


def explained(made, notebook):
    return list(site_slide_words.explained(made, notebook, slides.as_html))


def test_words_of_an_earlier_notebook_are_explained_where_they_come_first_and_have_room():
    wide, narrow = (slides.Slide("words", "<p>A head, a <em>key</em>.</p>", room) for room in (100, 799))
    everyday = slides.Slide("words", "Head and weights.", 100)  # without another word of 00
    assert explained([everyday], 5) == [everyday]
    (first, second, third) = explained([narrow, wide, wide], 5)
    assert first == narrow and third == wide
    assert re.findall("<dt>(.*?)</dt>", second.html) == ["head"]
    (product,) = explained([slides.Slide("words", "The dot product of two rows of numbers.", 100)], 5)
    assert "multiply" in product.html  # two words are none of every day, and its name explains nothing
    (at_first,) = explained([wide], 0)
    assert "three learned matrices" in second.html and "<dl>" not in at_first.html
    names = {name for _, body, _ in slides_of(NOTEBOOKS[5]) for name in re.findall("<dt>(.*?)<", body)}
    assert names >= {"softmax", "score"} and not names & {"rate", "head", "key"}  # which 05 says again
    assert "matrix" not in names  # which no notebook explains: it would have the place of one that is
    names = {name for _, body, _ in slides_of(NOTEBOOKS[7]) for name in re.findall("<dt>(.*?)<", body)}
    assert "sinusoidal encoding" in names and not names & {"id", "GloVe"}  # said in the same words


def test_what_is_explained_again_is_said_in_few_words_and_takes_three_lines():
    """In the first sentence that names the word and those on which it leans; words of every day come last."""
    by_name = {term.name: term for term in site_glossary.terms()}
    said = {name: site_slide_words.brief(by_name[name]) for name in ("query", "key", "score", "dimension")}
    assert said["query"].startswith("A word's question") and said["query"].endswith("is its query.")
    assert said["key"].endswith("its key.") and said["score"].endswith("That's the *score*.")
    assert "Divide each dot" in said["score"] and "`d_model`" in said["dimension"]  # which is short
    assert site_slide_words.brief(by_name["rate"]) == by_name["rate"].means  # 01 has three sentences
    found = site_slide_words.unknown("weights, softmax of head, query", set(), 900)
    assert [term.name for term in found] == ["softmax", "query"]
    for path in NOTEBOOKS:
        for _, body, number in slides_of(path):
            told = [by_name[name] for name in re.findall("<dt>(.*?)</dt>", body)]
            assert sum(map(site_slide_words.lines, told)) <= site_slide_words.MOST, (path.stem, number)


def test_both_sentences_of_07_stand_on_its_slides():
    whole = "".join(body for _, body, _ in slides_of(NOTEBOOKS[7])[:3])
    assert "football basketball red green yellow" in whole and "green dog woman football" in whole


def test_no_answer_of_a_question_says_where_on_the_page_the_picture_is():
    """In print, and on slides, it stands elsewhere."""
    for path in NOTEBOOKS:
        answers = re.findall(
            r"<details>.*?</details>", "".join(cell.source for cell in cells_of_the_path(path))
        )
        assert not re.findall(r"[^.]*\b(?:above|below)[.:,]", "".join(answers)), path.stem
