"""Text to whole numbers: the ids that index an embedding layer."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable

import numpy as np

from .._arguments import integer, one_of, strings

PADDING, UNKNOWN = "", "[UNK]"


def words_of(text: str) -> list[str]:
    """The words of a text: in lower case, split at white space.

    Punctuation and invisible characters (Unicode's categories P and Cf) at both ends of a word are removed.

    >>> words_of("The king’s (red) dog …")
    ['the', 'king’s', 'red', 'dog']
    """
    parts = unicodedata.normalize("NFC", text).lower().split()
    stripped = [part.strip("".join(filter(_is_punctuation, set(part)))) for part in parts]
    return [word for word in stripped if word]


def _is_punctuation(character: str) -> bool:
    category = unicodedata.category(character)
    return category == "Cf" or category[0] == "P"


class Vocabulary:
    """Words and their ids: 0 is padding, 1 stands for every unknown word, the rest follow in order.

    `words[id]` is the word of an id and `ids[word]` the id of a word.

    >>> vocabulary = Vocabulary.from_texts(["the dog", "the king"], order="appearance")
    >>> vocabulary.words, vocabulary.encode("The red dog!", 5).tolist()
    (['', '[UNK]', 'the', 'dog', 'king'], [2, 1, 3, 0, 0])
    """

    def __init__(self, words: Iterable[str]) -> None:
        """words: distinct strings, other than '' and '[UNK]'. Raises ValueError for one that is not."""
        self.words = [PADDING, UNKNOWN, *strings("words", words)]
        self.ids = {word: id for id, word in enumerate(self.words)}
        if len(self.ids) < len(self.words):
            twice, _ = Counter(self.words).most_common(1)[0]
            raise ValueError(f"words must be distinct, and other than '' and '[UNK]'; got {twice!r} twice")

    @classmethod
    def from_texts(cls, texts: list[str], size: int | None = None, *, order: str = "frequency") -> Vocabulary:
        """The vocabulary of some texts.

        texts: a list of strings. size: the largest number of entries, padding and [UNK] included.
        order: "frequency", the most frequent word first and ties in reverse alphabetical order, as in Keras's
            TextVectorization; "appearance", in the order of their first appearance.
        Raises ValueError for a single string, a size below 3 and an unknown order.
        """
        counts = Counter(word for text in strings("texts", texts) for word in words_of(text))
        words = list(counts)
        if one_of("order", order, ("frequency", "appearance")) == "frequency":
            words.sort(key=lambda word: (counts[word], word), reverse=True)
        return cls(words if size is None else words[: integer("size", size, 3) - 2])

    def encode(self, text: str, length: int | None = None) -> np.ndarray:
        """The ids of a text's words, (length,) int64: cut off, or padded with 0, to `length`.

        length: None means as many as there are words. A word that is not in the vocabulary becomes 1.
        Raises ValueError for a length < 0.
        """
        ids = [self.ids.get(word, 1) for word in words_of(text)]
        if length is not None:
            ids = (ids + [0] * integer("length", length, 0))[:length]
        return np.array(ids, np.int64)
