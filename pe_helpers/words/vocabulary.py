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

    `words[id]` is the word of an id and `ids[word]` the id of a word. `word in vocabulary` is False for
    padding and [UNK]; `len(vocabulary)` counts them.

    >>> vocabulary = Vocabulary.from_texts(["the dog", "the king"], order="appearance")
    >>> vocabulary.words, vocabulary.encode("The red dog!", 5).tolist()
    (['', '[UNK]', 'the', 'dog', 'king'], [2, 1, 3, 0, 0])
    """

    def __init__(self, words: Iterable[str]) -> None:
        """Raises ValueError for words that are not distinct strings, and for '' and '[UNK]' among them."""
        words = strings("words", words)
        for word in words:
            if word in (PADDING, UNKNOWN):
                raise ValueError(f"words must be strings other than '' and '[UNK]'; got {word!r}")
        self.words = [PADDING, UNKNOWN, *words]
        self.ids = {word: id for id, word in enumerate(self.words)}
        if len(self.ids) < len(self.words):
            twice, _ = Counter(words).most_common(1)[0]
            raise ValueError(f"words must be distinct; got {twice!r} twice")

    @classmethod
    def from_texts(cls, texts: list[str], size: int | None = None, *, order: str = "frequency") -> Vocabulary:
        """The vocabulary of some texts.

        texts: a list of strings. size: the largest number of entries, padding and [UNK] included.
        order: "frequency", the most frequent word first and ties in reverse alphabetical order, as in Keras's
            TextVectorization; "appearance", in the order of their first appearance.
        Raises ValueError for texts that are not strings, texts without a word, a size below 3 or an
        unknown order.
        """
        texts = strings("texts", texts)
        counts = Counter(word for text in texts for word in words_of(text))
        if not counts:
            raise ValueError(f"texts must hold at least one word; got {texts!r}")
        if one_of("order", order, ("frequency", "appearance")) == "frequency":
            words = sorted(counts, key=lambda word: (counts[word], word), reverse=True)
        else:
            words = list(counts)
        return cls(words if size is None else words[: integer("size", size, 3) - 2])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.ids and word not in (PADDING, UNKNOWN)

    def encode(self, text: str, length: int | None = None) -> np.ndarray:
        """The ids of a text's words, (length,) int64: cut off, or padded with 0, to `length`.

        length: None means as many as there are words. A word that is not in the vocabulary becomes 1.
        Raises ValueError for a length < 0.
        """
        ids = [self.ids.get(word, 1) for word in words_of(text)]
        padded = np.zeros(len(ids) if length is None else integer("length", length, 0), np.int64)  # (length,)
        ids = ids[: len(padded)]
        padded[: len(ids)] = ids
        return padded
