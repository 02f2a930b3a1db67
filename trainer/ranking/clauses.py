"""What the queries ask of each field under a profile: terms as numbers, counted. Pure.

Only terms that some query asks for can change a score, so everything after this keeps those alone
and, of all other terms, no more than how many there are.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from polaris_search.profiles.model import BestFields, Profile
from polaris_search.profiles.plan import ExactClause, QueryPlan, TermsClause, plan_query
from polaris_search.text.analysis import analyzer_named
from polaris_search.text.schema import TextField, table_schema

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AskedClause:
    """What each query asks of one field.

    Query i asks for `terms[starts[i]:starts[i + 1]]`, each standing `counts` times in it, in the
    order in which they first stand there.

    Attributes:
        field: the field that is asked.
        boost: of each term's score.
        fixed: the score of a document that has the term; None: BM25.
        vocabulary: each asked term's number.
    """

    field: TextField
    boost: float
    fixed: float | None
    vocabulary: Mapping[str, int]
    starts: IntArray
    terms: IntArray
    counts: IntArray


@dataclass(frozen=True, slots=True)
class Asked:
    """All queries under one profile: the best of `clauses` plus a tie, or (tie None) their sum."""

    clauses: tuple[AskedClause, ...]
    tie_breaker: float | None


@dataclass(frozen=True, slots=True)
class _Kind:
    """Which clause of a profile a query's clause is: plans leave out those without terms."""

    path: str
    boost: float
    fixed: float | None
    number: int  # among equal ones of one plan


def asked_of(profile: Profile, queries: Sequence[str]) -> Asked:
    """Return what the queries ask, in their order; a query may ask nothing."""
    plans = [plan_query(profile, text) for text in queries]
    tie_breaker = profile.best_fields.tie_breaker if profile.best_fields else None
    found = [_clauses_of(plan) for plan in plans]
    kinds = dict.fromkeys(chain.from_iterable(found))
    clauses = (_clause(kind, [clauses.get(kind, ()) for clauses in found]) for kind in kinds)
    return Asked(tuple(clauses), tie_breaker)


def single_field(path: str) -> Profile:
    """Return the profile that reads one field alone, by the field's own analysis."""
    return Profile(path, f"The field {path} alone.", best_fields=BestFields((path,), 0.0))


def _clauses_of(plan: QueryPlan) -> dict[_Kind, tuple[str, ...]]:
    if plan.best_fields:
        fields = (table_schema().fields[path] for path in plan.best_fields.fields)
        return {
            _Kind(field.path, 1.0, None, 0): tuple(analyzer_named(field.analyzer)(plan.text))
            for field in fields
        }
    numbers: Counter[tuple[str, float, float | None]] = Counter()
    clauses: dict[_Kind, tuple[str, ...]] = {}
    for clause in plan.should:
        path, boost, fixed, terms = _parts(clause)
        clauses[_Kind(path, boost, fixed, numbers[path, boost, fixed])] = terms
        numbers[path, boost, fixed] += 1
    return clauses


def _parts(clause: TermsClause | ExactClause) -> tuple[str, float, float | None, tuple[str, ...]]:
    if isinstance(clause, ExactClause):
        return clause.field, 1.0, clause.score, (clause.term,)
    return clause.field, clause.boost, None, clause.terms


def _clause(kind: _Kind, asked: Sequence[Sequence[str]]) -> AskedClause:
    vocabulary: dict[str, int] = {}
    counted = [Counter(terms) for terms in asked]
    numbers = [vocabulary.setdefault(term, len(vocabulary)) for terms in counted for term in terms]
    return AskedClause(
        field=table_schema().fields[kind.path],
        boost=kind.boost,
        fixed=kind.fixed,
        vocabulary=vocabulary,
        starts=np.array(list(accumulate(map(len, counted), initial=0)), dtype=np.int64),
        terms=np.array(numbers, dtype=np.int64),
        counts=np.array([n for terms in counted for n in terms.values()], dtype=np.int64),
    )
