"""Texts as terms, counted: what the analysis of a block of texts leaves, free of any query. Pure.

A block is whole in itself: its terms are numbered in it alone, so that it can be written to a file
and read by another process, for other queries.
"""

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from polaris_search.text.analysis import REMEMBERED_TOKENS, Chain
from trainer.ranking.clauses import IntArray

KEY_BYTES = 16

TermArray = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Analysed:
    """The terms of some texts, a row a text; a text may be several that a field holds together.

    Attributes:
        terms: every term that stands in a text of the block, by number.
        lengths: tokens of each row. Shape (rows,).
        starts: where each row's terms begin, and behind the last row their number.
        numbers: the distinct terms of each row, ascending.
        frequencies: how often each stands there. Shape as `numbers`.
    """

    terms: tuple[str, ...]
    lengths: TermArray
    starts: IntArray
    numbers: TermArray
    frequencies: TermArray


class AnalysedBlock:
    """Takes in texts one after the other, and becomes an Analysed.

    Args:
        analysis: of the field that they are in.
    """

    def __init__(self, analysis: Chain) -> None:
        self._chain = analysis
        self._vocabulary: dict[str, int] = {}
        self._numbers = _TokenNumbers(analysis.remembered, self._vocabulary)
        self._tokens = array("i")
        self._lengths = array("i")

    def __len__(self) -> int:
        """Return how many tokens there are."""
        return len(self._tokens)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._lengths)

    def add(self, texts: Sequence[str]) -> None:
        """Take the next row."""
        before = len(self._tokens)
        for text in texts:
            numbers = map(self._numbers.__getitem__, self._chain.tokens(text))
            self._tokens.extend(list(chain.from_iterable(numbers)))
        self._lengths.append(len(self._tokens) - before)

    def analysed(self) -> Analysed:
        """Return what was taken in."""
        lengths = np.array(self._lengths, dtype=np.int32)
        rows = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
        tokens = np.frombuffer(self._tokens, dtype=np.int32)
        keys, frequencies = np.unique((rows << 32) | tokens, return_counts=True)
        n_distinct = np.bincount(keys >> 32, minlength=len(lengths))
        return Analysed(
            terms=tuple(self._vocabulary),
            lengths=lengths,
            starts=np.concatenate(([0], np.cumsum(n_distinct))),
            numbers=(keys & 0xFFFFFFFF).astype(np.int32),
            frequencies=frequencies.astype(np.int32),
        )


def key_of(texts: Sequence[str]) -> bytes:
    """Return the hash that texts are found by; ["ab", "c"] and ["a", "bc"] differ."""
    digest = hashlib.blake2b(digest_size=KEY_BYTES)
    for text in texts:
        data = text.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest()


class _TokenNumbers(dict[str, tuple[int, ...]]):
    """The numbers of each token's terms."""

    def __init__(self, terms: Mapping[str, tuple[str, ...]], vocabulary: dict[str, int]) -> None:
        self._terms = terms
        self._vocabulary = vocabulary

    def __missing__(self, token: str) -> tuple[int, ...]:
        if len(self) >= REMEMBERED_TOKENS:
            self.clear()
        vocabulary = self._vocabulary
        numbers = tuple(vocabulary.setdefault(term, len(vocabulary)) for term in self._terms[token])
        self[token] = numbers
        return numbers
