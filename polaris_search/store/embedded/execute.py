"""A query plan over a snapshot: what it reads, what that scores, which tables pass the filters.

Translates the plan's clauses and the filters for the BM25 index, and its answer into hits.
"""

from collections.abc import Mapping, Sequence

from polaris_search.bm25.score import Fixed, Scores, Terms, best_of, sum_of
from polaris_search.bm25.top import Mask, best, documents_with_any
from polaris_search.profiles.model import BestFields, shipped_profiles
from polaris_search.profiles.plan import ExactClause, QueryPlan, TermsClause
from polaris_search.store.embedded.index_fields import (
    IndexField,
    accepted_terms,
    facet_index_field,
    text_index_field,
)
from polaris_search.store.embedded.searchable import Snapshot
from polaris_search.store.protocol import Filters, ScoredTable, SearchResult
from polaris_search.text.analysis import analyzer_named


def fields_read(plan: QueryPlan, filters: Filters) -> list[IndexField]:
    """Return the index fields that a plan and its filters read.

    Raises:
        UsageError: a filter names no facet.
    """
    paths = plan.best_fields.fields if plan.best_fields else [one.field for one in plan.should]
    texts = [text_index_field(path) for path in dict.fromkeys(paths)]
    return texts + [facet_index_field(name) for name in filters]


def fields_of_profile(plan: QueryPlan) -> list[IndexField]:
    """Return every index field that plans of the same profile read; none for one not shipped."""
    profile = shipped_profiles().get(plan.profile)
    return [text_index_field(path) for path in profile.fields] if profile else []


def execute(plan: QueryPlan, snapshot: Snapshot, size: int, filters: Filters) -> SearchResult:
    """Return the `size` best tables of the snapshot for the plan, and how many match.

    Raises:
        IndexDamaged: a file of the snapshot cannot be trusted.
        UsageError: a filter's value cannot be one.
    """
    found = best(_scores(plan, snapshot), size, _allowed(snapshot, filters))
    hits = zip(found.documents.tolist(), found.scores, strict=True)
    return SearchResult(
        tuple(ScoredTable(snapshot.documents[number], float(str(score))) for number, score in hits),
        found.total,
    )


def _scores(plan: QueryPlan, snapshot: Snapshot) -> Scores:
    n_documents = len(snapshot.documents)
    if plan.best_fields:
        clauses = _field_clauses(plan.best_fields, plan.text, snapshot)
        return best_of(clauses, plan.best_fields.tie_breaker, n_documents)
    return sum_of([_clause(one, snapshot) for one in plan.should], n_documents)


def _field_clauses(best_fields: BestFields, text: str, snapshot: Snapshot) -> list[Terms]:
    # A half surrogate (broken bytes typed) cannot be in UTF-8; it separates words, as on a server.
    text = text.encode("utf-8", "replace").decode()
    terms: dict[str, list[str]] = {}
    clauses = []
    for path in best_fields.fields:
        analyzer = text_index_field(path).analyzer
        if analyzer not in terms:
            terms[analyzer] = analyzer_named(analyzer)(text)
        clauses.append(Terms(snapshot.fields[path], terms[analyzer], boost=1.0))
    return clauses


def _clause(clause: TermsClause | ExactClause, snapshot: Snapshot) -> Terms | Fixed:
    index = snapshot.fields[clause.field]
    if isinstance(clause, ExactClause):
        return Fixed(index, clause.term, clause.score)
    return Terms(index, clause.terms, clause.boost)


def _allowed(snapshot: Snapshot, filters: Mapping[str, Sequence[str]]) -> Mask | None:
    allowed: Mask | None = None
    for name, values in filters.items():
        index = snapshot.fields[facet_index_field(name).path]
        mask = documents_with_any(index, accepted_terms(name, values))
        allowed = mask if allowed is None else allowed & mask
    return allowed
