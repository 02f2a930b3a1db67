"""Scores in, the best documents out: score descending, then document number ascending."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polaris_search.bm25.field import FieldIndex
from polaris_search.bm25.formula import FloatArray
from polaris_search.bm25.score import Scores

Mask = NDArray[np.bool_]

BLOCK = 64
"""Documents whose greatest score is taken together when a lower bound for the best is sought."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best documents in order, their float32 scores, and how many matched at all."""

    documents: NDArray[np.intp]
    scores: FloatArray
    total: int


def documents_with_any(index: FieldIndex, terms: Sequence[str]) -> Mask:
    """Return which documents have at least one of the terms. Shape (documents,)."""
    mask = np.zeros(index.statistics.n_documents, dtype=np.bool_)
    for term in terms:
        mask[index.documents(term)] = True
    return mask


def best(scores: Scores, size: int, allowed: Mask | None = None) -> Best:
    """Return the `size` best documents that match and are allowed (None: all are)."""
    values = scores.values
    if allowed is not None:
        kept = allowed if scores.documents is None else allowed[scores.documents]
        values = np.where(kept, values, np.float32(0))
    total = int(np.count_nonzero(values > 0))
    places = _best_places(values, min(size, total))
    documents = places if scores.documents is None else scores.documents[places]
    return Best(documents, values[places], total)


def _best_places(values: FloatArray, size: int) -> NDArray[np.intp]:
    if not size:
        return np.empty(0, dtype=np.intp)
    places = np.flatnonzero(values >= _lower_bound(values, size))
    # Places ascend, and a stable sort keeps equal scores in that order.
    order = np.argsort(-values[places], kind="stable")
    return places[order[:size]]


def _lower_bound(values: FloatArray, size: int) -> np.float32:
    """Return a score above 0 that at least `size` values reach."""
    n_blocks = len(values) // BLOCK
    candidates = values
    if n_blocks >= 2 * size:
        maxima = values[: n_blocks * BLOCK].reshape(BLOCK, n_blocks).max(axis=0)
        if np.count_nonzero(maxima) >= size:
            candidates = maxima
    bound: np.float32 = np.partition(candidates, len(candidates) - size)[len(candidates) - size]
    return bound
