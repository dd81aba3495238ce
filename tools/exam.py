"""Write an exam of fifteen questions, and apart from it the answers with what earns the points.

    python -m tools.exam --seed 7 --out dist/exam  # dist/exam/exam.md and dist/exam/answers.md

Another seed gives other numbers: a variant for each row of the hall. Choose a seed that nobody knows, and keep
answers.md: whoever has this file and the seed has the answers. Paper and pencil, 90 minutes, 60 points; no
question needs a logarithm.
"""
# ruff: noqa: E501  # sentences

import argparse
import random
from pathlib import Path
from typing import NamedTuple

from pe_helpers import alibi_slopes, angle_rates

TURN = 6.28  # 2π on paper
COSINES = {0: 1, 30: 0.87, 45: 0.71, 60: 0.5, 90: 0, 120: -0.5, 135: -0.71, 150: -0.87, 180: -1}
POWERS = {-3: 0.05, -2: 0.14, -1: 0.37, 0: 1.0, 1: 2.7, 2: 7.4, 3: 20.1}  # of e


class Question(NamedTuple):
    """A question of the exam: the notebook that has its answer, and what earns how many points."""

    notebook: str
    text: str
    answer: str
    rubric: dict[str, int]

    @property
    def points(self) -> int:
        return sum(self.rubric.values())


def cosine(degrees):
    """The cosine of a multiple of 30 or 45 degrees, as the exam's table has it."""
    degrees = abs(degrees) % 360
    return COSINES[min(degrees, 360 - degrees)]


def order(_):
    return Question(
        "00",
        "Attention without a mask and without positions gets the words of a sentence in another order. What"
        " happens to the output of each word? Prove it in three lines.",
        "Output i is a mean of the values, with weights from query i and all keys. Another order changes neither"
        " query i nor the set of (key, value). So each word keeps its output, in its new row.",
        {"outputs move with their words and do not change": 2, "weights depend on a query and a set": 2},
    )


def failures(_):
    return Question(
        "01",
        "Name one failure each of: the position p added to every column; p divided by the length of the text; a"
        " single clock hand. Which part of the sinusoidal formula answers each?",
        "p grows and drowns the word: waves are bounded. p/L changes when the text gets longer: the rates are"
        " fixed. One hand is too slow to tell neighbours apart, or it repeats: many rates.",
        {"three failures": 3, "three answers": 1},
    )


def turns(draw):
    length = draw.choice([40, 200, 400, 900, 5000])
    rates = angle_rates(8)
    done = int((length * rates >= TURN).sum())
    return Question(
        "02",
        f"`d_model` is 8 and the base 10,000. Write down the rates of the hands. How many complete a turn within"
        f" {length:,} positions?",
        f"Rates 1, 0.1, 0.01, 0.001. A hand completes a turn if its rate times {length:,} is at least {TURN}:"
        f" {done} of 4.",
        {"the rates": 2, "turns are rate × positions / 2π": 1, "the number": 1},
    )


def alike(_):
    return Question(
        "03",
        "Why do slow cosines make all rows of the table alike, and why do slow sines not?",
        "A slow angle stays near 0. Its cosine stays near 1, a part that all rows have in common; its sine stays"
        " near 0 and adds nothing.",
        {"cosine near 1, in all rows": 2, "sine near 0": 1},
    )


def similarity(draw):
    fast, slow = draw.choice([(120, 30), (150, 30), (120, 45)])
    values = [cosine(fast * k) + cosine(slow * k) for k in range(4)]
    rises = [k for k in range(1, 4) if values[k] > values[k - 1]]
    said = ", ".join(f"{value:.2f}" for value in values)
    return Question(
        "04",
        f"Two hands turn by {fast}° and {slow}° a word. Write the dot product of the encodings of two positions as"
        f" a function of their offset k, and compute it for k = 0, 1, 2, 3. Where does it rise, and why can it?",
        f"cos({fast}° k) + cos({slow}° k): {said}. It rises at k = {', '.join(map(str, rises))}: after half a"
        f" turn a cosine comes back up, here by more than the slow one falls.",
        {"the sum of cosines of the offset": 2, "the four values": 2, "the rise and its reason": 1},
    )


def shift(draw):
    rate, k = draw.choice([(30, 2), (30, 3), (45, 2), (60, 2), (15, 4)])
    angle = rate * k
    c, s = cosine(angle), cosine(90 - angle)
    return Question(
        "05",
        f"A hand turns by {rate}° a word. Write the 2 × 2 matrix T({k}) that moves its pair (sin, cos) on by {k}"
        f" words, for row vectors with T on the right, and check it at position 0.",
        f"With {angle}°: [[{c:.2f}, {-s:.2f}], [{s:.2f}, {c:.2f}]]. Position 0 is (0, 1); times T that is the"
        f" second row, ({s:.2f}, {c:.2f}), the sine and cosine of {angle}°.",
        {"the angle": 1, "the matrix": 2, "the check": 1},
    )


def confusion(draw):
    a, b = draw.sample(range(2, 30), 2)
    return Question(
        "06",
        f"By mistake one table serves words and positions. The word with id {a} stands at position {b}. Which"
        f" other word, at which position, has the same sum? Would two random tables help?",
        f"The word with id {b} at position {a}. Yes: then the two sums have different parts.",
        {"word and position": 2, "two tables": 1},
    )


def project(_):
    return Question(
        "07",
        "A picture shows 512-dimensional vectors in two dimensions. Two points lie side by side. What may you say"
        " of the vectors, and what not? What would you look at?",
        "That the two kept directions agree. The vectors may be far apart in all others. Look at the share of the"
        " variance that the picture keeps, and at distances among the vectors themselves.",
        {"the kept directions only": 2, "the share, or the true distances": 1},
    )


def rotation(_):
    return Question(
        "08",
        "A matrix M(m) turns queries and keys at position m, with M(0) = I, so that the score q M(m) (k M(n))ᵀ"
        " depends on n − m alone, for all q and k. Show that M(m) is orthogonal, and that M(m + 1) = M(1) M(m).",
        "M(m) M(n)ᵀ depends on n − m alone. For n = m it is M(0) M(0)ᵀ = I, so M(m) is orthogonal. For n = m + 1 it"
        " is M(0) M(1)ᵀ = M(1)ᵀ, so M(m) M(m + 1)ᵀ = M(1)ᵀ; multiply by M(m + 1) from the right and by M(1)"
        " from the left: M(1) M(m) = M(m + 1).",
        {"from scores to M(m) M(n)ᵀ": 1, "orthogonal": 2, "the step": 2},
    )


def bias(draw):
    head, whole = draw.choice([1, 2, 3]), draw.choice([3, 4, 5])
    slope = float(alibi_slopes(8)[head - 1])
    margin = whole + 0.9
    reach = int(margin / slope)
    k = round((whole - 2) / slope)
    return Question(
        "09",
        f"ALiBi with slope 1/{round(1 / slope)}. Without the bias a matching key scores {margin}, the query's own"
        f" key 0. Up to which offset does the match win? And if a match scores {whole} without the bias and"
        f" stands {k} words back, with only the own key beside it: which weight does it get?",
        f"{margin} divided by the slope is {margin / slope:.1f}: up to {reach}. At {k} it scores"
        f" {whole} − {k} × {slope:g} = 2, and e² / (1 + e²) = {POWERS[2] / (1 + POWERS[2]):.2f}.",
        {"the largest whole offset": 2, "the score with its bias": 1, "the weight": 2},
    )


def longer(draw):
    length = draw.choice([50, 300, 500, 2000])
    rates = angle_rates(8)
    new = [i for i, rate in enumerate(rates) if length * rate < TURN]
    return Question(
        "10",
        f"Hands with rates 1, 0.1, 0.01 and 0.001; trained on texts of {length:,} tokens, read at four times that"
        f" length. Which hands meet new angles? Position interpolation divides all rates by four: what does the"
        f" fastest hand lose?",
        f"Those that don't complete a turn within {length:,}: rate {', '.join(f'{rates[i]:g}' for i in new)}."
        f" Neighbours now lie a quarter of its old angle apart, so near words are told apart less well.",
        {"the hands": 2, "why: an unfinished turn": 1, "what near words lose": 1},
    )


def windows(_):
    return Question(
        "11",
        "A model was trained on short texts. In long ones its loss is as low at the thousandth token as at the"
        " hundredth. Somebody says: so it reads far. Name a test that could show the contrary, and a task on"
        " which hiding far words does harm.",
        "Hide the far words: if the loss stays, they were not read. On recall, where what is asked for stood far"
        " back, hiding it takes the answer away.",
        {"hide far words and compare": 2, "recall, or another task that needs far words": 2},
    )


def config(draw):
    window, context = draw.choice([(40, 2000), (200, 40_000), (400, 9000)])
    counts = [int((span * angle_rates(8) < TURN).sum()) for span in (window, context)]
    return Question(
        "12",
        f"`head_dim` 8, `rope_theta` 10000, `sliding_window` {window}, `max_position_embeddings` {context}; every"
        f" second layer has the window. How many hands don't finish a turn in each kind of layer? Why might one"
        f" keep such hands?",
        f"With the window {counts[0]} of 4, without it {counts[1]} of 4. A hand that hardly moves compares words"
        f" whatever their offset; one that doesn't finish a turn gives every offset an angle of its own.",
        {"turns are rate × span / 2π": 1, "both counts": 2, "one reason": 1},
    )


def cache(draw):
    filling, prompt = draw.choice([(2, 3), (3, 4), (4, 2)])
    return Question(
        "13",
        f"A prompt of {prompt} words stands behind {filling} places of filling. Number the words, and the next one."
        f" A program counts what its cache holds instead: which number does the next word get? Which scores of"
        f" the words that it writes from then on are wrong under rotary, which are right?",
        f"0 to {prompt - 1}, then {prompt}. It gets {filling + prompt}. Wrong: those of new words with the prompt."
        f" Right: those among new words, which are shifted alike, and those within the prompt.",
        {"the numbers": 2, "the wrong number": 1, "which scores, and why": 2},
    )


def grid(draw):
    words, rows, columns = draw.randint(2, 6), draw.randint(2, 4), draw.randint(3, 6)
    last = words + max(rows, columns)
    return Question(
        "14",
        f"M-RoPE: {words} words, a picture of {rows} rows and {columns} columns of patches, a word. Write down"
        f" (time, row, column) of the last word before the picture, of the picture's first and last patch, and of"
        f" the word after it.",
        f"({words - 1}, {words - 1}, {words - 1}); ({words}, {words}, {words}); ({words}, {words + rows - 1},"
        f" {words + columns - 1}); ({last}, {last}, {last}).",
        {"the words before and the first patch": 1, "the last patch": 1, "the word after": 1},
    )


QUESTIONS = (
    *(order, failures, turns, alike, similarity, shift, confusion, project),
    *(rotation, bias, longer, windows, config, cache, grid),
)


def exam(seed):
    """The questions of a variant."""
    draw = random.Random(seed)
    return [make(draw) for make in QUESTIONS]


def on_paper(questions):
    """(the text of the exam, the text of its answers), Markdown."""
    most = sum(question.points for question in questions)
    tables = [
        "cos " + ", ".join(f"{degrees}° = {value:g}" for degrees, value in COSINES.items()),
        ", ".join(f"e^{power} = {value:g}" for power, value in POWERS.items() if power),
    ]
    head = f"# Positional encoding: an exam\n\n90 minutes, {most} points, paper and pencil. 2π = {TURN}; "
    asked = [f"{n}. {q.text} ({q.points} points)" for n, q in enumerate(questions, start=1)]
    told = [
        f"{n}. {q.answer} *{'; '.join(f'{points} for {what}' for what, points in q.rubric.items())}.*"
        f" (notebook {q.notebook})"
        for n, q in enumerate(questions, start=1)
    ]
    return head + "; ".join(tables) + ".\n\n" + "\n".join(asked) + "\n", "# Answers\n\n" + "\n".join(
        told
    ) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", required=True, help="any text: another one gives other numbers")
    parser.add_argument("--out", type=Path, default=Path("dist/exam"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, text in zip(("exam.md", "answers.md"), on_paper(exam(arguments.seed)), strict=True):
        (arguments.out / name).write_text(text, encoding="utf-8")
        print(arguments.out / name)


if __name__ == "__main__":
    main()
