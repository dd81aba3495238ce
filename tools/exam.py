"""Write an exam in variants, a question for each notebook, and apart from each its answers with what earns the points.

    python -m tools.exam --seed 7 --out dist/exam  # exam-1.md and answers-1.md, then 2 and 3

The seed shuffles the cases of each question, and each variant takes the next: no two of three variants ask the
same. Give them to the rows of the hall in turn. Choose a seed that nobody knows, and keep the answers: whoever
has this file and the seed has them. Paper and pencil, 100 minutes, 60 points; no question needs a logarithm.
"""
# ruff: noqa: E501  # sentences

import argparse
import itertools
import random
import re
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


def listed(words, last="and"):
    """The words as a list in a sentence."""
    *first, end = map(str, words)
    return f"{', '.join(first)} {last} {end}" if first else end


ORDERS = [
    ("gets a sentence backwards", "row i of n becomes row n − 1 − i"),
    (
        "gets a sentence whose first word has moved to its end",
        "row 0 becomes the last, all others move up by one",
    ),
    ("gets a sentence in which two words have traded places", "their two rows trade places"),
]


def order(change, rows):
    return Question(
        "00",
        f"Attention without a mask and without positions {change}. What happens to the output of each word? Prove"
        f" it in three lines.",
        f"Each word keeps its output: {rows}. An output is a mean of the values, with weights from the word's query"
        f" and all keys. Neither its query nor the set of pairs (key, value) has changed. Or with a permutation P:"
        f" softmax(P S Pᵀ) P V = P softmax(S) Pᵀ P V = P softmax(S) V, as the softmax of a permuted row is the"
        f" permuted softmax.",
        {
            "outputs that move with their words and do not change, 1 if only named": 2,
            "weights that depend on a query and a set, or P": 2,
        },
    )


IDEAS = {
    "the position p, added to every number of the word": (
        "p grows and drowns the word",
        "sines and cosines are bounded",
    ),
    "p divided by the length of the text": (
        "in a text of another length a step is another number",
        "the rates are fixed",
    ),
    "one clock hand that turns by 30° a word": ("it repeats after 12 words", "slower hands stand beside it"),
    "one clock hand that turns by 1° a word": ("neighbours blur", "faster hands stand beside it"),
    "the binary digits of p": (
        "steps are unequal: one digit flips from 6 to 7, four from 7 to 8",
        "with its cosine beside each sine every step is the same turn; smooth waves alone: half",
    ),
    "a random vector for each position": (
        "neighbours are no more alike than others",
        "most hands hardly move from one position to the next",
    ),
}
GROWS, SHARE, FAST, SLOW, DIGITS, RANDOM = IDEAS
FAILURES = [(GROWS, SLOW, DIGITS), (GROWS, FAST, RANDOM), (SHARE, SLOW, RANDOM), (SHARE, FAST, DIGITS)]


def failures(*ideas):
    return Question(
        "01",
        f"Three encodings, for texts of up to 200 words: {'; '.join(ideas)}. What is wrong with each? Which part of"
        f" the sinusoidal formula mends it?",
        f"For example, in this order: {'; '.join(f'{wrong} (mended: {mend})' for wrong, mend in map(IDEAS.get, ideas))}."
        f" Another true failure counts, with a part that mends it.",
        {"three failures, 1 for two, half for one": 2, "three answers, 1 for two, half for one": 2},
    )


TURNS = [(81, 100), (256, 50), (625, 500), (1296, 100), (4096, 30)]


def turns(base, length):
    rates = angle_rates(8, base=base)
    done = int((length * rates >= TURN).sum())
    said = listed([1, *(f"1/{round(1 / rate)}" for rate in rates[1:])])
    return Question(
        "02",
        f"`d_model` is 8 and the base {base:,}. Write down the rates of the hands. How many of them complete a turn"
        f" within {length} positions?",
        f"Rates {said}. A hand completes a turn if its rate times {length} is at least {TURN}: {done} of 4.",
        {"the rates": 1, "rate × positions against 2π": 1, "the number": 1},
    )


ALIKE = [
    (
        "Take the dot product of any two of its rows. What does the cosine of such a hand add to it, what does the"
        " sine, and why? What does this do to the cosine of two rows?",
        "The cosine adds nearly 1 to the product of any two rows, the sine nearly 0. So the cosine of any two rows is"
        " higher.",
        "a higher cosine of any two rows",
    ),
    (
        "Take the mean of all its rows. What stands there for the cosine of such a hand, what for the sine, and why?"
        " What does adding these therefore do to the cosine of unlike words?",
        "In the mean the cosine is nearly 1, the sine nearly 0. So all words get nearly the same 1 added, and their"
        " cosine rises.",
        "a higher cosine of unlike words",
    ),
    (
        "Follow the two columns of such a hand from top to bottom. What does the cosine do, what does the sine, and"
        " why? Which of them makes the dot product of any two rows larger, and by how much?",
        "From top to bottom the cosine is nearly 1, the sine nearly 0, climbing slowly. The cosine makes the product"
        " larger, by nearly 1.",
        "the cosine, by nearly 1",
    ),
]


def alike(asked, told, effect):
    return Question(
        "03",
        f"Some hands of a sinusoidal table hardly turn within the text. {asked}",
        f"The angle of such a hand stays near 0. {told}",
        {"cosine near 1 and sine near 0": 1, "the reason, an angle near 0": 1, effect: 1},
    )


SIMILARITIES = [
    *[(90, 30), (90, 45), (90, 60), (120, 30), (120, 45), (120, 60)],
    *[(135, 60), (150, 30), (150, 45), (150, 60)],
]


def similarity(fast, slow):
    values = [cosine(fast * k) + cosine(slow * k) for k in range(4)]
    (top,) = [k for k in range(1, 4) if values[k] > values[k - 1]]
    said = ", ".join(f"{value:.2f}" for value in values)
    return Question(
        "04",
        f"Two hands turn by {fast}° and {slow}° a word. Write the dot product of the encodings of two positions as"
        f" a function of their offset k, and compute it for k = 0, 1, 2, 3. From which of these k to the next does it"
        f" rise, and why can it, though the positions move apart?",
        f"cos({fast}° k) + cos({slow}° k): {said}. It rises from k = {top - 1} to {top}: after half a turn a cosine"
        f" comes back up, here by more than the slow one falls.",
        {"the sum of cosines of the offset": 2, "the four values": 2, "the rise and its reason": 1},
    )


SHIFTS = [(60, 2), (45, 3), (30, 5), (70, 3), (80, 3)]


def shift(rate, k):
    angle = rate * k
    c, s = cosine(angle), cosine(90 - angle)
    return Question(
        "05",
        f"A hand turns by {rate}° a word. Write the 2 × 2 matrix T({k}) that moves its pair (sin, cos) on by {k}"
        f" words, for row vectors with T on the right. Check it on the hand at 0° and on the hand at 90°.",
        f"With {angle}°: [[{c:.2f}, {-s:.2f}], [{s:.2f}, {c:.2f}]]. At 0° the pair is (0, 1); times T that is the"
        f" second row, ({s:.2f}, {c:.2f}), the sine and cosine of {angle}°. At 90° it is (1, 0); times T the first"
        f" row, ({c:.2f}, {-s:.2f}), the sine and cosine of {90 + angle}°.",
        {"the angle": 1, "the matrix, 1 if transposed": 2, "both checks": 1},
    )


CONFUSIONS = [(a, b) for a, b in itertools.permutations(range(2, 30), 2) if abs(a - b) > 1]


def confusion(a, b):
    return Question(
        "06",
        f"By mistake one table serves words and positions. The word with id {a} stands at position {b}. Which"
        f" other word, at which position, has the same sum? Would two random tables help, and why?",
        f"The word with id {b} at position {a}. Yes: then the two sums have no row in common, and random rows give"
        f" equal sums only by chance, with probability 0.",
        {"word and position": 2, "two tables": 1},
    )


PROJECTIONS = [
    (512, "Two dots lie side by side", "two vectors agree", "far apart"),
    (300, "The dots of nouns and those of verbs lie mixed", "nouns and verbs are mixed", "well apart"),
    (
        768,
        "The dot nearest to that of *dog* is that of *tea*",
        "*tea* is nearest to *dog*",
        "far apart",
    ),
]


def project(width, seen, kept, hidden):
    return Question(
        "07",
        f"A PCA picture shows {width}-dimensional vectors in two dimensions. {seen}. What may you say of the vectors,"
        f" and what not? What would you look at?",
        f"That {kept} in the two directions shown. In the other {width - 2} they may lie {hidden}. Look at"
        f" distances among the vectors themselves, at another plane, or at the share of"
        f" the variance that the picture keeps.",
        {
            "what holds in the two directions, or that dots are no farther apart than their vectors": 1,
            "what may be otherwise in all the others": 1,
            "true distances, another plane, a rule on all dimensions, or the share": 1,
        },
    )


ROTATIONS = [("1", "m", "m + 1"), ("m", "1", "m + 1"), ("m", "m", "2m")]


def rotation(a, b, total):
    return Question(
        "08",
        f"For each position m let M(m) be a square matrix, with M(0) = I. Query and key are multiplied by it, and the"
        f" score q M(m) (k M(n))ᵀ depends on n − m alone, for all q and k. Show that M(m) M(m)ᵀ = I, and that"
        f" M({total}) = M({a}) M({b}). (Do not assume that M(m) is a rotation.)",
        f"As it holds for all q and k, M(m) M(n)ᵀ depends on n − m alone. At (m, m) and (0, 0) the offset is 0:"
        f" M(m) M(m)ᵀ = M(0) M(0)ᵀ = I. M(m) is square, so M(m)ᵀ M(m) = I, too. At ({total}, {b}) and ({a}, 0) it is"
        f" −{a}: M({total}) M({b})ᵀ = M({a}) M(0)ᵀ = M({a}). Multiply by M({b}) from the right.",
        {
            "the step from scores to M(m) M(n)ᵀ": 1,
            "M(m) M(m)ᵀ = I": 1,
            "a pair of offsets that are equal": 1,
            "cancelling M by M Mᵀ = I or MᵀM = I, in the order that is asked for": 1,
        },
    )


BIASES = [
    (head, whole, score)
    for head, whole, score in itertools.product((1, 2, 3), (3, 4, 5), (-2, -1, 1, 2, 3))
    if score < whole
]


def bias(head, whole, score):
    slope = float(alibi_slopes(8)[head - 1])
    margin = whole + 0.9
    k = round((whole - score) / slope)
    biased = whole - k * slope
    weight = POWERS[int(biased)] / (1 + POWERS[int(biased)])
    return Question(
        "09",
        f"ALiBi with slope 1/{round(1 / slope)}. Without the bias a matching key scores {margin}, and the query's own"
        f" key 0. Up to which offset does the match have a higher score than the own key? Now a match scores {whole}"
        f" without the bias and stands {k} words back, and besides it there is only the own key, with 0. Which weight"
        f" does the match get?",
        f"{margin} divided by the slope is {margin / slope:.1f}: up to {int(margin / slope)}. At {k} it scores"
        f" {whole} − {k} × {slope:g} = {biased:g}, and e^{biased:g} / (1 + e^{biased:g}) = {weight:.2f}.",
        {"the largest whole offset": 2, "the score with its bias": 1, "the weight": 2},
    )


LONGER = [
    *[((0.5, 0.1, 0.02, 0.004), length, 4) for length in (30, 200, 1000)],
    *[((0.6, 0.06, 0.006, 0.0006), length, 8) for length in (50, 600, 6000)],
    *[((0.8, 0.2, 0.05, 0.0125), length, 5) for length in (20, 80, 300)],
]


def longer(rates, length, times):
    new = [f"{rate:g}" for rate in rates if length * rate < TURN]
    return Question(
        "10",
        f"A rotary model whose tokens look back only has hands with rates {listed(f'{rate:g}' for rate in rates)}. It was trained on texts of"
        f" {length} tokens, and reads texts {times} times as long. Which hands come to a part of the circle where they"
        f" never were, and why only these? Position interpolation divides all rates by {times}. What do"
        f" near words lose by it?",
        f"Those that don't complete a turn within {length} tokens: {listed(new)}. The others have been all round."
        f" Neighbours now lie 1/{times} of the old angle apart, so near words are told apart less well; a head that"
        f" looked one word back now finds its angle {times} words back.",
        {
            "the hands, 1 if one is missing or too many, 0 for none": 2,
            "the reason, an unfinished turn": 1,
            "what near words lose": 1,
        },
    )


FAR = [
    (
        "A model was trained on short texts. In long ones its loss is as low at the thousandth token as at the"
        " hundredth. Somebody says: so it reads far. Name an experiment on these same texts that could show the"
        " contrary, and a task on which the model must fail if it does not read far. Say why.",
        "Hide the far words: if the loss stays, it did not need them. Recall: what is asked for stood far back.",
        {"hide far words and compare": 2, "recall, or another task that needs far words, and why": 2},
    ),
    (
        "A model's loss in long texts is the same, whether each token sees all keys or the nearest 32 only. Somebody"
        " says: then no far word is useful. For which model and texts is this shown, and what stays open? Name a task"
        " on which the same cut does harm, and say why.",
        "It is shown for this model on these texts, on average; another model or other texts may need far words, and"
        " some of them may still come through nearer ones, layer by layer."
        " Recall: the cut hides what is asked for if it stood more than 32 back.",
        {"this model on these texts only": 2, "recall, or another task that needs far words, and why": 2},
    ),
    (
        "A rotary model was trained to recall: a name comes again, and it says the value that stood beside it. In"
        " texts longer than those of training it fails. Somebody advises to let each token see the nearest keys only,"
        " as many as in training. What does this do to far names, and why? Name a task on which the same advice helps,"
        " and why.",
        "A name farther back is hidden, so the model can only guess. The near rule, a loss on text, or recall of near"
        " names: what is needed stands near, and far keys, at angles that nobody trained, do the harm.",
        {
            "that it hides what is asked for": 2,
            "the near rule, or another task that needs near words only, and why": 2,
        },
    ),
]


def windows(asked, told, rubric):
    return Question("11", asked, told, rubric)


CONFIGS = [
    *[(8, 10_000, 40, 2000), (8, 10_000, 400, 2000), (8, 10_000, 40, 400)],
    *[(12, 1_000_000, 40, 4000), (12, 1_000_000, 400, 40_000), (12, 1_000_000, 40, 40_000)],
]


def config(width, base, window, context):
    rates = angle_rates(width, base=base)
    counts = [int((span * rates < TURN).sum()) for span in (window, context)]
    return Question(
        "12",
        f"`head_dim` {width}, `rope_theta` {base}, `sliding_window` {window}, `max_position_embeddings` {context};"
        f" every second layer has the window, and all have the same base. How many hands don't finish a turn within"
        f" the span of each kind of layer? Why might one keep such hands?",
        f"With the window {counts[0]} of {width // 2}, without it {counts[1]} of {width // 2}. A hand that hardly moves"
        f" compares words whatever their offset; one that doesn't finish a turn gives every offset an angle of its"
        f" own; or there is room for longer texts, after more training.",
        {"the rates, and turns as rate × span / 2π": 1, "both counts": 2, "one reason": 1},
    )


CACHES = [(filling, prompt) for filling, prompt in itertools.permutations(range(2, 6), 2)]


def cache(filling, prompt):
    return Question(
        "13",
        f"A prompt of {prompt} words stands behind {filling} places of filling. Number its words, and the next word. A"
        f" program numbers the prompt right, but gives each word that it writes the number of places that the cache"
        f" held before it, filling included. Which number does the first one get? Under rotary, which of the new"
        f" words' scores in the first layer are wrong, which right, and why?",
        f"{', '.join(map(str, range(prompt)))}, then {prompt}. It gets {filling + prompt}. Wrong: those with the prompt,"
        f" at offsets {filling} too large. Right: those with new words, which are shifted alike.",
        {"the numbers": 1, "the wrong number": 1, "which scores, and why": 2},
    )


GRIDS = [
    (words, rows, columns)
    for words, rows, columns in itertools.permutations(range(2, 7), 3)
    if (words, rows, columns) != (3, 2, 4)  # the notebook's own
]


def grid(words, rows, columns):
    last = words + max(rows, columns)
    return Question(
        "14",
        f"M-RoPE, a token a patch, and within a picture time stands still: {words} words, a picture of"
        f" {rows} rows and {columns} columns of patches, a word. Write down (time, row, column) of the last word before"
        f" the picture, of the picture's first and last patch, and of the word after it.",
        f"({words - 1}, {words - 1}, {words - 1}); ({words}, {words}, {words}); ({words}, {words + rows - 1},"
        f" {words + columns - 1}); ({last}, {last}, {last}).",
        {"the word before and the first patch": 1, "the last patch": 1, "the word after": 1},
    )


INSIDE = [
    (
        256,
        "Somebody shuffles a text and takes the mean loss of all its tokens. What does this measure besides the loss"
        " of order?",
        "The model also has to guess shuffled words, which nobody can.",
        "shuffled words cannot be guessed",
    ),
    (
        512,
        "Somebody shuffles all but the last eight tokens of a text, and the loss of the next token hardly rises. What"
        " does this say of the order of far words, and what does it not say of far words?",
        "Their order hardly matters to this model. The words may: they are all still there.",
        "their order, not the words",
    ),
    (
        384,
        "Shuffling what it reads costs the model without positions least. Somebody says: so it is the best of the"
        " five. What does such a cost say, and what does it not say?",
        "How much a model relies on the order, not how good it is: for that compare losses on the text as it is.",
        "reliance on order, not quality",
    ),
]


def inside(begin, asked, told, mark):
    return Question(
        "15",
        f"Five models were trained on texts of 128 tokens: with a learned table, with sinusoids, with rotary, with"
        f" ALiBi, and with no positions. A text of 32 tokens now begins at position {begin}. Which of them notice, and"
        f" why not the others? {asked}",
        f"Learned: the table has no such rows, or none that were trained. Sinusoidal: no layer was trained on these rows. Rotary and ALiBi see"
        f" offsets only, and the last has no positions. {told}",
        {"the two that notice, and only these": 1, "why not the others": 1, mark: 1},
    )


POOLS = {
    **{order: ORDERS, failures: FAILURES, turns: TURNS, alike: ALIKE},
    **{similarity: SIMILARITIES, shift: SHIFTS, confusion: CONFUSIONS, project: PROJECTIONS},
    **{rotation: ROTATIONS, bias: BIASES, longer: LONGER, windows: FAR},
    **{config: CONFIGS, cache: CACHES, grid: GRIDS, inside: INSIDE},
}


def exam(seed, variant=1):
    """The questions of a variant; two in a row have none in common."""
    draw = random.Random(seed)
    shuffled = [(make, draw.sample(pool, len(pool))) for make, pool in POOLS.items()]
    return [make(*pool[(variant - 1) % len(pool)]) for make, pool in shuffled]


def on_paper(questions):
    """(the text of the exam, the text of its answers), Markdown."""
    most = sum(question.points for question in questions)
    sheet = [
        f"2π = {TURN}",
        "cos " + ", ".join(f"{degrees}° = {value:g}" for degrees, value in COSINES.items()),
        "sin a = cos(90° − a)",
        "cos(−a) = cos(360° − a) = cos a",
        ", ".join(f"e^{power} = {value:g}" for power, value in POWERS.items() if power),
    ]
    head = (
        f"# Positional encoding: an exam\n\n100 minutes, {most} points, paper and pencil. Positions count from 0. Except in"
        f" 7, 14 and 15, a number without its reason earns half.\n\n{'; '.join(sheet)}.\n\n"
    )
    asked = [f"{n}. {q.text} ({q.points} points)" for n, q in enumerate(questions, start=1)]
    told = [
        f"{n}. {q.answer} *{'; '.join(f'{points} for {what}' for what, points in q.rubric.items())}.*"
        f" (notebook {q.notebook})"
        for n, q in enumerate(questions, start=1)
    ]
    rule = (
        "Half points exist. A line for several things is split evenly among them, rounded up to half a point. A wrong"
        " number that is carried on rightly costs its own line only. Where the reason has a line of its own, the number"
        " keeps its whole line. What is right in other words, or by another way,"
        " is right."
    )
    texts = head + "\n".join(asked) + "\n", f"# Answers\n\n{rule}\n\n" + "\n".join(told) + "\n"
    return tuple(re.sub(r"-(?=\d)", "−", text) for text in texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", required=True, help="any text: another one gives other numbers")
    parser.add_argument("--variants", type=int, default=3, help="how many (default: 3)")
    parser.add_argument("--out", type=Path, default=Path("dist/exam"))
    arguments = parser.parse_args()
    if arguments.variants < 1:
        parser.error(f"--variants is {arguments.variants}, it must be 1 or more")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for variant in range(1, arguments.variants + 1):
        for name, text in zip(("exam", "answers"), on_paper(exam(arguments.seed, variant)), strict=True):
            path = arguments.out / f"{name}-{variant}.md"
            path.write_text(text, encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main()
