"""Opens a folder's database: creates it where there is none, brings an older one up to date.

Refuses what cannot be used.
"""

from pathlib import Path

from polaris_search.errors import StoreProblem
from polaris_search.store.embedded.database import FILE_NAME, Database
from polaris_search.store.embedded.file_systems import refuse_network_share
from polaris_search.store.embedded.generations import create_live_generation
from polaris_search.store.embedded.problems import told_plainly
from polaris_search.store.embedded.process_lock import locked
from polaris_search.store.embedded.schema import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    bring_up_to_date,
)

BUSY_TIMEOUT_S = 30.0


def open_database(folder: Path, busy_timeout_s: float = BUSY_TIMEOUT_S) -> Database:
    """Return the database of a folder, ready for use.

    Args:
        folder: the store's folder; created where missing.
        busy_timeout_s: longest wait for another process's write.

    Raises:
        StoreProblem: the folder cannot be used, is on a network share, or holds something else.
    """
    refuse_network_share(folder)
    with told_plainly(folder):
        folder.mkdir(parents=True, exist_ok=True)
    database = Database(folder, busy_timeout_s)
    try:
        if _is_new(database):
            _create(database)
        _check(database)
        if _version(database) < SCHEMA_VERSION:
            _upgrade(database)
    except StoreProblem:
        database.close()
        raise
    return database


def _is_new(database: Database) -> bool:
    return database.row("SELECT 1 FROM sqlite_master") is None


def _create(database: Database) -> None:
    # Two processes that switch a new file to the write-ahead log at once would disturb each other.
    lock = database.folder / "locks" / "create.lock"
    with told_plainly(database.folder), locked(lock, database.busy_timeout_s):
        _switch_to_write_ahead_log(database)
        with database.writing() as connection:
            if _is_new(database):
                bring_up_to_date(connection, version=0)
                create_live_generation(connection)


def _switch_to_write_ahead_log(database: Database) -> None:
    if database.row("PRAGMA journal_mode = WAL") != ("wal",):
        raise StoreProblem(
            f"The store in {database.folder}: this file system cannot keep SQLite's write-ahead "
            "log. Set POLARIS_STORE to a folder on a disk of this machine."
        )


def _check(database: Database) -> None:
    path = database.folder / FILE_NAME
    if database.row("PRAGMA application_id") != (APPLICATION_ID,):
        raise StoreProblem(
            f"{path} is another program's database. Set POLARIS_STORE to another folder."
        )
    if not 1 <= _version(database) <= SCHEMA_VERSION:
        raise StoreProblem(
            f"{path} was written by another version of this program. Use that version, or move "
            "the folder away and ingest again."
        )


def _upgrade(database: Database) -> None:
    with database.writing() as connection:
        # Asked again: another process may have done it while this one waited for its turn.
        bring_up_to_date(connection, _version(database))


def _version(database: Database) -> int:
    row = database.row("PRAGMA user_version")
    return int(row[0]) if row else 0
