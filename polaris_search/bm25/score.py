"""Clauses over fields in, one float32 score a document out.

Sums are rounded where the server rounds them: a clause's terms are added in double and cast to
float32 once; clauses beside each other are added in double and cast once; the best of several
fields is a float32 and a double sum.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polaris_search.bm25.field import FieldIndex, TermScores
from polaris_search.bm25.formula import FloatArray

DocumentArray = NDArray[np.intp]
DoubleArray = NDArray[np.float64]

SPARSE_SHARE = 64
"""With less than one posting in so many documents, sorting beats arrays over all documents."""


@dataclass(frozen=True, slots=True)
class Terms:
    """BM25 over terms of one field; a term that stands c times is one with c times the boost."""

    index: FieldIndex
    terms: Sequence[str]
    boost: float


@dataclass(frozen=True, slots=True)
class Fixed:
    """A fixed score for the documents that have the term."""

    index: FieldIndex
    term: str
    score: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of `documents` (ascending, each once), or of every document where that is None.

    A document that does not match has the score 0; every match scores above 0.
    """

    documents: DocumentArray | None
    values: FloatArray


def best_of(clauses: Sequence[Terms], tie_breaker: float, n_documents: int) -> Scores:
    """Return the best clause's score plus `tie_breaker` times the others', for each document.

    Source: Lucene, DisjunctionMaxScorer: float32 maximum, the others summed in double, one cast at
    the end.
    """
    scores = [found for clause in clauses if (found := _terms_scores(clause, n_documents))]
    if len(scores) < 2:
        return scores[0] if scores else _nothing()
    documents, columns = _aligned(scores, n_documents)
    best = columns[0].copy()
    total = columns[0].astype(np.float64)
    for column in columns[1:]:
        np.maximum(best, column, out=best)
        total += column
    total -= best
    total *= float(np.float32(tie_breaker))
    total += best
    return Scores(documents, total.astype(np.float32))


def sum_of(clauses: Sequence[Terms | Fixed], n_documents: int) -> Scores:
    """Return the sum of the clauses' float32 scores, in double, cast once, for each document.

    Source: Elasticsearch's bool.should of match clauses, none with a boost of exactly 1 (those are
    summed otherwise).
    """
    scores = (_clause_scores(clause, n_documents) for clause in clauses)
    return _sum([found for found in scores if found], n_documents) or _nothing()


def _clause_scores(clause: Terms | Fixed, n_documents: int) -> Scores | None:
    if isinstance(clause, Terms):
        return _terms_scores(clause, n_documents)
    documents = clause.index.documents(clause.term)
    values = np.full(len(documents), clause.score, dtype=np.float32)
    return Scores(documents.astype(np.intp), values) if len(documents) else None


def _terms_scores(clause: Terms, n_documents: int) -> Scores | None:
    counted = Counter(clause.terms).items()
    found = (clause.index.scores(term, clause.boost, count) for term, count in counted)
    return _sum([one for one in found if one], n_documents)


def _sum(addends: Sequence[Scores | TermScores], n_documents: int) -> Scores | None:
    if len(addends) < 2:
        return Scores(addends[0].documents, addends[0].values) if addends else None
    sparse = [addend.documents for addend in addends if addend.documents is not None]
    touched = sum(map(len, sparse))
    if len(sparse) < len(addends) or touched * SPARSE_SHARE > n_documents:
        return Scores(None, _sum_over_all(addends, n_documents).astype(np.float32))
    documents, place = np.unique(np.concatenate(sparse), return_inverse=True)
    values = np.concatenate([addend.values for addend in addends])
    return Scores(documents, np.bincount(place, values, len(documents)).astype(np.float32))


def _sum_over_all(addends: Iterable[Scores | TermScores], n_documents: int) -> DoubleArray:
    total = np.zeros(n_documents)
    for addend in addends:
        if addend.documents is None:
            total += addend.values
        else:
            total[addend.documents] += addend.values
    return total


def _aligned(
    scores: Sequence[Scores], n_documents: int
) -> tuple[DocumentArray | None, list[FloatArray]]:
    sparse = [found.documents for found in scores if found.documents is not None]
    if len(sparse) < len(scores) or sum(map(len, sparse)) * SPARSE_SHARE > n_documents:
        return None, [_spread(found, n_documents) for found in scores]
    documents = np.unique(np.concatenate(sparse))
    places = [np.searchsorted(documents, found) for found in sparse]
    columns = [np.zeros(len(documents), dtype=np.float32) for _ in scores]
    for column, place, found in zip(columns, places, scores, strict=True):
        column[place] = found.values
    return documents, columns


def _spread(found: Scores, n_documents: int) -> FloatArray:
    if found.documents is None:
        return found.values
    values = np.zeros(n_documents, dtype=np.float32)
    values[found.documents] = found.values
    return values


def _nothing() -> Scores:
    return Scores(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32))
