"""What notebook 07 says and prints, found again by scikit-learn's neighbours; the lab's figures."""

import json
import re

import nbformat
import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from pe_helpers import sinusoidal
from pe_helpers.models import load_trained
from pe_helpers.words import Projection, load_word_vectors
from tests.conftest import code_cells, run_notebook
from tests.word_maps import astray, touching, unclear
from tools.course import NOTEBOOKS, ROOT

KEPT = {"1 : 1": (9, 5), "1 : 10": (8, 0), "10 : 1": (11, 11), "√d : 1": (11, 11)}  # grouped, shuffled
WEIGHTS = {"1 : 1": (1, 1), "1 : 10": (1, 10), "10 : 1": (10, 1), "√d : 1": (100**0.5, 1)}


def prose():
    notebook = nbformat.read(NOTEBOOKS[7], as_version=4)
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def printed():
    """What its cells print, and their tables as text."""
    outputs = [out for cell in code_cells(nbformat.read(NOTEBOOKS[7], as_version=4)) for out in cell.outputs]
    return "\n".join(out.get("text") or out.get("data", {}).get("text/plain", "") for out in outputs)


@pytest.fixture
def sentences(figures):
    """For both sentences: the words, and their vectors (11, 100), on average as long as positions."""
    vectors = load_word_vectors()
    texts = [text.split() for text in figures["word_embedding_lab"]["sentences"]]
    rows = [np.array([vectors[word] for word in words], float) for words in texts]
    stretch = 50**0.5 / np.linalg.norm(rows[0], axis=1).mean()
    return [(words, stretch * raw) for words, raw in zip(texts, rows, strict=True)]


def nearest(x):
    found = NearestNeighbors(n_neighbors=2).fit(x).kneighbors(x, return_distance=False)
    return np.array([next(other for other in row if other != n) for n, row in enumerate(found)])


def test_07_how_many_words_keep_their_nearest_word(sentences):
    position = sinusoidal(11, 100)
    for told, (w1, w2) in WEIGHTS.items():
        kept = [(nearest(w1 * m + w2 * position) == nearest(m)).sum() for _, m in sentences]
        assert tuple(kept) == KEPT[told], told
    assert "five of eleven" in prose()
    assert "a neighbour is nearest to each of the eleven, and never" in prose()


KIND = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4])  # of the words in groups


def test_07_who_is_nearest_at_1_to_1_in_the_shuffled_order(sentences):
    (grouped, _), (words, meaning) = sentences
    kind = np.array([KIND[grouped.index(word)] for word in words])
    found = nearest(meaning + sinusoidal(11, 100))
    is_blue, is_beside = found == nearest(meaning), abs(found - np.arange(11)) == 1
    of_kind = ~is_blue & (kind[found] == kind)
    assert {(words[n], words[found[n]]) for n in np.flatnonzero(of_kind)} == {
        ("yellow", "green"),
        ("green", "yellow"),
    }
    assert (is_blue.sum(), of_kind.sum(), (is_beside & ~is_blue & ~of_kind).sum()) == (5, 2, 4)


def test_07_a_neighbour_wins_for_every_word_at_1_to_10_and_none_is_nearest_in_meaning(sentences):
    words, meaning = sentences[1]
    position = sinusoidal(11, 100)
    assert (abs(nearest(meaning + 10 * position) - np.arange(11)) == 1).all()
    assert (abs(nearest(meaning) - np.arange(11)) > 1).all()
    gaps = np.linalg.norm(meaning[:, None] - meaning, axis=2)[np.triu_indices(11, 1)]
    basketball, football = (meaning[words.index(word)] for word in ("basketball", "football"))
    assert (gaps < np.linalg.norm(basketball - football)).sum() <= 2  # of 55
    assert "To *basketball*, *yellow* is far nearer than *football*." in prose()
    _, at_ten, _ = squares_in_tables()
    assert at_ten["football"][2] > 5 * at_ten["yellow"][2]


def test_07_who_is_nearer_than_it_is_drawn_at_1_to_1(sentences):
    """Of wolf, red and not dog, who is drawn beside it in the plane of the words."""
    words, meaning = sentences[1]
    x = meaning + sinusoidal(11, 100)
    at = PCA(2).fit(meaning).transform(x)
    wolf, red, dog = (words.index(word) for word in ("wolf", "red", "dog"))
    assert nearest(x)[wolf] == red and nearest(meaning)[wolf] == dog
    assert nearest(at)[wolf] == dog and nearest(at)[dog] == wolf
    apart = np.linalg.norm(at[wolf] - at[dog]) / abs(at).max(axis=0)[1]
    assert apart < 0.1  # of half the map's height
    assert np.linalg.norm(at[wolf] - at[red]) > 5 * np.linalg.norm(at[wolf] - at[dog])
    assert (wolf - red, wolf - dog) == (1, 5)
    assert "so the five places between *wolf* and *dog* look small" in prose()
    assert "*wolf*'s nearest is *red*, its neighbour. In meaning *dog* is nearer:" in prose()


def test_07_for_king_squares_added_and_measured_disagree(sentences):
    words, meaning = sentences[1]
    parts = meaning, sinusoidal(11, 100)
    king, red, queen = (words.index(word) for word in ("king", "red", "queen"))
    added, measured = [], []
    for other in (red, queen):
        gaps = [part[other] - part[king] for part in parts]
        added.append(sum((gap**2).sum() for gap in gaps))
        measured.append((sum(gaps) ** 2).sum())
    assert added[1] < added[0] and measured[0] < measured[1] and gaps[0] @ gaps[1] > 0
    assert (king, queen, red) == (8, 1, 9) and nearest(meaning)[king] == queen
    assert "Take *king*, at 8. His nearest in meaning is *queen*, far away at 1; beside him, at 9," in prose()
    assert "*queen* would win, with $27 + 27$ against $63 + 3$." in prose()


def test_07_of_each_plane_the_text_names_a_word_whose_nearest_is_far_away_in_it(sentences):
    words, meaning = sentences[1]
    position = sinusoidal(11, 100)
    found = nearest(meaning + position)
    wolf, red, football, basketball = (words.index(word) for word in "wolf red football basketball".split())
    assert (found[wolf], found[football], found[basketball]) == (red, basketball, football)
    for of_plane, far, near in ((meaning, wolf, football), (position, basketball, wolf)):
        at = PCA(2).fit(of_plane).transform(meaning + position)
        lengths = np.linalg.norm(at[found] - at, axis=1)
        assert lengths[far] > 1.5 * lengths[near]
        assert (np.linalg.norm(at - at[far], axis=1) < lengths[far]).sum() >= 4  # itself, and three others
    assert "*wolf* lies beside *dog*, far from its nearest, *red*" in prose()
    assert "*football* and *basketball*, each other's nearest, lie far apart" in prose()


def squares_in_tables():
    """Of each table of squared distances in the path: {word: (words, positions, sums)}."""
    tables = re.findall(r"distance², (\w+) to .*\n((?: *\w+(?: +[\d,]+){3}\n?)+)", printed())[:3]
    assert [one for one, _ in tables] == ["basketball", "basketball", "wolf"]
    rows = [[row.replace(",", "").split() for row in body.strip().split("\n")] for _, body in tables]
    return [{word: tuple(map(int, numbers)) for word, *numbers in some} for some in rows]


def test_07_squares_of_distances_roughly_add_up(sentences):
    words, meaning = sentences[1]
    ball, others = "basketball", "football yellow"
    asked = (ball, 1, others, 0), (ball, 10, others, 1), ("wolf", 1, "dog red", 1)
    for (one, b, others, nearer), shown in zip(asked, squares_in_tables(), strict=True):
        assert [*shown] == others.split()
        measured = []
        for word, (of_words, of_positions, of_sums) in shown.items():
            parts = meaning, b * sinusoidal(11, 100)
            gaps = [part[words.index(word)] - part[words.index(one)] for part in parts]
            exact = [(gap**2).sum() for gap in (*gaps, sum(gaps))]
            assert [of_words, of_positions, of_sums] == [round(square) for square in exact]
            assert 0.8 < exact[2] / sum(exact[:2]) < 1.2
            measured.append(of_sums)
        assert np.argmin([sum(row[:2]) for row in shown.values()]) == np.argmin(measured) == nearer
    assert squares_in_tables()[0] == {"football": (17, 24, 43), "yellow": (84, 3, 84)}
    assert "*Football*'s sum is nearer: here meaning wins." in prose()
    places = [words.index(word) for word in (ball, "yellow", "football")]
    assert places == [3, 2, 7]  # next to it, and four on


def test_07_the_worked_sum_begins_as_the_notebooks(sentences):
    words, meaning = sentences[1]
    queen = words.index("queen")
    assert queen == 1 and "At `1 : 10`, the sum of *queen*, stretched, at position 1 begins:" in prose()
    of_word, of_position = meaning[queen, :2], sinusoidal(11, 100)[queen, :2]
    told = [
        (f"{x:.{digits}f}", f"{y:.{digits}f}")
        for (x, y), digits in ((of_word, 2), (of_position, 2), (of_word + 10 * of_position, 1))
    ]
    one, other, both = (rf"({x},\ {y},\ \ldots)" for x, y in told)
    assert rf"$${one} + 10 \cdot {other} = {both}$$" in prose()


def test_07_the_shadows_on_the_line_differ_as_much_as_those_on_any_other():
    names = run_notebook(NOTEBOOKS[7]).names
    four, shadows = names["four"], names["shadows"]
    along = shadows - shadows.mean(axis=0)
    across = four - shadows
    assert np.linalg.matrix_rank(along) == 1 and np.allclose((along * across).sum(axis=1), 0)
    angles = np.radians(np.arange(180))
    spread = (four @ [np.cos(angles), np.sin(angles)]).var(axis=0)  # (180,)
    assert (along**2).sum(axis=1).mean() >= spread.max()
    assert (np.linalg.norm(across, axis=1) > 0.2).all()  # each is seen to fall
    assert np.allclose(four.mean(axis=0), 0)  # so the line that is drawn through 0 is theirs


def test_07_a_words_difference_and_a_positions_are_nearly_at_right_angles(sentences):
    position = sinusoidal(11, 100)
    for _, meaning in sentences:
        of_words, of_positions = (
            (rows[:, None] - rows)[np.triu_indices(11, 1)] for rows in (meaning, position)
        )
        norms = np.linalg.norm(of_words, axis=1) * np.linalg.norm(of_positions, axis=1)
        angles = np.degrees(np.arccos((of_words * of_positions).sum(axis=1) / norms))
        assert abs(angles - 90).max() < 25 and abs(angles - 90).mean() < 10
        assert 0.09 < (np.cos(np.radians(angles)) ** 2).mean() ** 0.5 < 0.12
    assert "on average only about a tenth of the one's length lies along the other" in prose()


def test_07_at_1_to_1_words_are_as_long_as_positions_as_in_notebook_06():
    names = run_notebook(NOTEBOOKS[7]).names
    for rows in (names["meaning"], names["meaning_shuffled"]):
        lengths = np.linalg.norm(rows, axis=1)
        assert lengths.mean() == pytest.approx(np.linalg.norm(names["positions"], axis=1).mean())
    told = "stretch GloVe's words by 1.21, so that at `1 : 1` they are as long as positions, on average."
    assert told in prose() and names["stretch"] > 1
    raw = np.array([load_word_vectors()[word] for word in names["words"]], float)
    assert np.allclose(names["meaning"], names["stretch"] * raw)
    there = nbformat.read(NOTEBOOKS[6], as_version=4)
    assert any("until they are as long, on average: that's `1 : 1`" in cell.source for cell in there.cells)
    (shown, _), _, _ = names["prepare"]("dog wolf")
    assert np.allclose(shown[1], names["meaning"][4:6])  # the live figure's words are as long


def test_07_the_worked_variance_is_the_function_of_the_models():
    rows = r"\| (?:one text|the other text|mean of the column) \| \$(\d+)\$ \| \$(\d+)\$ \|"
    *texts, means = np.array(re.findall(rows, prose()), float)
    x = np.stack(texts)  # (texts, positions)
    assert (x.mean(0) == means).all() and x.mean() == 6
    assert x.mean(0).var() == 16 and (abs(means - x.mean()) == 4).all()
    assert x.var() == 17 and ((x - 6) ** 2).ravel().tolist() == [25, 9, 9, 25]
    assert "All four have the mean $6$ and the variance $(5^2 + 3^2 + 3^2 + 5^2) / 4 = 17$." in prose()
    assert "$2$ and $10$, are both $4$ from $6$." in prose()
    assert "So the means have the variance $4^2 = 16$: it is *due to position*." in prose()


def test_07_each_word_is_nearest_to_its_kind(sentences):
    _, meaning = sentences[0]
    kind = KIND
    assert (kind[nearest(meaning)] == kind).all()
    assert "Each of the eleven is nearest to a word of its kind" in prose()


def test_07_the_plane_in_sight_is_the_helpers(sentences):
    """The notebook's own cells call scikit-learn, the live figure the helper: the same picture, signs too."""
    position = sinusoidal(11, 100)
    both = np.vstack([meaning + 1.75 * position for _, meaning in sentences])
    for rows in (both, position, sentences[0][1], sentences[1][1]):
        pca = PCA(n_components=2).fit(rows)
        ours = Projection.fit(rows)
        assert np.allclose(pca.components_, ours.components)
        assert np.allclose(pca.explained_variance_ratio_, ours.explained)


def test_07_prints_what_the_lab_prints(figures):
    lab, told = figures["word_embedding_lab"], printed()
    assert "12,000 words, 100 numbers each" in told and f"{lab['glove']['words']:,} words" in prose()
    assert f"every position: {lab['norm_at_any_position']}\n" in told
    assert f"[{lab['norm_of_difference_k2']}]" in told
    assert "(2, 100)" in told and "matrix (13, 100)" in told
    for row in lab["token_ids"]:  # it has no [UNK]: ids are one lower
        assert "[" + " ".join(f"{id + 1:2}" for id in row) in told
    assert f"hi: {load_word_vectors()['hi'][:6]}" in told


def test_in_most_orders_more_words_keep_their_meaning_than_in_the_notebooks(sentences):
    (_, meaning), _ = sentences
    of_like_meaning, random = nearest(meaning), np.random.default_rng(0)
    kept = []
    for _ in range(200):
        order = random.permutation(11)
        kept.append((order[nearest(meaning[order] + sinusoidal(11, 100))] == of_like_meaning[order]).sum())
    assert np.mean(np.array(kept) > KEPT["1 : 1"][1]) > 0.5


def test_07_the_caption_says_a_ratio_as_its_slider_does_and_as_the_text():
    update = run_notebook(NOTEBOOKS[7]).names["update"]
    for b, told in {3.98107: "1 : 3.98", 1.0: "1 : 1", 10.0: "1 : 10", 0.1: "1 : 0.1"}.items():
        assert update(b, "dog wolf red").startswith(f"Word : position = {told}. In this order: ")


def test_07_picture_and_caption_say_where_each_word_stands_and_what_both_colours_mean():
    names = run_notebook(NOTEBOOKS[7]).names
    caption = names["update"](1.0, names["sentence"])
    assert "In groups: 9 of 11 blue; shuffled: 5 of 11 blue." in caption and "in 100 dimensions" in caption
    assert [words.get_text() for words in names["live_figure"].legends[0].texts] == [
        *names["KEY"],
        *names["LINES"],
    ]
    _, shuffled = names["live_maps"]
    assert shuffled._words == [f"{n} {word}" for n, word in enumerate(names["shuffled"].split())]


def test_07_from_each_word_a_line_leads_to_its_nearest_in_all_dimensions(sentences):
    names = run_notebook(NOTEBOOKS[7]).names
    for ratio in (0.1, 1, 10):
        names["update"](ratio, names["sentence"])
        for shown, (_, meaning) in zip(names["live_maps"], sentences, strict=True):
            to = nearest(meaning + ratio * sinusoidal(11, 100))
            is_beside = abs(to - np.arange(11)) == 1
            for lines, chosen in zip(shown._lines, (~is_beside, is_beside), strict=True):
                drawn = lines.get_path().vertices[: 3 * chosen.sum()].reshape(-1, 3, 2)[:, [0, 2]]
                assert np.array_equal(drawn, np.stack([shown._points, shown._points[to]], axis=1)[chosen])
            assert is_beside.all() or ratio < 10
    assert "leads to its nearest in all hundred dimensions, a bold one if that is a neighbour" in prose()
    assert "Arrows lead to the nearest in 100 dimensions." in names["update"](1.0, names["sentence"])


def test_07_each_label_shows_its_own_dot_at_every_step():
    names = run_notebook(NOTEBOOKS[7]).names
    for ratio in np.logspace(-1, 1, 41):
        names["update"](ratio, names["sentence"])
        for shown in names["live_maps"]:
            assert shown.hidden() == unclear(shown) == [], ratio
            assert touching(shown) == astray(shown) == [], ratio


def test_07_the_shuffled_order_feels_the_ratio_more_for_most_neighbours_in_groups_are_of_a_kind():
    names = run_notebook(NOTEBOOKS[7]).names
    told = "The shuffled one: in groups most neighbours are of a kind, so"
    asked = "which order loses blue dots sooner?\n\n<details><summary>Answer</summary>\n\n"
    assert f"{asked}{told}" in prose()
    assert "for five of eleven the nearest word is still the one nearest in meaning" in prose()
    assert [KEPT[name] for name in ("1 : 1", "1 : 10")] == [(9, 5), (8, 0)]
    assert "most neighbours are of a kind, so meaning and position pull together." in prose()
    assert (KIND[1:] == KIND[:-1]).sum() > 10 / 2
    told = [names["update"](b, names["sentence"]) for b in np.logspace(-1, 1, 41)]
    blue = np.array([[int(n) for n in re.findall(r"(\d+) of 11 blue", caption)] for caption in told])
    assert np.ptp(blue[:, 0]) < np.ptp(blue[:, 1]) and (blue[:, 0] > 11 / 2).all()


def menu_of_sentences(names):
    examples = json.loads((ROOT / "site" / "examples.json").read_text())
    return [names["sentence"], *examples[NOTEBOOKS[7].stem]["typed"]]


def test_07_the_menu_of_sentences_can_be_told_apart_by_their_first_words():
    first = [text.split()[0] for text in menu_of_sentences(run_notebook(NOTEBOOKS[7]).names)]
    assert len({*first}) == len(first)


@pytest.mark.parametrize("which", range(5))
def test_07_of_no_sentence_of_the_menu_the_given_order_has_fewer_blue_dots_than_the_shuffled_one(which):
    names = run_notebook(NOTEBOOKS[7]).names
    orders, position, _ = names["prepare"](menu_of_sentences(names)[which])
    lost = []
    for b in np.logspace(-1, 1, 41):
        given, shuffled = (names["is_blue"](m + b * position, m, words).sum() for words, m in orders)
        assert given >= shuffled, b
        lost.append(given - shuffled)
    assert sum(lost) > 40  # one at each step, on average


def test_07_the_caption_tells_an_order_that_the_text_does_not():
    names = run_notebook(NOTEBOOKS[7]).names
    assert "Shuffled: " not in names["update"](1.0, names["sentence"])
    _, other, *_ = menu_of_sentences(names)
    (_, (shuffled, _)), _, _ = names["prepare"](other)
    assert sorted(shuffled) == sorted(other.split()) != shuffled
    assert f" Shuffled: {' '.join(shuffled)}." in names["update"](1.0, other)


def test_07_the_plane_of_the_maps_is_of_a_ratio_at_which_words_and_positions_vary_alike(sentences):
    of_words, of_positions = (x.var(axis=0).sum() for x in (sentences[0][1], sinusoidal(11, 100)))
    assert 0.9 < 1.75**2 * of_positions / of_words < 1.1


def test_07_each_layer_takes_position_away_and_adds_other_variance():
    """For the texts of the notebook and for each half of them."""
    for name in ("sinusoidal", "sinusoidal_unscaled"):
        trained = load_trained(name)
        assert trained.model.embedding.weight.shape[1] == 128
        for texts in trained.texts(512)[:, :128].split(256):
            stages = []
            with torch.no_grad():
                x = trained.model.absolute(trained.model.embedding_scale * trained.model.embedding(texts))
                for block in [*trained.model.blocks, None]:
                    due = x.mean(0).var(0).sum()
                    stages.append((float(due), float(x.flatten(0, 1).var(0).sum() - due)))
                    x = block(x, None, None, is_causal=True) if block else x
            due, rest = np.array(stages).T
            assert (np.diff(due) < 0).all() and (np.diff(rest) > 0).all(), name
    assert "the variance due to position falls with each layer." in prose()


def test_07_the_bars_hold_none_of_the_words_variance_that_the_mean_of_some_texts_keeps():
    """Both halves of the texts, whose words have nothing in common, say how large it is without it."""
    due = run_notebook(NOTEBOOKS[7]).names["due"]
    for name, found in zip(("sinusoidal", "sinusoidal_unscaled"), due, strict=True):
        trained = load_trained(name)
        halves = []
        with torch.no_grad():
            x = trained.model.embed(trained.texts(512)[:, :128])
            for block in [*trained.model.blocks, None]:
                one, other = (some.mean(0) - some.mean((0, 1)) for some in x.split(256))
                halves.append(float((one * other).sum(1).mean()))
                x = block(x, None, None, is_causal=True) if block else x
        assert np.allclose(found, halves, rtol=0.1, atol=0.1), name
