"""Byte-pair encoding: any text as ids of frequent pieces, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

from .._arguments import ArrayLike, as_numpy, integer


class BytePairs:
    """The tokenizer of small language models: the ids 0 … 255 are the bytes, 256 + i is the i-th merge.

    A text is first cut into words, each with the space before it, numbers, signs and white space, and no
    piece crosses such a cut. Then the earliest merge that applies is applied, again and again. Every text has
    ids, and `decode` gives it back. `pieces` holds the bytes of every id.
    Source: Sennrich, Haddow and Birch (2016), https://arxiv.org/abs/1508.07909, section 3.2; on bytes as in
    GPT-2.

    >>> tokens = BytePairs([(97, 98), (256, 99)])
    >>> tokens.encode("abcab"), len(tokens)
    ([257, 256], 258)
    >>> tokens.decode([257, 256])
    'abcab'
    """

    CUTS = r" ?[A-Za-z]+| ?[0-9]+| ?[^ \nA-Za-z0-9]+|[ \n]+(?![^ \n])|[ \n]+"

    def __init__(self, merges: Iterable[tuple[int, int]]) -> None:
        """merges: the two ids that each merge joins, in the order in which they were learned.

        Raises IndexError for a merge of ids that are not there yet.
        """
        self.merges = [(int(left), int(right)) for left, right in merges]
        self.pieces = [bytes([byte]) for byte in range(256)]
        for left, right in self.merges:
            self.pieces.append(self.pieces[left] + self.pieces[right])
        self._ids = {merge: 256 + number for number, merge in enumerate(self.merges)}
        self._of_word = cache(self._merged)

    def __len__(self) -> int:
        return len(self.pieces)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""
        return [id for word in re.findall(self.CUTS, text) for id in self._of_word(word)]

    def decode(self, ids: ArrayLike) -> str:
        """Return the text of ids, a list, an array or a tensor; bytes that are no UTF-8 become "�".

        Raises ValueError for an id that is not an integer ≥ 0, IndexError for one that is too large.
        """
        numbers = [integer("ids", id, 0) for id in as_numpy(ids).ravel().tolist()]
        return b"".join(self.pieces[number] for number in numbers).decode(errors="replace")

    def _merged(self, word: str) -> list[int]:
        ids = list(word.encode())
        while len(ids) > 1:
            best = min(pairwise(ids), key=lambda pair: self._ids.get(pair, len(self)))
            if best not in self._ids:
                break
            joined, start = [], 0
            while start < len(ids):
                is_best = tuple(ids[start : start + 2]) == best
                joined.append(self._ids[best] if is_best else ids[start])
                start += 1 + is_best
            ids = joined
        return ids
