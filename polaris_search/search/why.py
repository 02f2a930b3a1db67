"""Why a table matched: which of its parts met the query, and which of its columns.

The plan's own terms are looked for in each part of the table by the analysis of the clause that
asked, so the answer is the same for both stores. Where whole words met, weaker evidence
(abbreviations, fragments) is not mentioned. Pure.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from polaris_search.profiles.plan import ExactClause, QueryPlan
from polaris_search.records import ColumnMatch, EnrichedTable
from polaris_search.text.analysis import analyzer_named
from polaris_search.text.schema import table_schema

Evidence = Literal["words", "abbreviation", "fragments"]
EVIDENCE: tuple[Evidence, ...] = ("words", "abbreviation", "fragments")
"""From the strongest to the weakest."""

_BY_ANALYZER: dict[str, Evidence] = {"skeleton": "abbreviation", "trigrams": "fragments"}
MAX_COLUMN_NAMES = 10


@dataclass(frozen=True, slots=True)
class Why:
    """The parts of a table that matched, strongest evidence only, and its matched columns."""

    parts: tuple[str, ...]
    columns: ColumnMatch


@dataclass(frozen=True, slots=True)
class _Asked:
    """One clause as a set of terms, with the source fields it looks into."""

    analyzer: str
    sources: frozenset[str]
    terms: frozenset[str]

    @property
    def evidence(self) -> Evidence:
        return _BY_ANALYZER.get(self.analyzer, "words")

    def meets(self, text: str) -> bool:
        return not self.terms.isdisjoint(analyzer_named(self.analyzer)(text))


def why_matched(plan: QueryPlan, table: EnrichedTable) -> Why:
    """Return which parts of the table the plan's terms meet."""
    asked = tuple(_asked(plan))
    name = _strongest(asked, ("name", "names", "expansion"), _name_texts(table))
    columns = [_strongest(asked, ("names", "expansion"), texts) for texts in _column_texts(table)]
    context = _strongest(asked, ("context",), table.raw.context.values())
    description = _strongest(asked, ("description", "description_terms"), _description_texts(table))
    best_column = _best(columns)
    parts = (
        ("name", name),
        ("columns", best_column),
        ("context", context),
        ("description", description),
    )
    return Why(
        parts=tuple(_phrase(part, evidence) for part, evidence in parts if evidence),
        columns=_column_match(table, columns, best_column),
    )


def _asked(plan: QueryPlan) -> Iterator[_Asked]:
    fields = table_schema().fields
    if plan.best_fields:
        for path in plan.best_fields.fields:
            terms = analyzer_named(fields[path].analyzer)(plan.text)
            yield _Asked(fields[path].analyzer, frozenset(fields[path].sources), frozenset(terms))
    for clause in plan.should:
        terms = [clause.term] if isinstance(clause, ExactClause) else list(clause.terms)
        field = fields[clause.field]
        yield _Asked(field.analyzer, frozenset(field.sources), frozenset(terms))


def _strongest(
    asked: Sequence[_Asked], sources: Sequence[str], texts: Iterable[str]
) -> Evidence | None:
    texts = tuple(texts)
    met = {
        clause.evidence
        for clause in asked
        if not clause.sources.isdisjoint(sources) and any(map(clause.meets, texts))
    }
    return _best(met)


def _best(found: Iterable[Evidence | None]) -> Evidence | None:
    found = set(found)
    return next((evidence for evidence in EVIDENCE if evidence in found), None)


def _phrase(part: str, evidence: Evidence) -> str:
    return part if evidence == "words" else f"{part} ({evidence})"


def _column_match(
    table: EnrichedTable, found: Sequence[Evidence | None], best: Evidence | None
) -> ColumnMatch:
    if best is None:
        return ColumnMatch(0, ())
    names = [
        column.name
        for column, evidence in zip(table.raw.columns, found, strict=True)
        if evidence == best
    ]
    return ColumnMatch(len(names), tuple(names[:MAX_COLUMN_NAMES]))


def _name_texts(table: EnrichedTable) -> tuple[str, ...]:
    return (table.raw.name, table.expansion.name) if table.expansion else (table.raw.name,)


def _column_texts(table: EnrichedTable) -> Iterator[tuple[str, ...]]:
    expanded = table.expansion.columns if table.expansion else ()
    for number, column in enumerate(table.raw.columns):
        yield (column.name, expanded[number]) if number < len(expanded) else (column.name,)


def _description_texts(table: EnrichedTable) -> tuple[str, ...]:
    return table.description.values() if table.description else ()
