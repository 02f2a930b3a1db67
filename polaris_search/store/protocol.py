"""What every store of tables does. Two implementations, one contract test."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from polaris_search.profiles.plan import QueryPlan
from polaris_search.records import EnrichedTable, TableState


@dataclass(frozen=True, slots=True)
class Refused:
    """A table the store did not take, and why, as a sentence with a next step."""

    table_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What became of the tables given to one `put`."""

    stored: int
    refused: tuple[Refused, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredTable:
    """A found table. `score` is the float32 score as the double of its shortest decimal."""

    table_id: str
    score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best tables, score descending, then table_id; `total` counts all that matched."""

    hits: tuple[ScoredTable, ...]
    total: int


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What `doctor` shows of a store: which one, what it holds, and in which generation.

    Attributes:
        replaced: documents that were replaced or deleted and still count in the scores.
        current: whether this program can search the live generation; if not, a reindex helps.
    """

    kind: str
    location: str
    version: str
    generation: str | None
    tables: int
    replaced: int = 0
    current: bool = True


Filters = Mapping[str, Sequence[str]]
"""Field to accepted values: table_id, source, database, schema, format, language, access,
column_count."""


class TableStore(Protocol):
    """A place for enriched tables that can be searched.

    Writes go to the live generation and are searchable after `refresh`. A table is known by its
    table_id: a second `put` of the same id replaces the first. Killing the process at any point
    leaves each table whole: old or new.

    Raises:
        ServiceUnreachable: from any method, if the store's server does not answer.
        StoreProblem: from any method, if it answers with something unexpected.
    """

    def put(self, tables: Iterable[EnrichedTable]) -> WriteReport:
        """Store the tables durably; hold a bounded part of the iterable in memory."""

    def refresh(self) -> None:
        """Make everything stored so far searchable."""

    def get(self, table_ids: Sequence[str]) -> dict[str, EnrichedTable]:
        """Return the tables there are, by id; ids that are not stored are left out."""

    def states(self, table_ids: Sequence[str]) -> dict[str, TableState]:
        """Return input hash and description status of the tables there are, by id."""

    def delete(self, table_ids: Sequence[str]) -> int:
        """Remove the tables; return how many there were."""

    def table_ids(self) -> Iterator[str]:
        """Yield every stored id in ascending order."""

    def tables(self) -> Iterator[EnrichedTable]:
        """Yield every stored table, ids ascending, in bounded memory."""

    def search(self, plan: QueryPlan, size: int, filters: Filters | None = None) -> SearchResult:
        """Return the `size` best tables for a plan among those that pass every filter."""

    def scratch(self) -> AbstractContextManager["TableStore"]:
        """Open an empty generation, apart from the live one, that is dropped at the end."""

    def status(self) -> StoreStatus:
        """Return what the store is and holds."""

    def close(self) -> None:
        """Let go of files and connections."""
