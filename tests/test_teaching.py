"""TEACHING.md names sections and exercises that exist, and the exam's numbers are right."""

import re
from fractions import Fraction
from functools import cache

import nbformat
import numpy as np
import pytest

from pe_helpers import angle_rates, apply_rotary, rates_from_config, shift_matrix, sinusoidal
from tools.course import NOTEBOOKS, ROOT
from tools.exam import POOLS, exam, on_paper

GUIDE = (ROOT / "TEACHING.md").read_text(encoding="utf-8")


def markdown(path):
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def numbers(text):
    return {int(number) for number in re.findall(r"\b\d{1,2}\b", text)}


def test_every_notebook_has_its_part(path):
    number, title = path.stem[:2], re.search(r"^# ([^:\n]+)", markdown(path), re.M)[1]
    part = re.search(rf"^### {number} · {title}\n(.*?)(?=^##|\Z)", GUIDE, re.M | re.S)
    assert part, f"### {number} · {title}"
    assert all(word in part[1] for word in ("**Aim.**", "**Votes.**", "**Stop**"))
    sections = set(map(int, re.findall(r"^## (\d+)\. ", markdown(path), re.M)))
    told = re.findall(r"[Ss]ection (\d+)", part[1])
    assert set(map(int, told)) <= sections


def test_the_plan_names_sections_and_exercises_that_exist(path):
    (row,) = re.findall(rf"^\| {path.stem[:2]} \| (.+?) \| (.+?) \| (.+?) \|$", GUIDE, re.M)
    text = markdown(path)
    sections = set(map(int, re.findall(r"^## (\d+)\. ", text, re.M)))
    assert numbers(row[0]) <= sections and numbers(row[1]) <= sections
    exercises = set(map(int, re.findall(r"^\*\*(\d)\.\*\* ", text, re.M)))
    assert numbers(row[2]) <= exercises, exercises


def test_the_answers_to_what_the_course_takes_for_granted_are_right(capsys):
    questions, answers = re.search(
        r"## Before the first week\n(.*?)</summary>(.*?)</details>", GUIDE, re.S
    ).groups()
    told = dict(re.findall(r"(\d): (.+?)\.(?= \d:|\n)", answers))
    exec(re.search(r"```python\n(.*?)```", questions, re.S)[1], {})
    assert told["5"] == ", ".join(f"`{line}`" for line in capsys.readouterr().out.splitlines())
    product = np.ones((5, 2)) @ np.ones((2, 3))
    assert told["1"] == str(np.dot([1, 2], [3, -1]))
    assert told["2"].startswith("{} rows, {} columns;".format(*product.shape))
    right_angle = np.radians(90)
    assert told["3"] == "π/2; 1 and 0" and np.isclose(right_angle, np.pi / 2)
    assert np.allclose([np.sin(right_angle), np.cos(right_angle)], [1, 0])
    assert told["4"] == "20; 1/2" and np.isclose(np.exp(np.log(4) + np.log(5)), 20)
    assert told["6"] == "two" and np.isclose(np.log10(10_000 / 100), 2)


SEEDS = 300


@cache
def papers():
    """Three variants of the exam for each seed."""
    return [[exam(seed, variant) for variant in (1, 2, 3)] for seed in range(SEEDS)]


def variants():
    return [questions for three in papers() for questions in three]


def every(name):
    """All cases of a question, with what it makes of them."""
    (make,) = [make for make in POOLS if make.__name__ == name]
    return [(case, make(*case)) for case in POOLS[make]]


def numbers_of(text):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text.replace(",", ""))]


def decided(values, bar, gap=0.15):
    """Whether each value is on its side of the bar by a wide margin, so that rounding decides nothing."""
    return np.all(np.abs(np.asarray(values) / bar - 1) > gap)


def test_every_variant_of_the_exam_has_sixty_points_and_a_question_for_each_notebook():
    notebooks = [path.stem[:2] for path in NOTEBOOKS]
    for questions in variants():
        asked = [question.notebook for question in questions]
        missing = sorted(set(notebooks) - set(asked))
        told = "POOLS in tools/exam.py must have a question for each notebook, in their order;"
        assert asked == notebooks, f"{told} {missing} have none"
        points = sum(question.points for question in questions)
        assert points == 60, f"tools/exam.py: the exam has {points} points and must have 60: spread them anew"
    paper, answers = on_paper(variants()[0])
    plain = answers.replace("−", "-")
    assert all(question.answer.replace("−", "-") in plain for question in variants()[0])
    assert not any(question.answer in paper for question in variants()[0])


def test_three_variants_have_no_question_in_common_and_every_case_has_its_own_answer():
    for make, pool in POOLS.items():
        assert len(pool) >= 3, f"tools/exam.py: {make.__name__} has {len(pool)} cases, and needs three"
        made = [make(*case) for case in pool]
        assert (
            len({question.text for question in made})
            == len({question.answer for question in made})
            == len(pool)
        )
        assert len({question.points for question in made}) == 1
    for three in papers():
        for questions in zip(*three, strict=True):
            assert len({question.text for question in questions}) == 3
    assert exam("hall", 2) == exam("hall", 2) != exam("room", 2)


def test_the_guide_says_which_questions_do_not_change():
    guide = GUIDE.partition("## An exam in variants")[2]
    other, words = (
        numbers(re.search(pattern, guide)[1])
        for pattern in (r"Questions (3.+?) have", r"Questions (1,.+?) and")
    )
    for number in other:
        make, pool = list(POOLS.items())[number - 1]
        assert len({tuple(numbers_of(make(*case).text)) for case in pool}) == len(pool)
    points = {number: question.points for number, question in enumerate(variants()[0], start=1)}
    (half,) = set(map(int, re.findall(r"(?:the end|the first half) of (\d+)", guide)))
    first_half = sum(list(variants()[0][half - 1].rubric.values())[:2])
    assert f"{sum(points[number] for number in words) + first_half} points at most" in guide
    changing = numbers(re.search(r"Questions (2.+?) ask something else", guide)[1])
    missing = set(points) ^ (other | words | changing)
    assert not missing, f"TEACHING.md, An exam in variants: what a neighbour's paper is worth, of {missing}"


def test_no_question_gives_away_the_rates_that_another_asks_for():
    for questions in variants():
        text = {question.notebook: question.text for question in questions}
        shown = numbers_of(re.search(r"rates (.+?)\. ", text["10"])[1])
        asked = [numbers_of(text[number])[:2] for number in ("02", "12")]
        for width, base in asked:
            assert np.isclose(np.c_[shown], angle_rates(int(width), base=base)).sum() <= 1
        assert asked[0] != asked[1]


def test_no_case_of_the_exam_is_degenerate():
    """No ties, no number with two meanings, none of the notebooks' own examples."""
    for questions in variants():
        text = {question.notebook: question.text for question in questions}
        words, rows, columns = map(int, numbers_of(text["14"].partition("still")[2])[:3])
        assert len({words, rows, columns}) == 3 and (words, rows, columns) != (3, 2, 4)
        prompt, filling = numbers_of(text["13"])[:2]
        assert filling != prompt and filling > 1
        a, b = numbers_of(text["06"])
        assert abs(a - b) > 1
        rate, _, _, k = numbers_of(text["05"])[:4]
        sine, cosine = np.sin(np.radians(rate * k)), np.cos(np.radians(rate * k))
        assert 0.1 < abs(sine) < 0.9 and 0.1 < abs(cosine) < 0.9 and abs(sine - cosine) > 0.1
        *_, window, context = numbers_of(text["12"])[:4]
        assert window < context


def attention(x, seed=5):
    queries, keys, values = np.random.default_rng(seed).normal(size=(3, x.shape[1], x.shape[1]))
    weights = np.exp(x @ queries @ (x @ keys).T / np.sqrt(x.shape[1]))
    return weights / weights.sum(axis=1, keepdims=True) @ x @ values


@pytest.mark.parametrize(
    ("words", "rows", "moved"),
    [
        ("backwards", "row i of n becomes row n − 1 − i", lambda n: [n - 1 - i for i in range(n)]),
        (
            "first word has moved to its end",
            "row 0 becomes the last, all others",
            lambda n: [*range(1, n), 0],
        ),
        ("two words have traded places", "their two rows trade", lambda n: [0, 3, 2, 1, *range(4, n)]),
    ],
)
def test_exam_00_outputs_move_with_their_words(words, rows, moved):
    (question,) = [question for _, question in every("order") if words in question.text]
    assert rows in question.answer
    x = np.random.default_rng(0).normal(size=(6, 4))
    assert attention(x[moved(6)]) == pytest.approx(attention(x)[moved(6)])


def test_exam_01_each_idea_fails_as_the_key_says_and_the_formula_does_not():
    keys = " ".join(question.answer for _, question in every("failures"))
    said = (
        r"p grows",
        r"another length",
        r"it repeats after (\d+)",
        r"neighbours blur",
    )
    assert all(re.search(words, keys) for words in said)
    rng = np.random.default_rng(3)
    cat, dog = rng.normal(size=(2, 50))
    cosine = lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b)  # noqa: E731
    assert cosine(cat, dog) < 0.5 < 0.99 < cosine(cat + 50, dog + 50)
    assert np.ptp([np.diff(np.arange(length) / length)[0] for length in (5, 40)]) > 0.1  # the share's steps
    turned = int(re.search(said[2], keys)[1]) * 30
    assert turned == 360
    assert 2 * np.sin(np.radians(1) / 2) < 0.02  # a step of the slow hand, its length being 1
    flips = {int(p): bin(int(p) ^ int(p) + 1).count("1") for p in (6, 7)}
    assert flips == {6: 1, 7: 4} and "one digit flips from 6 to 7, four from 7 to 8" in keys
    table = rng.normal(size=(100, 50))
    nearest = np.argmax(table @ table.T - 1e9 * np.eye(100), axis=1)
    assert (abs(nearest - np.arange(100)) == 1).mean() < 0.1

    formula = sinusoidal(200, 128)
    steps = np.linalg.norm(np.diff(formula, axis=0), axis=1)
    assert abs(formula).max() <= 1 and steps == pytest.approx(steps[0])
    assert formula[:50] == pytest.approx(sinusoidal(50, 128))
    nearest = np.argmax(formula @ formula.T - 1e9 * np.eye(200), axis=1)
    assert (abs(nearest - np.arange(200)) == 1).all()
    assert np.median(angle_rates(128)) < 0.05


def test_exam_02_rates_and_turns():
    for (base, length), question in every("turns"):
        roots = [
            float(Fraction(number))
            for number in re.search(r"Rates (.+?)\.", question.answer)[1].replace(" and", ",").split(", ")
        ]
        assert [1 / root**4 if root < 1 else 1 for root in roots[:2]] == pytest.approx([1, base])
        assert np.divide(roots[:-1], roots[1:]) == pytest.approx(base ** (1 / 4))
        turns = [[positions * rate / (2 * np.pi) for rate in roots] for positions in (length - 1, length)]
        assert decided(turns, 1)
        assert numbers_of(question.answer)[-2:] == [(np.array(turns[1]) >= 1).sum(), 4]


def test_exam_03_slow_cosines_are_what_rows_have_in_common():
    asked = " ".join(question.answer for _, question in every("alike"))
    assert asked.count("nearly 1") >= 3 and asked.count("nearly 0") == 3
    slow = sinusoidal(50, 100)[:, -20:]
    sines, cosines = slow[:, 0::2], slow[:, 1::2]
    assert (cosines > 0.99).all() and (abs(sines) < 0.1).all()
    assert cosines.mean(axis=0) == pytest.approx(1, abs=0.01) and abs(sines.mean(axis=0)).max() < 0.05
    assert (cosines @ cosines.T / 10).min() > 0.99 and (sines @ sines.T / 10).max() < 0.01


def test_exam_04_similarities_with_real_cosines():
    for (fast, slow), question in every("similarity"):
        said = numbers_of(question.answer.partition(": ")[2])
        pair = np.concatenate([clock(np.radians(each), 4) for each in (fast, slow)], axis=1)
        dots = pair @ pair[0]
        assert said[:4] == pytest.approx(dots, abs=0.02)
        assert said[4:] == [k for k in range(1, 4) if dots[k] > dots[k - 1] for k in (k - 1, k)]
        assert len(said) == 6 and abs(np.diff(dots)).min() > 0.15
        assert fast * said[5] > 180 and fast * said[4] < 360  # past half a turn, on its way up


def clock(rate, length):
    angles = rate * np.arange(length)[:, None]
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def test_exam_05_the_matrix_moves_the_hand():
    for (rate, k), question in every("shift"):
        matrix = shift_matrix(np.radians(rate * k), 2)  # its only rate is 1
        angle, *said = numbers_of(question.answer.replace("2 ×", ""))
        assert angle == rate * k and said[:4] == pytest.approx(np.ravel(matrix), abs=0.01)
        hand = clock(np.radians(rate), k + 1)
        assert np.reshape(said[:4], (2, 2)).T @ hand[0] == pytest.approx(hand[k], abs=0.01)
        at_0, at_90 = re.findall(r"row, \((.+?)\)", question.answer)
        for start, row in ((0, at_0), (90, at_90)):
            moved = np.radians(start + rate * k)
            assert numbers_of(row) == pytest.approx([np.sin(moved), np.cos(moved)], abs=0.01)
        assert said[-1] == 90 + rate * k


def test_exam_06_one_table_confuses_two_pairs_and_two_tables_do_not():
    one, two = np.random.default_rng(1).normal(size=(2, 30, 8))
    for (word, position), question in every("confusion")[::50]:
        other, place = map(int, numbers_of(question.answer)[:2])
        assert (other, place) != (word, position)
        assert one[word] + one[position] == pytest.approx(one[other] + one[place])
        assert abs(one[word] + two[position] - one[other] - two[place]).max() > 0.1


def test_exam_07_a_projection_hides_what_lies_behind_it():
    for (width, *_), question in every("project"):
        assert numbers_of(question.text.replace("-dim", " dim"))[0] == width
        spread = np.random.default_rng(8).normal(size=(40, width)) * np.r_[9, 9, np.ones(width - 2)]
        centred = spread - spread.mean(axis=0)
        directions = np.linalg.svd(centred)[2]
        pair = centred[0] + np.outer([0, 50], directions[2:].sum(axis=0) / np.sqrt(width - 2))
        assert pair[0] @ directions[:2].T == pytest.approx(pair[1] @ directions[:2].T)
        assert np.linalg.norm(pair[1] - pair[0]) == pytest.approx(50)
        assert f"other {len(directions[2:])} " in question.answer


def test_exam_08_the_steps_of_the_proof_hold_for_a_matrix_that_fulfils_the_wish():
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]

    def matrix(place, m):
        return np.linalg.matrix_power(turn, {"0": 0, "1": 1, "m": m, "m + 1": m + 1, "2m": 2 * m}[place])

    for (a, b, total), question in every("rotation"):
        assert f"M({total}) = M({a}) M({b})" in question.text
        left, transposed, product, zero = re.search(
            r"M\(([^()]+)\) M\(([^()]+)\)ᵀ = M\((\w)\) M\((\w)\)ᵀ = M\(\3\)\.", question.answer
        ).groups()
        assert f"At ({left}, {transposed}) and ({product}, {zero}) it is −{product}:" in question.answer
        assert question.answer.endswith(f"Multiply by M({transposed}) from the right.")
        for m in (2, 3):
            assert matrix(left, m) @ matrix(transposed, m).T == pytest.approx(matrix(product, m))
            assert matrix(product, m) @ matrix(transposed, m) == pytest.approx(matrix(total, m))


def test_exam_09_reach_and_weight_with_a_real_softmax():
    weights = set()
    for (_, whole, score), question in every("bias"):
        part, margin, _, plain, back, _ = numbers_of(question.text.replace("slope 1/", "slope "))
        assert plain == whole and margin == whole + 0.9
        offsets = np.arange(1, 200)
        higher = offsets[margin - offsets / part > 0]
        reach = int(re.search(r"up to (\d+)", question.answer)[1])
        assert reach == higher.max() and abs(margin - np.array([reach, reach + 1]) / part).min() > 0.01
        logits = np.array([plain - back / part, 0])
        assert logits[0] == score and back >= 1
        softmax = np.exp(logits) / np.exp(logits).sum()
        assert numbers_of(question.answer)[-1] == pytest.approx(softmax[0], abs=0.0075)
        weights.add(numbers_of(question.answer)[-1])
    assert len(weights) == 5


def test_exam_10_the_hands_that_come_to_a_new_part_of_the_circle():
    """A finished hand has been within a step of any angle, an unfinished one has not."""
    for (rates, length, times), question in every("longer"):
        said = numbers_of(re.search(r"tokens: (.+?)\. The", question.answer)[1])
        new = []
        for rate in rates:
            known = np.sort(rate * np.arange(length) % (2 * np.pi))
            angles = rate * np.arange(times * length) % (2 * np.pi)
            after = np.searchsorted(known, angles)
            ways = [angles - known[after - 1], known[after % length] - angles]
            new.append(np.min(np.mod(np.array(ways) + 1e-9, 2 * np.pi), axis=0).max() > rate)
        assert said == [rate for rate, is_new in zip(rates, new, strict=True) if is_new]
        assert 0 < len(said) < 4 and decided(np.array(rates) * length, 2 * np.pi, 0.3)
        steps = np.diff(rates[0] / times * np.arange(2))[0], rates[0]
        assert Fraction(re.search(r"now lie (.+?) of", question.answer)[1]) == pytest.approx(
            steps[0] / steps[1]
        )


def test_exam_11_hidden_words_are_harmless_where_near_ones_are_enough():
    """The near rule and recall, as notebook 11 defines them, solved with all symbols and with the last 32."""
    for _, question in every("windows"):
        assert "recall" in (question.text + question.answer).lower() and question.points == 4
    rng = np.random.default_rng(4)
    text = list(rng.integers(16, size=3))
    for _ in range(300):
        text.append((text[-1] + text[-3]) % 16)
    near = lambda seen: (seen[-1] + seen[-3]) % 16  # noqa: E731
    assert near(text) == near(text[-32:])
    pairs = dict(zip(range(100), rng.integers(8, size=100), strict=True))
    told = [symbol for pair in pairs.items() for symbol in pair]
    recall = lambda seen, name: dict(zip(seen[::2], seen[1::2], strict=True)).get(name)  # noqa: E731
    assert recall(told, 3) == pairs[3] and recall(told[-32:], 3) is None


def test_exam_12_turns_within_each_span():
    for (width, base, window, context), question in every("config"):
        file = {"model_type": "llama", "head_dim": width, "rope_theta": base}
        said = numbers_of(question.answer)
        for span, count, all_hands in ((window, said[0], said[1]), (context, said[2], said[3])):
            turns = span * rates_from_config(file, length=span)[0] / (2 * np.pi)
            assert decided(turns, 1, 0.2)
            assert ((turns < 1).sum(), turns.size) == (count, all_hands) and 0 < count < all_hands
        assert said[0] > said[2]


def test_exam_13_which_scores_are_wrong():
    for (filling, prompt), question in every("cache"):
        *places, after, given, over = map(int, numbers_of(question.answer))
        assert places == list(range(prompt)) and (after, given, over) == (prompt, prompt + filling, filling)
        right = np.arange(prompt + 3)
        counted = np.array([*places, *range(given, given + 3)])
        off = (counted[:, None] - counted) - (right[:, None] - right)
        assert (off[prompt:, :prompt] == over).all() and (off[prompt:, prompt:] == 0).all()


def test_exam_14_numbers_in_three_counts():
    for (words, rows, columns), question in every("grid"):
        tokens = [(word,) * 3 for word in range(words)]
        patches = [(words, words + row, words + column) for row in range(rows) for column in range(columns)]
        after = (max(max(patch) for patch in patches) + 1,) * 3
        said = [tuple(map(int, numbers_of(each))) for each in re.findall(r"\((.+?)\)", question.answer)]
        assert said == [tokens[-1], patches[0], patches[-1], after]


def test_exam_15_who_notices_a_shift():
    rng = np.random.default_rng(6)
    q, k = rng.normal(size=(2, 32, 8))
    for (begin, *_), question in every("inside"):
        assert begin >= 128 and f"position {begin}." in question.text
        at, later = np.arange(32), np.arange(32) + begin
        turned = [
            apply_rotary(q, at) @ apply_rotary(k, at).T,
            apply_rotary(q, later) @ apply_rotary(k, later).T,
        ]
        assert turned[0] == pytest.approx(turned[1])
        assert np.array_equal(at[:, None] - at, later[:, None] - later)  # all that ALiBi sees
        rows = sinusoidal(begin + 32, 8)
        assert abs(rows[begin:] - rows[:32]).max() > 0.5
        assert later.min() >= 128  # rows of a learned table, which has 128
