"""Make the corpus of the small language models: Python's documentation, as ids.

    apt-get download python3.11-doc
    python -m tools.build_language_corpus python3.11-doc_*.deb

The package is Debian's; it is unpacked with dpkg-deb, not installed. A folder in which it was unpacked, or /
where it is installed, does as well. Whole pages are held out, drawn with a fixed seed, so that no page is
both trained on and tested with. The tokenizer learns from the others. In data/language_models/ it stores the
tokenizer, the ids of the held-out text and their notice; in build/language_models/ the ids to train on.
"""

import argparse
import json
import random
import re
import subprocess
import tempfile
import textwrap
from pathlib import Path

import numpy as np
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from pe_helpers.words import BytePairs

ROOT = Path(__file__).resolve().parent.parent
OUT, BUILD = ROOT / "data" / "language_models", ROOT / "build" / "language_models"
TOKENS, HELD_OUT, SEED = 1024, 200_000, 0  # ids, bytes of text
SMALLEST = 2_000  # bytes of a page; a stub teaches nothing
LARGEST = 40_000  # of one that is held out, so that there are several
NOTICE = """The held-out text in held_out.npy is part of the documentation of Python 3.11, as Debian's package
python3.11-doc has it, and the weights and the tokenizer were trained on the rest of it.

Copyright (c) 2001-2023 Python Software Foundation; All Rights Reserved

What was changed: whole pages were drawn from the sources of the documentation, joined, and cut into the ids
of a byte-pair encoding; these pages were held out:
{names}

Below is the licence, as that package gives it.

{licence}"""


def pages(folder):
    """{name: text} of the sources of the documentation; symbolic links lead to most of them twice."""
    files = {file.resolve() for file in folder.glob("usr/share/doc/python3.11*/html/_sources/**/*.rst.txt")}
    if not files:
        raise SystemExit(f"{folder} holds no usr/share/doc/python3.11/html/_sources")
    texts = {file.as_posix().partition("/_sources/")[2]: file.read_text("utf-8") for file in files}
    return {name: text for name, text in sorted(texts.items()) if len(text.encode()) > SMALLEST}


def split(texts):
    """The names to train on and those that are held out."""
    drawn = [name for name, text in texts.items() if len(text.encode()) < LARGEST]
    random.Random(SEED).shuffle(drawn)
    held_out, size = [], 0
    while size < HELD_OUT:
        held_out.append(drawn.pop())
        size += len(texts[held_out[-1]].encode())
    return [name for name in texts if name not in held_out], held_out


def learned(texts):
    """The byte pairs of some texts, learned by the library `tokenizers`."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = cuts()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=TOKENS, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return BytePairs(as_ids(json.loads(tokenizer.to_str())["model"]["merges"]))


def cuts():
    """What cuts a text into words and bytes in the library, as `BytePairs` does."""
    words = pre_tokenizers.Split(Regex(BytePairs.CUTS), "isolated")
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([words, to_bytes])


def letters():
    """The letter that stands for each byte in the library's form: itself where it can be printed."""
    printed = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in printed else next(others)) for byte in range(256)]


def as_ids(merges):
    """The library's merges of pieces, written with `letters`, as pairs of ids."""
    id_of = {letter: byte for byte, letter in enumerate(letters())}
    for number, (left, right) in enumerate(merges):
        yield id_of[left], id_of[right]
        id_of[left + right] = 256 + number


def notice(folder, held_out):
    """The text that ships with what was made of the documentation."""
    (file,) = {file.resolve() for file in folder.glob("usr/share/doc/python3.11-doc/copyright")}
    start, end = "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2\n", "BEOPEN.COM LICENSE AGREEMENT"
    licence = re.search(f"{start}.*?(?=\\s+{end})", file.read_text("utf-8"), re.S)
    names = textwrap.fill(", ".join(held_out) + ".", 110)
    return NOTICE.format(names=names, licence=licence[0] + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("package", type=Path, help="the .deb, or a folder in which it was unpacked")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as unpacked:
        folder = arguments.package
        if folder.is_file():
            subprocess.run(["dpkg-deb", "-x", folder, unpacked], check=True)
            folder = Path(unpacked)
        texts = pages(folder)
        trained, held_out = split(texts)
        text = notice(folder, held_out)
    tokens = learned([texts[name] for name in trained])
    for place in (OUT, BUILD):
        place.mkdir(parents=True, exist_ok=True)
    for file, names in (BUILD / "train.npy", trained), (OUT / "held_out.npy", held_out):
        ids = tokens.encode("\n\n".join(texts[name] for name in names))
        np.save(file, np.array(ids, np.uint16))
        size = sum(len(texts[name].encode()) for name in names)
        print(f"{file}: {len(names)} pages, {size:,} bytes, {len(ids):,} ids")
    (OUT / "tokenizer.json").write_text(json.dumps({"merges": tokens.merges}) + "\n")
    (OUT / "NOTICE.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
