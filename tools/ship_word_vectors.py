"""The word vectors that ship with the course: write them from a text of GloVe's, or compare them with one.

    python -m tools.ship_word_vectors glove.6B.100d.txt            which of the shipped rows differ there?
    python -m tools.ship_word_vectors some_rows.txt --write        ship all rows of this text instead

The text may be plain, .gz, or .zip with one file. Nothing is written before all of it was read.
"""

import argparse
from pathlib import Path

import numpy as np

from pe_helpers.words import WordVectors
from pe_helpers.words.word_vectors import SHIPPED, read_folder, read_text


def differing(shipped: WordVectors, other: WordVectors) -> list[str]:
    """A line for each shipped word that has no row or other numbers in `other`."""
    lines = []
    for word, vector in zip(shipped.words, shipped.vectors, strict=True):
        if word not in other:
            lines.append(f"{word}: no row")
        elif other.d != shipped.d:
            lines.append(f"{word}: {other.d} numbers instead of {shipped.d}")
        elif not np.array_equal(other[word], vector):
            at = np.flatnonzero(other[word] != vector)
            lines.append(f"{word}: {len(at)} numbers, first number {at[0] + 1}: {other[word][at[0]]}")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Write or compare; the exit status is 1 if a row differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("text", type=Path, help="a text in GloVe's or word2vec's form")
    parser.add_argument("--write", action="store_true", help="ship its rows instead of those that ship now")
    parser.add_argument("--folder", type=Path, default=SHIPPED, help="where the shipped files are")
    options = parser.parse_args(arguments)

    other = read_text(options.text, str(options.text))
    if options.write:
        options.folder.mkdir(exist_ok=True)
        (options.folder / "words.txt").write_text("\n".join([*other.words, ""]), "utf-8", newline="\n")
        np.save(options.folder / "vectors.npy", other.vectors)
        print(f"{len(other):,} words × {other.d} from {options.text} in {options.folder}")
        return 0
    shipped = read_folder(options.folder, "shipped")
    lines = differing(shipped, other)
    for line in lines:
        print(line)
    print(f"{len(lines):,} of the {len(shipped):,} shipped rows differ from {options.text}")
    return int(bool(lines))


if __name__ == "__main__":
    raise SystemExit(main())
