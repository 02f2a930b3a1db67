"""The generations of a folder: listed, staged, reopened, pruned; Generations says what is promised.

Whoever changes them holds the lease; what is found unfinished then is a killed process's.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime

from polaris_search.errors import GenerationUnknown
from polaris_search.records import content_hash
from polaris_search.store.embedded import changes
from polaris_search.store.embedded.database import Database
from polaris_search.store.embedded.dropping import drop, remove_dropped
from polaris_search.store.embedded.generations import (
    create_staged_generation,
    follow_live,
    made_at,
    read_generation,
)
from polaris_search.store.embedded.index_build import remove_unused
from polaris_search.store.embedded.index_files import IndexFiles
from polaris_search.store.embedded.lease import leased
from polaris_search.store.embedded.problems import told_plainly
from polaris_search.store.embedded.scratch import drop_abandoned, remove_abandoned_locks
from polaris_search.store.embedded.staging import StagedGeneration
from polaris_search.store.generations import GenerationInfo, GenerationState, Notify
from polaris_search.store.protocol import TableStore

OpenTables = Callable[[int], AbstractContextManager[TableStore]]
"""Opens the store of one generation alone, by its number."""

_KNOWN = """SELECT number, turn, recipe, follows, name,
    CASE WHEN number = (SELECT generation FROM live) THEN 'live'
         WHEN recipe IS NOT NULL THEN 'staged' ELSE 'kept' END AS state,
    tables, live_at, from_sources
    FROM generations WHERE NOT scratch AND NOT dropped
    ORDER BY state != 'live', number DESC"""
_STRAY_FOLLOWERS = "SELECT number FROM generations WHERE follows IS NOT NULL AND recipe IS NULL"


@dataclass(frozen=True, slots=True)
class _Known:
    """A generation, and what people need not see of it; see schema.py."""

    number: int
    turn: int
    recipe: str | None
    follows: int | None
    name: str
    state: GenerationState
    tables: int
    live_at: str | None
    from_sources: int


class EmbeddedGenerations:
    """The generations of a folder.

    Args:
        database: the store's connection; changes are made on others of their own.
        open_tables: opens the store of one generation.
    """

    def __init__(self, database: Database, open_tables: OpenTables) -> None:
        self._database = database
        self._open_tables = open_tables

    def listed(self) -> list[GenerationInfo]:
        """Return all generations but scratch ones, the live one first, then the newest first."""
        return [
            GenerationInfo(
                name=one.name,
                state=one.state,
                tables=one.tables,
                made_at=made_at(one.name),
                live_at=datetime.fromisoformat(one.live_at) if one.live_at else None,
                from_sources=bool(one.from_sources),
                current=True,  # index files carry their definition, and are built anew for another
            )
            for one in _known(self._database)
        ]

    @contextmanager
    def stage(
        self, recipe: str, notify: Notify, *, from_sources: bool = False
    ) -> Iterator[StagedGeneration]:
        """Open an empty generation, or what an interrupted run of this recipe left."""
        with self._leased() as database:
            number, resumed = _begun(database, content_hash(recipe), from_sources)
            with self._opened(database, number, resumed=resumed) as staged:
                yield staged

    @contextmanager
    def reopen(self, name: str, notify: Notify) -> Iterator[StagedGeneration]:
        """Open a kept generation; while it is open, the live one's writes are logged for it."""
        with self._leased() as database:
            kept = {one.name: one.number for one in _known(database) if one.state == "kept"}
            if name not in kept:
                raise GenerationUnknown(name, list(kept))
            with database.writing() as connection:
                follow_live(connection, kept[name], recipe=None)
            try:
                with self._opened(database, kept[name], resumed=False) as reopened:
                    yield reopened
            finally:
                _unfollow_strays(database)

    def prune(self, keep: int, notify: Notify) -> tuple[str, ...]:
        """Remove all kept generations but the `keep` that were live last, and what runs left."""
        with self._leased() as database:
            known = _known(database)
            kept = [one for one in known if one.state == "kept"]
            kept.sort(key=lambda one: (one.turn, one.number), reverse=True)
            doomed = [one for one in known if one.state == "staged"] + kept[keep:]
            drop(database, [one.number for one in doomed])
            with told_plainly(database.folder):
                abandoned = drop_abandoned(database)
                remove_abandoned_locks(database)
            remove_unused(database, IndexFiles(database.folder))
            return (*(one.name for one in doomed), *abandoned)

    @contextmanager
    def _leased(self) -> Iterator[Database]:
        with closing(self._database.again()) as database, leased(database):
            remove_dropped(database)
            _unfollow_strays(database)
            yield database

    @contextmanager
    def _opened(
        self, database: Database, number: int, *, resumed: bool
    ) -> Iterator[StagedGeneration]:
        live = read_generation(database, None)
        with self._open_tables(number) as tables:
            yield StagedGeneration(database, number, live, tables, resumed=resumed)


def _known(database: Database) -> list[_Known]:
    return [_Known(*row) for row in database.rows(_KNOWN)]


def _begun(database: Database, recipe: str, from_sources: bool) -> tuple[int, bool]:
    """Return the generation to go on with, and whether it was there already; drop all others."""
    live = read_generation(database, None).number
    staged = [one for one in _known(database) if one.state == "staged"]
    fitting = [one.number for one in staged if (one.recipe, one.follows) == (recipe, live)]
    drop(database, [one.number for one in staged if one.number not in fitting])
    if fitting:
        return fitting[0], True
    with database.writing() as connection:
        return create_staged_generation(connection, recipe, from_sources=from_sources), False


def _unfollow_strays(database: Database) -> None:
    """End the logging for kept generations that were reopened and are no longer open."""
    for (number,) in database.rows(_STRAY_FOLLOWERS):
        with database.writing() as connection:
            connection.execute("UPDATE generations SET follows = NULL WHERE number = ?", (number,))
            changes.forget_all(connection, number)
