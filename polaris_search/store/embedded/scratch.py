"""Scratch generations: each lasts as long as the process that uses it, which its lock file shows.

Row and lock file are made in one transaction, so that a lock file without a row is a killed
process's.
"""

import sqlite3
from contextlib import ExitStack
from pathlib import Path

from polaris_search.errors import StoreProblem
from polaris_search.store.embedded.database import Database
from polaris_search.store.embedded.dropping import drop
from polaris_search.store.embedded.generations import create_generation, new_name
from polaris_search.store.embedded.process_lock import ProcessLock, try_lock

_KIND = "scratch"


def create_scratch(database: Database) -> tuple[int, ProcessLock]:
    """Return the number of a new scratch generation, and the lock that shows it is in use."""
    name = new_name(_KIND)
    with ExitStack() as undo:
        with database.writing() as connection:
            number = create_generation(connection, name, scratch=True)
            lock = try_lock(_lock_path(database.folder, name))
            if lock is None:
                raise StoreProblem(f"The name {name} is taken. Run the command again.")
            undo.callback(lock.release, remove=True)
        undo.pop_all()
    return number, lock


def drop_abandoned(database: Database) -> list[str]:
    """Drop the scratch generations whose process has ended without doing so; return their names."""
    dropped = []
    for number, name in database.rows("SELECT number, name FROM generations WHERE scratch"):
        lock = try_lock(_lock_path(database.folder, name))
        if lock is not None:
            drop(database, [number])
            lock.release(remove=True)
            dropped.append(name)
    return dropped


def remove_abandoned_locks(database: Database) -> None:
    """Remove the lock files that killed processes left without a generation."""
    with database.writing() as connection:  # nobody else is between making a file and its row
        known = _scratch_names(connection)
        for path in _lock_path(database.folder, _KIND).parent.glob(f"{_KIND}-*.lock*"):
            if path.name.partition(".lock")[0] not in known:  # SQLite's -journal of it as well
                path.unlink(missing_ok=True)


def _scratch_names(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM generations WHERE scratch")}


def _lock_path(folder: Path, name: str) -> Path:
    return folder / "locks" / f"{name}.lock"
