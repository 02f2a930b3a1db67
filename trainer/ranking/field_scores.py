"""What one field gives each candidate for each of its table's queries, in closed form.

The corpus of a gold table T is C0 without T's own member, with T's K candidates in it. Its
statistics follow from C0's by adding and taking away a few numbers, so that no index is built:

    n = n0 - [own has the field] + candidates with the field
    L = L0 - |own| + sum |candidate|
    df(t) = df0(t) - [t in own] + candidates with t

Source: the paper's section 3.3 and Algorithm 1 for the corpus; the formula is bm25.formula's, step
by step in float32.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polaris_search.bm25.formula import (
    LENGTHS,
    ONE,
    FloatArray,
    average_length,
    inverse_document_frequency,
    norms_of_lengths,
    term_scores,
)
from trainer.ranking.clauses import AskedClause, IntArray
from trainer.ranking.readings import Readings
from trainer.ranking.tables import Numbered


@dataclass(frozen=True, slots=True)
class _Matches:
    """Each asked term that stands in a candidate: `cell`, and the place in `_Frequencies`."""

    cell: IntArray
    place: IntArray
    gold: IntArray
    counts: IntArray
    frequencies: FloatArray
    lengths: FloatArray  # of the version, as its norm stands for it


@dataclass(frozen=True, slots=True)
class _Frequencies:
    """Each (gold table, asked term) once, and how many of the table's candidates have the term."""

    gold: IntArray
    term: IntArray
    among_candidates: IntArray


class FieldScores:
    """One clause of all queries over the candidates of all gold tables.

    Args:
        clause: what is asked.
        readings: what the field holds of each version.
        tables: which version is whose.
        keep_own: leave T's own member of C0 in the corpus, beside its candidates.
    """

    def __init__(
        self, clause: AskedClause, readings: Readings, tables: Numbered, *, keep_own: bool
    ) -> None:
        self._clause = clause
        self._readings = readings
        self._tables = tables
        self._keep_own = keep_own
        self._matches, self._frequencies = _joined(clause, readings, tables)
        spans = tables.first[tables.gold], tables.first[tables.gold + 1]
        self._with_field = _sums(readings.lengths > 0, *spans)
        self._total_length = _sums(readings.lengths, *spans)

    @property
    def matched(self) -> IntArray:
        """The cells that the clause matches, whatever the members; some of them several times."""
        return self._matches.cell

    def of(self, members: IntArray) -> FloatArray:
        """Return the clause's score of each cell, 0 where it does not match. Shape (cells,).

        Args:
            members: the version of each table that stands in C0. Shape (tables,).
        """
        if self._clause.fixed is not None:
            return self._fixed()
        matches, readings = self._matches, self._readings
        lengths = readings.lengths[members]
        n0, total0 = int(np.count_nonzero(lengths)), int(lengths.sum())
        n_with_field = n0 + self._with_field
        total = total0 + self._total_length
        with_term = self._with_term(members)
        own = members[self._tables.gold]
        if not self._keep_own:
            own_lengths = readings.lengths[own]
            n_with_field = n_with_field - (own_lengths > 0)
            total = total - own_lengths
        idf = _idfs(with_term, n_with_field[self._frequencies.gold])
        average = np.array(
            [average_length(int(a), int(b)) for a, b in zip(total, n_with_field, strict=True)],
            dtype=np.float32,
        )
        k1, b = np.float32(self._clause.field.k1), np.float32(self._clause.field.b)
        inverse = ONE / (
            k1 * ((ONE - b) + b * matches.lengths / average[matches.gold])
        )  # formula.norm_inverses, here for each match
        boosts = np.float32(self._clause.boost) * matches.counts.astype(np.float32)
        weights = (boosts * (ONE + k1)) * idf[matches.place]
        scores = term_scores(weights, ONE + matches.frequencies * inverse)
        n_cells = len(self._tables.cell_gold)
        return np.bincount(matches.cell, scores, n_cells).astype(np.float32)

    def _with_term(self, members: IntArray) -> IntArray:
        """Return the documents with the term in the corpus of the table, for each frequency."""
        is_member = np.zeros(len(self._readings.lengths), dtype=bool)
        is_member[members] = True
        keys = self._readings
        n_terms = len(self._clause.vocabulary)
        in_corpus = np.bincount(keys.terms[is_member[keys.versions]], minlength=n_terms)
        found = self._frequencies
        with_term: IntArray = in_corpus[found.term] + found.among_candidates
        if not self._keep_own:
            own = members[self._tables.gold[found.gold]]
            with_term = with_term - (keys.frequency(own, found.term) > 0)
        return with_term

    def _fixed(self) -> FloatArray:
        scores = np.zeros(len(self._tables.cell_gold), dtype=np.float32)
        scores[self._matches.cell] = np.float32(self._clause.fixed)
        return scores


def _joined(
    clause: AskedClause, readings: Readings, tables: Numbered
) -> tuple[_Matches, _Frequencies]:
    """Find the asked terms of each cell's query in its version."""
    n_asked = np.diff(clause.starts)[tables.cell_query]
    cell = np.repeat(np.arange(len(n_asked)), n_asked)
    begins = np.concatenate(([0], np.cumsum(n_asked)))[:-1]
    place = np.arange(len(cell)) - begins[cell] + clause.starts[tables.cell_query[cell]]
    terms, versions = clause.terms[place], tables.cell_version[cell]
    standing = readings.frequency(versions, terms)
    found = standing > 0
    gold = tables.cell_gold[cell]
    keys, pair = np.unique((gold << 32) | terms, return_inverse=True)
    with_term = np.unique((pair[found] << 32) | versions[found]) >> 32
    among = np.bincount(with_term, minlength=len(keys))
    norms = norms_of_lengths(readings.lengths[versions[found]].astype(np.int32))
    matches = _Matches(
        cell=cell[found],
        place=pair[found],
        gold=gold[found],
        counts=clause.counts[place[found]],
        frequencies=standing[found].astype(np.float32),
        lengths=LENGTHS[norms],
    )
    return matches, _Frequencies(keys >> 32, keys & 0xFFFFFFFF, among)


def _idfs(with_term: IntArray, n_with_field: IntArray) -> FloatArray:
    """Return the inverse document frequency of each; the same two numbers are worked out once."""
    pairs, place = np.unique((n_with_field << 32) | with_term, return_inverse=True)
    values = [inverse_document_frequency(int(p & 0xFFFFFFFF), int(p >> 32)) for p in pairs]
    return np.array(values, dtype=np.float32)[place]


def _sums(values: NDArray[np.generic], starts: IntArray, ends: IntArray) -> IntArray:
    """Return the sum of values[start:end] for each span."""
    sums = np.concatenate(([0], np.cumsum(values.astype(np.int64))))
    spans: IntArray = sums[ends] - sums[starts]
    return spans
