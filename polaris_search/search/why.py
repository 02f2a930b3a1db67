"""Why a table matched: which of its parts met the query, and which of its columns.

The plan's own terms are looked for in each part of the table by the analysis of the clause that
asked, so the answer is the same for both stores. In each part abbreviations are mentioned only
where no whole word met, fragments only where the whole table has nothing better. Pure.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from polaris_search.profiles.plan import ExactClause, QueryPlan
from polaris_search.records import ColumnMatch, EnrichedTable, Expansion
from polaris_search.text.analysis import Chain, analyzer_named, chain_named
from polaris_search.text.schema import table_schema

Evidence = Literal["words", "abbreviation", "fragments"]
_BY_ANALYZER: dict[str, Evidence] = {"skeleton": "abbreviation", "trigrams": "fragments"}
MAX_COLUMN_NAMES = 10

EXPANDED = ("new_words", "expansion")
"""The sources that the words of expansions stand in."""
NOT_EXPANDED = Expansion("", ())


@dataclass(frozen=True, slots=True)
class Why:
    """The parts of a table that matched, strongest evidence only, and its matched columns."""

    parts: tuple[str, ...]
    columns: ColumnMatch


class _Asked:
    """One clause as a set of terms, with the source fields it looks into.

    It remembers which tokens met a term: the thousands of columns of a wide table share theirs.
    """

    def __init__(self, analyzer: str, sources: Iterable[str], terms: Iterable[str]) -> None:
        self.evidence: Evidence = _BY_ANALYZER.get(analyzer, "words")
        self._sources = frozenset(sources)
        self._tokens = chain_named(analyzer).tokens
        self._met = _Met(chain_named(analyzer), frozenset(terms))

    def looks_into(self, sources: Iterable[str]) -> bool:
        return not self._sources.isdisjoint(sources)

    def meets(self, text: str) -> bool:
        return any(map(self._met.__getitem__, self._tokens(text)))


class _Met(dict[str, bool]):
    def __init__(self, chain: Chain, terms: frozenset[str]) -> None:
        self._chain = chain
        self._terms = terms

    def __missing__(self, token: str) -> bool:
        met = self[token] = not self._terms.isdisjoint(self._chain.remembered[token])
        return met


def why_matched(plan: QueryPlan, table: EnrichedTable) -> Why:
    """Return which parts of the table the plan's terms meet."""
    return reasons(plan)(table)


def reasons(plan: QueryPlan) -> Callable[[EnrichedTable], Why]:
    """Return the function that says why a table matched this plan; for all hits of one search."""
    asked = tuple(_asked(plan))

    def why(table: EnrichedTable) -> Why:
        parts = _parts(asked, table, ("words", "abbreviation"))
        if not any(found.evidence for found in parts.values()):
            parts = _parts(asked, table, ("fragments",))
        return Why(
            parts=tuple(
                _phrase(part, found.evidence) for part, found in parts.items() if found.evidence
            ),
            columns=_column_match(table, parts["columns"]),
        )

    return why


@dataclass(frozen=True, slots=True)
class _Found:
    """The strongest evidence there is, None for none, and the numbers of the texts that show it."""

    evidence: Evidence | None = None
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Texts:
    """The numbered texts of a part, each in several pieces, and the sources that they stand in."""

    sources: tuple[str, ...]
    texts: Sequence[tuple[str, ...]]

    def that_meet(self, clauses: Sequence[_Asked]) -> Iterator[int]:
        """Yield the numbers of the texts that meet any of the clauses."""
        looking = [clause for clause in clauses if clause.looks_into(self.sources)]
        for number, pieces in enumerate(self.texts):
            if any(clause.meets(text) for clause in looking for text in pieces):
                yield number


def _asked(plan: QueryPlan) -> Iterator[_Asked]:
    fields = table_schema().fields
    if plan.best_fields:
        for path in plan.best_fields.fields:
            terms = analyzer_named(fields[path].analyzer)(plan.text)
            yield _Asked(fields[path].analyzer, fields[path].sources, terms)
    for clause in plan.should:
        asked = [clause.term] if isinstance(clause, ExactClause) else clause.terms
        field = fields[clause.field]
        yield _Asked(field.analyzer, field.sources, asked)


def _parts(
    asked: Sequence[_Asked], table: EnrichedTable, kinds: Sequence[Evidence]
) -> dict[str, _Found]:
    columns = [column.name for column in table.raw.columns]
    expansion = table.expansion or NOT_EXPANDED
    texts: dict[str, list[_Texts]] = {
        "name": [
            _Texts(("name", "names", "expansion"), [(table.raw.name,)]),
            _Texts(EXPANDED, [(expansion.name,)]),
        ],
        "columns": [
            _Texts(("names", "expansion"), [(name,) for name in columns]),
            _Texts(EXPANDED, [(expanded,) for expanded in expansion.columns]),
        ],
        "context": [_Texts(("context",), [tuple(table.raw.context.values())])],
        "description": [_Texts(("description", "description_terms"), [_description_texts(table)])],
    }
    return {part: _strongest(asked, kinds, where) for part, where in texts.items()}


def _strongest(
    asked: Sequence[_Asked], kinds: Sequence[Evidence], where: Sequence[_Texts]
) -> _Found:
    """Return the first of the kinds that any text shows; later kinds are not looked for then."""
    for kind in kinds:
        clauses = [clause for clause in asked if clause.evidence == kind]
        numbers = {number for texts in where for number in texts.that_meet(clauses)}
        if numbers:
            return _Found(kind, tuple(sorted(numbers)))
    return _Found()


def _phrase(part: str, evidence: Evidence) -> str:
    return part if evidence == "words" else f"{part} ({evidence})"


def _column_match(table: EnrichedTable, found: _Found) -> ColumnMatch:
    names = [table.raw.columns[number].name for number in found.numbers[:MAX_COLUMN_NAMES]]
    return ColumnMatch(len(found.numbers), tuple(names))


def _description_texts(table: EnrichedTable) -> tuple[str, ...]:
    return table.description.values() if table.description else ()
