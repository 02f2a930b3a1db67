"""A query plan as an Elasticsearch search body. Pure: asks no server.

The clauses are shaped so that the server adds scores as the embedded index does: each clause of a
`should` plan keeps its own boost, and its terms arrive as they are, analysed already.
"""

from collections.abc import Sequence
from typing import Any

from elasticsearch.dsl import query as dsl

from polaris_search.errors import UsageError
from polaris_search.profiles.plan import ExactClause, QueryPlan, TermsClause
from polaris_search.store.protocol import Filters

MAX_HITS = 10_000
"""Elasticsearch's own limit for one page of hits (index.max_result_window)."""

MAX_INTEGER = 2**31 - 1
"""A number beyond an integer field's range matches nothing; the server answers with an error."""

MAX_UNCUT_CHARS = 127
"""So many characters are within the whitespace analyzer's 255 UTF-16 units whatever they are."""

KEYWORD_FILTERS = ("source", "database", "schema", "format", "language", "access", "table_id")
NUMBER_FILTERS = ("column_count",)


def search_body(plan: QueryPlan, size: int, filters: Filters | None = None) -> dict[str, Any]:
    """Return the body of one search: score descending, then table_id ascending, all hits counted.

    A hit carries no source: its sort values hold score and table_id.

    Raises:
        UsageError: `size` is not from 1 to 10,000, or a filter names no facet or no number.
    """
    if not 1 <= size <= MAX_HITS:
        raise UsageError(f"The size is {size}; from 1 to {MAX_HITS} tables can be asked for.")
    # Around the query plain values: a dsl.Search would cost ten times what the small query does.
    return {
        "query": _query(plan, filters or {}).to_dict(),
        "sort": [{"_score": {"order": "desc"}}, {"table_id": {"order": "asc"}}],
        "size": size,
        "track_total_hits": True,
        "_source": False,
    }


def _query(plan: QueryPlan, filters: Filters) -> dsl.Query:
    clauses = [_best_fields(plan)] if plan.best_fields else [_clause(one) for one in plan.should]
    conditions = [_condition(field, filters[field]) for field in filters]
    if not conditions and plan.best_fields:
        return clauses[0]
    # Beside a filter, should clauses are optional unless one of them is asked for.
    return dsl.Bool(should=clauses, filter=conditions, minimum_should_match=1)


def _best_fields(plan: QueryPlan) -> dsl.Query:
    if plan.best_fields is None:
        raise ValueError("The plan has no best_fields.")
    return dsl.MultiMatch(
        query=_sendable(plan.text),
        fields=list(plan.best_fields.fields),
        type="best_fields",
        tie_breaker=plan.best_fields.tie_breaker,
    )


def _clause(clause: TermsClause | ExactClause) -> dsl.Query:
    if isinstance(clause, ExactClause):
        return dsl.ConstantScore(filter=_term(clause.field, clause.term), boost=clause.score)
    if _survive_the_whitespace_analyzer(clause.terms):
        text = _sendable(" ".join(clause.terms))
        asked = {"query": text, "analyzer": "whitespace", "boost": clause.boost}
        return dsl.Match(clause.field, asked)
    # The same sum, bit for bit, but a longer request to make and to read.
    terms = [_term(clause.field, term) for term in clause.terms]
    return dsl.Bool(should=terms, boost=clause.boost)


def _term(field: str, term: str) -> dsl.Query:
    return dsl.Term(field, {"value": _sendable(term)})


def _survive_the_whitespace_analyzer(terms: Sequence[str]) -> bool:
    """Return whether the server's analyzer gives these terms back: it splits, and cuts at 255."""
    whole = " ".join(terms).split() == list(terms)
    return whole and max(map(len, terms)) <= MAX_UNCUT_CHARS


def _sendable(text: str) -> str:
    """Return the text with '?' for half surrogates (broken bytes typed), which UTF-8 lacks."""
    return text.encode("utf-8", "replace").decode()


def _condition(field: str, accepted: Sequence[str]) -> dsl.Query:
    if field in KEYWORD_FILTERS:
        return dsl.Terms(field, list(accepted))
    if field in NUMBER_FILTERS:
        numbers = [_number(field, value) for value in accepted]
        return dsl.Terms(field, [number for number in numbers if abs(number) <= MAX_INTEGER])
    known = ", ".join(KEYWORD_FILTERS + NUMBER_FILTERS)
    raise UsageError(f"No filter {field!r}. Choose one of: {known}.")


def _number(field: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise UsageError(f"The filter {field} is {value!r}; a whole number was expected.") from None
