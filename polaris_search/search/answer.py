"""One search, from the words a person typed to ranked tables that say why they matched."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

from polaris_search.errors import UsageError
from polaris_search.profiles.model import BestFields, Profile
from polaris_search.profiles.plan import ExactClause, QueryPlan, TermsClause, plan_query
from polaris_search.records import EnrichedTable, Hit
from polaris_search.search.why import Why, reasons
from polaris_search.store.protocol import Filters, ScoredTable, TableStore

MAX_SIZE = 10_000
"""The most hits one search may ask for: Elasticsearch's own window."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one clause gives to a hit: the score it would have with this clause alone."""

    field: str
    terms: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What a search found: `total` counts every table that matched, `hits` holds the best."""

    query_id: str
    took_ms: float
    total: int
    hits: tuple[Hit, ...]
    notices: tuple[str, ...] = ()


def search_tables(
    store: TableStore,
    query: str,
    profile: Profile,
    *,
    size: int = 10,
    filters: Filters | None = None,
    clock_s: Callable[[], float] = time.perf_counter,
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
) -> SearchAnswer:
    """Return the `size` best tables for a query, score descending, then table_id.

    Raises:
        UsageError: `size` is not within 1 to MAX_SIZE.
        ServiceUnreachable: the store's server does not answer.
    """
    if not 1 <= size <= MAX_SIZE:
        raise UsageError(f"A search returns 1 to {MAX_SIZE} tables, not {size}.")
    started_s = clock_s()
    plan = plan_query(profile, query)
    found = store.search(plan, size, filters)
    tables = store.get([hit.table_id for hit in found.hits])
    why = reasons(plan)
    hits = tuple(_hit(rank, scored, tables, why) for rank, scored in enumerate(found.hits, start=1))
    took_ms = round((clock_s() - started_s) * 1000, 3)
    return SearchAnswer(
        new_id(), took_ms, found.total, hits, plan.notices + _empty_notice(plan, query)
    )


def explain_hits(
    store: TableStore, query: str, profile: Profile, table_ids: tuple[str, ...]
) -> dict[str, tuple[Contribution, ...]]:
    """Return for each table what every clause gives to its score, in the profile's order.

    Each clause is asked alone, among these tables only: a filter changes no statistics, so the
    scores are the ones the whole query adds up.
    """
    if not table_ids:
        return {}
    contributions: dict[str, list[Contribution]] = {table_id: [] for table_id in table_ids}
    for field, terms, single in _single_clauses(plan_query(profile, query)):
        for hit in store.search(single, len(table_ids), {"table_id": table_ids}).hits:
            contributions[hit.table_id].append(Contribution(field, terms, hit.score))
    return {table_id: tuple(found) for table_id, found in contributions.items()}


def _single_clauses(plan: QueryPlan) -> list[tuple[str, tuple[str, ...], QueryPlan]]:
    if plan.best_fields:
        tie_breaker = plan.best_fields.tie_breaker
        fields = plan.best_fields.fields
        return [
            (field, (plan.text,), replace(plan, best_fields=BestFields((field,), tie_breaker)))
            for field in fields
        ]
    return [
        (clause.field, _terms(clause), replace(plan, should=(clause,))) for clause in plan.should
    ]


def _terms(clause: TermsClause | ExactClause) -> tuple[str, ...]:
    return (clause.term,) if isinstance(clause, ExactClause) else clause.terms


def _hit(
    rank: int,
    scored: ScoredTable,
    tables: dict[str, EnrichedTable],
    why: Callable[[EnrichedTable], Why],
) -> Hit:
    table = tables.get(scored.table_id)
    if table is None:  # deleted between the search and this read
        return Hit(rank, scored.table_id, scored.score, name="")
    found = why(table)
    return Hit(rank, scored.table_id, scored.score, table.raw.name, found.parts, found.columns)


def _empty_notice(plan: QueryPlan, query: str) -> tuple[str, ...]:
    if not query.strip():
        return ("The query is empty; type at least one word.",)
    return ("The query holds no word that could be searched.",) if plan.asks_nothing else ()
