"""A generation that is built beside the live one, until it takes its place or is dropped."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime

from polaris_search.errors import PolarisError, ServiceUnreachable, StoreProblem
from polaris_search.records import EnrichedTable
from polaris_search.store.elasticsearch.generations.catch_up import Position, catch_up
from polaris_search.store.elasticsearch.generations.change_log import ChangeLog
from polaris_search.store.elasticsearch.generations.checkpoints import last_writes
from polaris_search.store.elasticsearch.generations.creation import drop_index, write_meta
from polaris_search.store.elasticsearch.generations.definition import differences
from polaris_search.store.elasticsearch.generations.difference import missing_or_surplus, uncopied
from polaris_search.store.elasticsearch.generations.leases import Lease
from polaris_search.store.elasticsearch.generations.listing import (
    FoundGeneration,
    found_generations,
    prompt_versions,
)
from polaris_search.store.elasticsearch.generations.meta import IndexMeta, Reindex
from polaris_search.store.elasticsearch.generations.place import Place
from polaris_search.store.elasticsearch.generations.settle import NOTHING, settle
from polaris_search.store.elasticsearch.generations.swap import (
    added,
    block_writes,
    change_aliases,
    removed,
)
from polaris_search.store.elasticsearch.index_tables import IndexTables
from polaris_search.store.generations import CaughtUp, Transform
from polaris_search.store.protocol import TableStore, WriteReport


class StagedTables(IndexTables):
    """The tables of a staged generation: written through its own alias, read by its name.

    Whoever takes the lease over takes that alias away, so that a process which was held to be gone
    writes no more.
    """

    def __init__(self, place: Place, name: str, staging_alias: str, lease: Lease) -> None:
        super().__init__(place.connection, staging_alias, place.limits, name)
        self._lease = lease

    def put(self, tables: Iterable[EnrichedTable]) -> WriteReport:
        """Store the tables; see TableStore."""
        with working(self._lease):
            return super().put(tables)

    def delete(self, table_ids: Sequence[str]) -> int:
        """Remove the tables; return how many there were."""
        with working(self._lease):
            return super().delete(table_ids)

    def close(self) -> None:
        """Do nothing: the generation stays open while its block runs."""


class StagedIndex:
    """A staged generation; Staged says what a method promises.

    Args:
        place: the alias and its server.
        found: the index, as it was found or made.
        staging_alias: the alias that it alone is written through.
        lease: the right to change generations.
        resumed: whether an interrupted run left it.
    """

    def __init__(
        self,
        place: Place,
        found: FoundGeneration,
        reindex: Reindex,
        staging_alias: str,
        lease: Lease,
        *,
        resumed: bool,
    ) -> None:
        self.name = found.name
        self.base = reindex.base
        self.resumed = resumed
        self.tables: TableStore = StagedTables(place, found.name, staging_alias, lease)
        self._place = place
        self._meta = found.meta
        self._reindex = reindex
        self._staging_alias = staging_alias
        self._lease = lease
        self._position = Position(reindex.after, reindex.deletions_from)

    def uncopied(self) -> Iterator[EnrichedTable]:
        """Yield the live generation's tables that are not in this one yet, ids ascending."""
        if self.base is None:
            return iter(())
        return uncopied(self._place, self.base, self.name)

    def catch_up(self, transform: Transform) -> CaughtUp:
        """Bring over what was written to or deleted from the live generation."""
        if self.base is None:
            return NOTHING
        with working(self._lease):
            caught_up, self._position = catch_up(
                self._place, self.base, self.tables, self._position, transform
            )
        return caught_up

    def missing_or_surplus(self) -> tuple[int, int]:
        """Return how many tables this one lacks, and how many it has more."""
        return missing_or_surplus(self._place, self.base, self.name, self._position)

    def check_definition(self) -> str | None:
        """Return None where mapping and analyzers are this program's, else what differs."""
        (found,) = (one for one in self._found() if one.name == self.name)
        paths = differences(found.body["settings"]["index"], found.body["mappings"])
        if not paths and found.meta.current:
            return None
        where = ", ".join(paths[:5]) or "its _meta"
        return f"The index {self.name} differs from this program's definition in: {where}."

    def go_live(self) -> None:
        """Make this the live generation in one request, and keep the one that was live."""
        with working(self._lease):
            live = self._live()
            if live == self.name:
                return
            self._check_base(live)
            self._prepare()
            self._lease.renew()
            self._swap()

    def settle(self, transform: Transform) -> CaughtUp:
        """Bring over the writes that were under way to the old generation."""
        with working(self._lease):
            self._lease.renew()
            caught_up, self._reindex = settle(
                self._place, self.name, self._meta_now(), self._position, transform
            )
        return caught_up

    def drop(self) -> None:
        """Remove this generation; it must not be live."""
        with working(self._lease):
            if self._live() == self.name:
                raise StoreProblem(f"{self.name} is live, so it cannot be dropped.")
            self._lease.renew()
            drop_index(self._place.connection, self.name)

    def _found(self) -> list[FoundGeneration]:
        return found_generations(self._place.connection, self._place.alias)

    def _live(self) -> str | None:
        return next((one.name for one in self._found() if one.state == "live"), None)

    def _meta_now(self) -> IndexMeta:
        return self._meta.with_reindex(self._reindex)

    def _check_base(self, live: str | None) -> None:
        if live != self.base:
            raise StoreProblem(
                f"{live or 'No generation'} is live by now, and {self.name} was built to replace "
                f"{self.base or 'none'}; nothing was changed. Run the command again."
            )

    def _prepare(self) -> None:
        """Make everything searchable, and write down where its own writes end."""
        connection = self._place.connection
        # A request that was given up and made again may still be under way: this waits for its end.
        block_writes(connection, self.name)
        settings = {"index.refresh_interval": None, "index.blocks.write": None}
        with connection.answering():
            connection.client.indices.put_settings(index=self.name, settings=settings)
        self.tables.refresh()
        self._meta = self._meta.with_prompts(prompt_versions(connection, self.name))
        log = ChangeLog(connection, self._place.alias)
        patience = self._place.patience
        self._reindex = replace(
            self._reindex,
            state="swapping",
            after=self._reindex.after if self._position.refused else self._position.changes,
            own=patience.persist(lambda: last_writes(connection, self.name)),
            deletions_after=patience.persist(log.position),
            swap_at=datetime.now(UTC).isoformat(),
        )
        write_meta(connection, self.name, self._meta_now())

    def _swap(self) -> None:
        alias = self._place.alias
        given = [removed(self.base, alias)] if self.base else []
        given += [added(self.name, alias), removed(self.name, self._staging_alias)]
        done = change_aliases(self._place.connection, *given)
        if not done and self._live() != self.name:  # else done, and the answer got lost
            self._check_base(self._live())
            raise StoreProblem(
                f"{self.name} is not written through {self._staging_alias} any more; "
                "nothing was changed. Run the command again."
            )


@contextmanager
def working(lease: Lease) -> Iterator[None]:
    """Run a block as the holder of the lease; what fails because it was lost says so.

    Raises:
        HolderLost: another process took the lease over.
    """
    lease.confirm()
    try:
        yield
    except PolarisError:
        with suppress(ServiceUnreachable):
            lease.renew()
        raise
