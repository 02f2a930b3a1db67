"""Words that a short form may be made from: those whose letters hold it in order.

Words in the order in which they are to be tried come in; indexed by first letter and by the letters
they hold, so that one look leaves a few of thousands.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

FIRST = ord("a")
MAX_TRIED = 120
MAX_FOUND = 18


class WordIndex:
    """Lower-case words of letters a to z by the letters they hold."""

    def __init__(self, words: Sequence[str]) -> None:
        letters: dict[str, list[str]] = {}
        for word in words:
            letters.setdefault(word[0], []).append(word)
        self._words = letters
        self._held = {letter: _letters_held(found) for letter, found in letters.items()}

    def holding(self, short: str) -> list[str]:
        """Return the words that are longer, begin alike and hold the letters of `short` in order.

        The first ones in the order given, at most MAX_FOUND.
        """
        return list(islice(self._holding(short), MAX_FOUND))

    def _holding(self, short: str) -> Iterator[str]:
        words = self._words.get(short[0])
        if words is None:
            return
        asked = _mask(short)
        held = self._held[short[0]]
        for place in np.flatnonzero((held & asked) == asked)[:MAX_TRIED].tolist():
            word = words[place]
            if len(word) > len(short) and holds_in_order(word, short):
                yield word


def holds_in_order(word: str, short: str) -> bool:
    """Whether the letters of `short` stand in `word` in this order."""
    place = 0
    for letter in short:
        place = word.find(letter, place) + 1
        if not place:
            return False
    return True


def _mask(text: str) -> int:
    mask = 0
    for letter in text:
        mask |= 1 << (ord(letter) - FIRST)
    return mask


def _letters_held(words: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    characters = np.array(words, dtype="S").view(np.uint8).reshape(len(words), -1)
    bits = np.where(characters >= FIRST, 1 << (characters.astype(np.int64) - FIRST).clip(0), 0)
    held: np.ndarray[tuple[int], np.dtype[np.int64]] = np.bitwise_or.reduce(bits, axis=1)
    return held
