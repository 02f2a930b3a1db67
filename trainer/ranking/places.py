"""At which place a query would list its table, if the table had one candidate or the other.

The corpus is C0 with the candidate in place of the table's own member: the list that a person would
see. Exact, by the same formula as a search; ties go by table_id, as there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polaris_search.bm25.formula import (
    ONE,
    FloatArray,
    NormArray,
    average_length,
    inverse_document_frequency,
    norm_inverses,
    norms_of_lengths,
    term_scores,
    term_weight,
)
from trainer.ranking.clauses import AskedClause, IntArray
from trainer.ranking.combined import combined
from trainer.ranking.readings import Readings
from trainer.ranking.tables import Numbered


@dataclass(frozen=True, slots=True)
class FieldCorpus:
    """What a clause's field holds of the members of C0, term by term.

    Attributes:
        clause: what is asked.
        readings: of all versions.
        members: the version of each table.
        starts: where each term's postings begin, and behind the last term their number.
        tables, frequencies, norms: of each posting.
        n_with_field: members with the field.
        total_length: tokens of all members.
    """

    clause: AskedClause
    readings: Readings
    members: IntArray
    starts: IntArray
    tables: IntArray
    frequencies: FloatArray
    norms: NormArray
    n_with_field: int
    total_length: int


def field_corpus(clause: AskedClause, readings: Readings, members: IntArray) -> FieldCorpus:
    """Return the postings of the members of C0. `members` ascend, for tables are numbered so."""
    place = np.full(len(readings.lengths), -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    tables = place[readings.versions]
    kept = np.flatnonzero(tables >= 0)
    by_term = kept[np.argsort(readings.terms[kept], kind="stable")]
    counts = np.bincount(readings.terms[by_term], minlength=len(clause.vocabulary))
    lengths = readings.lengths[members]
    norms = norms_of_lengths(lengths.astype(np.int32))
    return FieldCorpus(
        clause=clause,
        readings=readings,
        members=members,
        starts=np.concatenate(([0], np.cumsum(counts))),
        tables=tables[by_term],
        frequencies=readings.frequencies[by_term].astype(np.float32),
        norms=norms[tables[by_term]],
        n_with_field=int(np.count_nonzero(lengths)),
        total_length=int(lengths.sum()),
    )


def places_of(
    fields: Sequence[FieldCorpus],
    tie_breaker: float | None,
    tables: Numbered,
    order: IntArray,
) -> IntArray:
    """Return the place of each cell's table in the list of its query, from 1; 0: not found.

    Args:
        fields: a corpus for each clause.
        tie_breaker: the profile's; None: clauses are summed.
        tables: the cells.
        order: the place of each table among all by its id, which decides ties. Shape (tables,).
    """
    places = np.zeros(len(tables.cell_gold), dtype=np.int64)
    for cell, (gold, query, version) in enumerate(
        zip(
            tables.cell_gold.tolist(),
            tables.cell_query.tolist(),
            tables.cell_version.tolist(),
            strict=True,
        )
    ):
        table = int(tables.gold[gold])
        columns = [_scores(field, query, table, version) for field in fields]
        places[cell] = _place(combined(columns, tie_breaker), table, order)
    return places


def _scores(field: FieldCorpus, query: int, table: int, version: int) -> FloatArray:
    """Return the clause's score of each table, of `table` as this version. Shape (tables,)."""
    clause = field.clause
    terms = slice(clause.starts[query], clause.starts[query + 1])
    total = np.zeros(len(field.members))
    mine = _terms_of(field, int(field.members[table]), clause.terms[terms])
    given = _terms_of(field, version, clause.terms[terms])
    lengths = field.readings.lengths
    mine_length, given_length = int(lengths[field.members[table]]), int(lengths[version])
    n_with_field = field.n_with_field - (mine_length > 0) + (given_length > 0)
    average = average_length(field.total_length - mine_length + given_length, n_with_field)
    inverses = norm_inverses(average, clause.field.k1, clause.field.b)
    given_norm = norms_of_lengths(np.array([given_length], dtype=np.int32))
    own_score = 0.0
    for term, count, mine_tf, given_tf in zip(
        clause.terms[terms].tolist(), clause.counts[terms].tolist(), mine, given, strict=True
    ):
        found = slice(field.starts[term], field.starts[term + 1])
        with_term = found.stop - found.start - (mine_tf > 0) + (given_tf > 0)
        if clause.fixed is not None:
            total[field.tables[found]] += np.float32(clause.fixed)
            own_score += float(np.float32(clause.fixed)) if given_tf else 0.0
            continue
        idf = inverse_document_frequency(int(with_term), n_with_field)
        weight = term_weight(clause.boost, count, clause.field.k1, idf)
        denominators = ONE + field.frequencies[found] * inverses[field.norms[found]]
        total[field.tables[found]] += term_scores(weight, denominators)
        if given_tf:
            own = ONE + np.float32(given_tf) * inverses[given_norm]
            own_score += float(term_scores(weight, own)[0])
    total[table] = own_score
    return total.astype(np.float32)


def _terms_of(field: FieldCorpus, version: int, terms: IntArray) -> list[int]:
    found: list[int] = field.readings.frequency(np.full(len(terms), version), terms).tolist()
    return found


def _place(scores: FloatArray, table: int, order: IntArray) -> int:
    score = scores[table]
    if not score:
        return 0
    before = np.count_nonzero(scores > score)
    alike = np.count_nonzero((scores == score) & (order < order[table]))
    return int(before + alike) + 1
