"""The store of tables in a folder: the protocol's methods over SQLite and index files."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from polaris_search.bm25.layout import IndexDamaged
from polaris_search.errors import UsageError
from polaris_search.profiles.plan import QueryPlan
from polaris_search.records import EnrichedTable, TableState
from polaris_search.store.embedded import rows
from polaris_search.store.embedded.dropping import drop
from polaris_search.store.embedded.execute import execute, fields_of_profile, fields_read
from polaris_search.store.embedded.generations import (
    Generation,
    GenerationGone,
    mark_refreshed,
    read_generation,
)
from polaris_search.store.embedded.index_build import remove_unused
from polaris_search.store.embedded.index_fields import IndexField
from polaris_search.store.embedded.index_files import IndexFiles
from polaris_search.store.embedded.opening import BUSY_TIMEOUT_S, open_database
from polaris_search.store.embedded.problems import told_plainly
from polaris_search.store.embedded.scratch import create_scratch, drop_abandoned
from polaris_search.store.embedded.searchable import Searchable, Snapshot
from polaris_search.store.embedded.store_generations import EmbeddedGenerations
from polaris_search.store.protocol import Filters, Refused, SearchResult, StoreStatus, WriteReport

NOTHING = SearchResult(hits=(), total=0)


class EmbeddedStore:
    """Tables in a folder of this machine; TableStore says what a method promises.

    Several processes and threads may use a folder at once; a write waits for another's.

    Args:
        folder: created where missing.
        busy_timeout_s: longest wait for another process's write.
        generation: number of the generation to use; None: the live one, whichever that is.

    Raises:
        StoreProblem: the folder cannot be used, is on a network share, or holds something else.
    """

    def __init__(
        self,
        folder: Path,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
        generation: int | None = None,
    ) -> None:
        self._folder = folder
        self._number = generation
        self._database = open_database(folder, busy_timeout_s)
        self._files = IndexFiles(folder)
        self._searchable = Searchable(self._database, self._files)

    @property
    def generations(self) -> EmbeddedGenerations:
        """The generations of this folder."""
        return EmbeddedGenerations(self._database, self._one_generation)

    def put(self, tables: Iterable[EnrichedTable]) -> WriteReport:
        """Store the tables; see TableStore."""
        if self._number is None:
            self._drop_abandoned()
        stored, refused = 0, list[Refused]()
        for batch in rows.batches(_storable(tables, refused)):
            with self._database.writing() as connection:
                rows.write(connection, self._generation(connection).number, batch)
            stored += len(batch)
        return WriteReport(stored, tuple(refused))

    def refresh(self) -> None:
        """Make everything stored so far searchable; a search builds the index files it needs."""
        mark_refreshed(self._database, self._generation())

    def get(self, table_ids: Sequence[str]) -> dict[str, EnrichedTable]:
        """Return the tables there are, by id, in the order asked for."""
        with self._database.reading() as connection:
            number = self._generation(connection).number
            return rows.read_tables(self._database, number, table_ids)

    def states(self, table_ids: Sequence[str]) -> dict[str, TableState]:
        """Return input hash and description status of the tables there are, by id."""
        with self._database.reading() as connection:
            number = self._generation(connection).number
            return rows.read_states(self._database, number, table_ids)

    def delete(self, table_ids: Sequence[str]) -> int:
        """Remove the tables; return how many there were."""
        with self._database.writing() as connection:
            return rows.delete(connection, self._generation(connection).number, table_ids)

    def table_ids(self) -> Iterator[str]:
        """Yield every stored id in ascending order."""
        return rows.all_ids(self._database, self._generation().number)

    def tables(self) -> Iterator[EnrichedTable]:
        """Yield every stored table, ids ascending, a page at a time."""
        return rows.all_tables(self._database, self._generation().number)

    def search(self, plan: QueryPlan, size: int, filters: Filters | None = None) -> SearchResult:
        """Return the `size` (at least 1) best tables for a plan that pass every filter."""
        if size < 1:
            raise UsageError(f"The size is {size}; at least 1 table must be asked for.")
        filters = filters or {}
        fields = fields_read(plan, filters)
        while True:
            try:
                return self._found(plan, fields, size, filters)
            except GenerationGone:
                if self._number is not None:
                    raise  # else another one is live by now, and this one was pruned

    @contextmanager
    def scratch(self) -> Iterator["EmbeddedStore"]:
        """Open an empty generation, dropped at the end, or later if this process is killed."""
        self._drop_abandoned()
        with told_plainly(self._folder):
            number, lock = create_scratch(self._database)
        try:
            try:
                with self._one_generation(number) as store:
                    yield store
            finally:
                drop(self._database, [number])
                remove_unused(self._database, self._files)
        finally:
            lock.release(remove=True)

    def status(self) -> StoreStatus:
        """Return what the store is and holds."""
        generation = self._generation()
        return StoreStatus(
            kind="embedded",
            location=str(self._folder),
            version=f"SQLite {sqlite3.sqlite_version}",
            generation=generation.name,
            tables=generation.tables,
        )

    def close(self) -> None:
        """Let go of the database and the index files."""
        self._searchable.forget()
        self._database.close()

    def _found(
        self, plan: QueryPlan, fields: Sequence[IndexField], size: int, filters: Filters
    ) -> SearchResult:
        generation = self._generation()
        if plan.asks_nothing or not generation.tables:
            return NOTHING
        try:
            return execute(plan, self._snapshot(generation, fields, plan), size, filters)
        except IndexDamaged as damage:
            self._remove(damage.path)
        return execute(plan, self._snapshot(generation, fields, plan), size, filters)

    @contextmanager
    def _one_generation(self, number: int) -> Iterator["EmbeddedStore"]:
        store = GenerationStore(self._folder, self._database.busy_timeout_s, number)
        try:
            yield store
        finally:
            EmbeddedStore.close(store)

    def _snapshot(
        self, generation: Generation, fields: Sequence[IndexField], plan: QueryPlan
    ) -> Snapshot:
        return self._searchable.snapshot(generation, fields, fields_of_profile(plan))

    def _generation(self, connection: sqlite3.Connection | None = None) -> Generation:
        return read_generation(connection or self._database, self._number)

    def _drop_abandoned(self) -> None:
        with told_plainly(self._folder):
            drop_abandoned(self._database)

    def _remove(self, path: Path) -> None:
        with told_plainly(self._folder):
            path.unlink(missing_ok=True)
        self._searchable.forget()


class GenerationStore(EmbeddedStore):
    """The store of one generation, which whoever opened it closes."""

    def close(self) -> None:
        """Do nothing: it is closed at the end of the block that it was opened for."""


def _storable(
    tables: Iterable[EnrichedTable], refused: list[Refused]
) -> Iterator[rows.EncodedTable]:
    for table in tables:
        row = rows.encoded(table)
        if isinstance(row, Refused):
            refused.append(row)
        else:
            yield row
