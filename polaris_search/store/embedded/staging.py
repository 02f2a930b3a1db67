"""A generation beside the live one, from its first table until it takes the other's place.

Every step is a transaction: a kill leaves the step done or not begun.
"""

from collections.abc import Iterator, Sequence

from polaris_search.errors import StoreProblem
from polaris_search.records import EnrichedTable
from polaris_search.store.embedded import changes, rows
from polaris_search.store.embedded.changes import Change
from polaris_search.store.embedded.database import Database
from polaris_search.store.embedded.difference import missing_and_surplus, tables_lacked
from polaris_search.store.embedded.dropping import drop
from polaris_search.store.embedded.generations import (
    Generation,
    live_number,
    make_live,
    read_generation,
)
from polaris_search.store.embedded.index_build import remove_unused
from polaris_search.store.embedded.index_files import IndexFiles
from polaris_search.store.generations import CaughtUp, Transform
from polaris_search.store.protocol import Refused, TableStore

NOTHING = CaughtUp(written=0, deleted=0)


class StagedGeneration:
    """A generation whose process holds the lease; Staged says what a method promises.

    Args:
        database: a connection of its own, open as long as this.
        number: the generation's number.
        base: the live generation that it is to replace.
        tables: the store of this generation alone.
        resumed: whether it goes on with what an interrupted run left.
    """

    name: str
    base: str | None
    resumed: bool
    tables: TableStore

    def __init__(
        self,
        database: Database,
        number: int,
        base: Generation,
        tables: TableStore,
        *,
        resumed: bool,
    ) -> None:
        self.name = read_generation(database, number).name
        self.base = base.name
        self.resumed = resumed
        self.tables = tables
        self._database = database
        self._number = number
        self._base_number = base.number

    def uncopied(self) -> Iterator[EnrichedTable]:
        """Yield the tables that are not in this one yet, ids ascending, a page at a time."""
        return tables_lacked(self._database, self._base_number, self._number)

    def catch_up(self, transform: Transform) -> CaughtUp:
        """Bring over what is logged by now; what is refused stays logged for the next call."""
        done = NOTHING
        for page in changes.logged(self._database, self._number, rows.TABLES_PER_PAGE):
            done = _sum(done, self._bring_over(page, transform))
        return done

    def missing_or_surplus(self) -> tuple[int, int]:
        """Return how many tables this one lacks, and how many it has more."""
        return missing_and_surplus(self._database, self._base_number, self._number)

    def check_definition(self) -> None:
        """Return None: index files carry their definition, and are built anew for another one."""

    def go_live(self) -> None:
        """Bring over what is still logged, as it is, and become live, in one transaction."""
        with self._database.writing() as connection:
            live = live_number(connection)
            if live == self._number:
                return
            if live != self._base_number:
                raise StoreProblem(
                    f"Another generation than {self.base} went live meanwhile, so {self.name} was "
                    "not made live over it. Run the command again."
                )
            read_generation(connection, self._number)  # raises where it was dropped
            changes.bring_over_as_they_are(self._database, connection, live, self._number)
            make_live(connection, self._number)

    def settle(self, transform: Transform) -> CaughtUp:
        """Do nothing: no write was under way as this generation went live."""
        return NOTHING

    def drop(self) -> None:
        """Remove this generation and its index files."""
        drop(self._database, [self._number])
        remove_unused(self._database, IndexFiles(self._database.folder))

    def _bring_over(self, page: Sequence[Change], transform: Transform) -> CaughtUp:
        table_ids = [change.table_id for change in page]
        found = rows.read_tables(self._database, self._base_number, table_ids)
        encoded = [rows.encoded(table) for table in transform(found.values())]
        good = [one for one in encoded if isinstance(one, rows.EncodedTable)]
        refused = [one for one in encoded if isinstance(one, Refused)]
        gone = [table_id for table_id in table_ids if table_id not in found]
        over = {*gone, *(one.table_id for one in good)}
        with self._database.writing() as connection:
            read_generation(connection, self._number)  # raises where it was dropped
            rows.write(connection, self._number, good)
            deleted = rows.delete(connection, self._number, gone)
            changes.forget(
                connection, self._number, [change for change in page if change.table_id in over]
            )
        return CaughtUp(len(good), deleted, tuple(refused))


def _sum(one: CaughtUp, other: CaughtUp) -> CaughtUp:
    return CaughtUp(
        one.written + other.written, one.deleted + other.deleted, one.refused + other.refused
    )
