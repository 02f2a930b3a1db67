"""The versions of all tables as one field sees them: lengths, and how often each asked term stands.

Texts come in one version after the other and are let go of at once; what is kept of a version is
its length in tokens and its asked terms. Versions are numbered in the order they come in. Texts
that were analysed before, in this run or in another one, are not analysed again.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polaris_search.text.analysis import chain_named
from trainer.ranking.analysed import Analysed, AnalysedBlock, key_of
from trainer.ranking.analysis_cache import AnalysisCache
from trainer.ranking.clauses import IntArray

BLOCK_TOKENS = 4_000_000
"""Tokens that are held before they are counted: about 150 MB for a moment."""
BLOCK_ROWS = 100_000
"""So many short texts are held before they are counted."""

_SHIFT = 32
NOT_ASKED = -1
UNDER_WAY = -1


@dataclass(frozen=True, slots=True)
class Readings:
    """What a field holds of each version.

    Attributes:
        lengths: tokens of each version. Shape (versions,).
        distinct: distinct terms of each version. Shape (versions,).
        keys: version << 32 | term of each asked term that stands in a version, ascending.
        frequencies: how often it stands there. Shape as `keys`.
    """

    lengths: IntArray
    distinct: IntArray
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
        cache: what is known of texts from before; None: nothing.
    """

    def __init__(
        self, analyzer: str, vocabulary: Mapping[str, int], cache: AnalysisCache | None = None
    ) -> None:
        self._vocabulary = vocabulary
        self._chain = chain_named(analyzer)
        self._known = (cache or AnalysisCache()).known(analyzer)
        self._block = AnalysedBlock(self._chain)
        self._rows: dict[bytes, int] = {}  # of the block
        self._in_block: list[int] = []  # versions
        # Of each version: the block it is in, UNDER_WAY or its number, and its row there.
        self._blocks = array("i")
        self._places = array("i")

    def add(self, texts: Sequence[str]) -> None:
        """Take the next version's texts of this field."""
        key = key_of(texts)
        row = self._rows.get(key)
        if row is None and (place := self._known.find(key)):
            self._blocks.append(place[0])
            self._places.append(place[1])
            return
        if row is None:
            row = self._rows[key] = self._block.rows
            self._block.add(texts)
        self._in_block.append(len(self._blocks))
        self._blocks.append(UNDER_WAY)
        self._places.append(row)
        if len(self._block) > BLOCK_TOKENS or self._block.rows > BLOCK_ROWS:
            self._end_block()

    def readings(self) -> Readings:
        """Return what was read."""
        self._end_block()
        blocks = np.array(self._blocks, dtype=np.int64)
        places = np.array(self._places, dtype=np.int64)
        lengths = np.zeros(len(blocks), dtype=np.int64)
        distinct = np.zeros(len(blocks), dtype=np.int64)
        found = []
        for number in np.unique(blocks).tolist():
            versions = np.flatnonzero(blocks == number)
            block, rows = self._known.block(number), places[versions]
            lengths[versions] = block.lengths[rows]
            distinct[versions] = block.starts[rows + 1] - block.starts[rows]
            found.append(_asked(block, rows, versions, self._vocabulary))
        keys = np.concatenate([keys for keys, _ in found]) if found else _NOTHING
        frequencies = np.concatenate([times for _, times in found]) if found else _NOTHING
        order = np.argsort(keys, kind="stable")
        return Readings(lengths, distinct, keys[order], frequencies[order])

    def _end_block(self) -> None:
        if not self._rows:
            return
        number = self._known.keep(list(self._rows), self._block.analysed())
        for version in self._in_block:
            self._blocks[version] = number
        self._block = AnalysedBlock(self._chain)
        self._rows = {}
        self._in_block = []


_NOTHING = np.empty(0, dtype=np.int64)


def _asked(
    block: Analysed, rows: IntArray, versions: IntArray, vocabulary: Mapping[str, int]
) -> tuple[IntArray, IntArray]:
    """Return the key and the frequency of each asked term in these rows of a block."""
    asked = np.array([vocabulary.get(term, NOT_ASKED) for term in block.terms], dtype=np.int64)
    counts = block.starts[rows + 1] - block.starts[rows]
    begins = np.cumsum(counts) - counts
    at = np.arange(counts.sum()) - np.repeat(begins - block.starts[rows], counts)
    terms = asked[block.numbers[at]] if len(asked) else _NOTHING
    is_asked = terms != NOT_ASKED
    keys = (np.repeat(versions, counts)[is_asked] << _SHIFT) | terms[is_asked]
    frequencies: IntArray = block.frequencies[at][is_asked].astype(np.int64)
    return keys, frequencies
