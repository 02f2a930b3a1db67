"""The versions of all tables as one field sees them: lengths, and how often each asked term stands.

Texts come in one version after the other and are let go of at once; what is kept of a version is
its length in tokens and its asked terms. Versions are numbered in the order they come in.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from polaris_search.text.analysis import REMEMBERED_TOKENS, chain_named
from trainer.ranking.clauses import IntArray

BLOCK_TOKENS = 4_000_000
"""Tokens that are held before they are counted: about 150 MB for a moment."""

REMEMBERED_TEXTS = 4_096
"""Texts whose terms are remembered: a table's names recur in each of its versions."""

_SHIFT = 32
NOT_ASKED = -1


@dataclass(frozen=True, slots=True)
class Readings:
    """What a field holds of each version.

    Attributes:
        lengths: tokens of each version. Shape (versions,).
        keys: version << 32 | term of each asked term that stands in a version, ascending.
        frequencies: how often it stands there. Shape as `keys`.
    """

    lengths: IntArray
    keys: IntArray
    frequencies: IntArray

    @property
    def versions(self) -> IntArray:
        """The version of each key."""
        return self.keys >> _SHIFT

    @property
    def terms(self) -> IntArray:
        """The term of each key."""
        return self.keys & 0xFFFFFFFF

    def frequency(self, versions: IntArray, terms: IntArray) -> IntArray:
        """Return how often each term stands in the version beside it, 0 for not at all."""
        if not len(self.keys):
            return np.zeros(len(versions), dtype=np.int64)
        wanted = (versions << _SHIFT) | terms
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        found: IntArray = np.where(self.keys[places] == wanted, self.frequencies[places], 0)
        return found


class Reader:
    """Reads the versions of one field, one after the other.

    Args:
        analyzer: the field's.
        vocabulary: the numbers of the asked terms.
    """

    def __init__(self, analyzer: str, vocabulary: Mapping[str, int]) -> None:
        self._chain = chain_named(analyzer)
        self._numbers = _TokenNumbers(self._chain.remembered, vocabulary)
        self._texts: dict[str, list[int]] = {}
        self._buffer = array("i")
        self._lengths = array("i")
        self._counted = 0
        self._blocks: list[tuple[IntArray, IntArray]] = []

    def add(self, texts: Sequence[str]) -> None:
        """Take the next version's texts of this field."""
        length = 0
        for text in texts:
            numbers = self._numbers_of(text)
            length += len(numbers)
            self._buffer.extend(numbers)
        self._lengths.append(length)
        if len(self._buffer) > BLOCK_TOKENS:
            self._count()

    def readings(self) -> Readings:
        """Return what was read."""
        self._count()
        keys = [keys for keys, _ in self._blocks]
        frequencies = [frequencies for _, frequencies in self._blocks]
        return Readings(
            np.array(self._lengths, dtype=np.int64),
            np.concatenate(keys) if keys else np.empty(0, dtype=np.int64),
            np.concatenate(frequencies) if keys else np.empty(0, dtype=np.int64),
        )

    def _numbers_of(self, text: str) -> list[int]:
        numbers = self._texts.get(text)
        if numbers is None:
            tokens = self._chain.tokens(text)
            numbers = list(chain.from_iterable(map(self._numbers.__getitem__, tokens)))
            if len(self._texts) >= REMEMBERED_TEXTS:
                self._texts.clear()
            self._texts[text] = numbers
        return numbers

    def _count(self) -> None:
        """Count the buffered tokens; blocks end between versions, so that keys ascend over all."""
        lengths = np.array(self._lengths[self._counted :], dtype=np.int64)
        versions = np.repeat(np.arange(self._counted, self._counted + len(lengths)), lengths)
        terms = np.frombuffer(self._buffer, dtype=np.int32).astype(np.int64)
        asked = terms != NOT_ASKED
        keys, frequencies = np.unique(
            (versions[asked] << _SHIFT) | terms[asked], return_counts=True
        )
        self._blocks.append((keys, frequencies.astype(np.int64)))
        self._counted = len(self._lengths)
        self._buffer = array("i")


class _TokenNumbers(dict[str, tuple[int, ...]]):
    """The number of each term of a token, NOT_ASKED for those that no query asks for."""

    def __init__(self, terms: Mapping[str, tuple[str, ...]], vocabulary: Mapping[str, int]) -> None:
        self._terms = terms
        self._vocabulary = vocabulary

    def __missing__(self, token: str) -> tuple[int, ...]:
        if len(self) >= REMEMBERED_TOKENS:
            self.clear()
        numbers = tuple(self._vocabulary.get(term, NOT_ASKED) for term in self._terms[token])
        self[token] = numbers
        return numbers
