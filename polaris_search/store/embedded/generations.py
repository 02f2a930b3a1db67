"""Generations: each holds a set of tables, one is live, scratch ones last as long as their process.

A generation's content is identified by the sum of its tables' digests: equal tables give an equal
content, however they got there, and a write changes it without reading the other tables.
"""

import secrets
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from polaris_search.errors import StoreProblem
from polaris_search.store.embedded.database import Database
from polaris_search.store.embedded.process_lock import ProcessLock, try_lock

NO_CONTENT = "0" * 64
ROWS_PER_DROP = 1_000
"""Rows removed in one transaction, so that other writers get their turn."""

_COLUMNS = "number, name, content, revision, tables, refreshed_content, refreshed_revision"
_LIVE = f"SELECT {_COLUMNS} FROM generations WHERE number = (SELECT generation FROM live)"
_NUMBERED = f"SELECT {_COLUMNS} FROM generations WHERE number = ?"
_INSERT = """INSERT INTO generations
    (name, scratch, content, revision, tables, refreshed_content, refreshed_revision)
    VALUES (?, ?, ?, 0, 0, ?, 0)"""
_ADVANCE = """UPDATE generations SET content = ?, revision = revision + 1, tables = tables + ?
    WHERE number = ?"""
_REFRESH = """UPDATE generations SET refreshed_content = content, refreshed_revision = revision
    WHERE number = ?"""
_DROP_ROWS = """DELETE FROM tables WHERE rowid IN
    (SELECT rowid FROM tables WHERE generation = ? LIMIT ?)"""


@dataclass(frozen=True, slots=True)
class Generation:
    """The state of a generation.

    Attributes:
        number: its key; never used again.
        name: what people see of it.
        content: identifies the tables it holds, 64 hex digits.
        revision: grows with every write.
        tables: how many tables it holds.
        refreshed_content: the content at the last refresh.
        refreshed_revision: the revision at the last refresh.
    """

    number: int
    name: str
    content: str
    revision: int
    tables: int
    refreshed_content: str
    refreshed_revision: int


def read_generation(source: Database | sqlite3.Connection, number: int | None) -> Generation:
    """Return the generation of this number, the live one for None.

    Raises:
        StoreProblem: there is none (any more).
    """
    statement, values = (_LIVE, ()) if number is None else (_NUMBERED, (number,))
    if isinstance(source, Database):
        row = source.row(statement, values)
    else:
        row = source.execute(statement, values).fetchone()
    if row is None:
        raise StoreProblem(f"Generation {number} is gone; it was dropped. Run the command again.")
    return Generation(*row)


def create_live_generation(connection: sqlite3.Connection) -> None:
    """Create a new database's first generation and make it the live one."""
    number = _create(connection, _new_name("tables"), scratch=False)
    connection.execute("INSERT INTO live VALUES (1, ?)", (number,))


def advance(connection: sqlite3.Connection, number: int, change: int, tables: int) -> None:
    """Record a write: `change` is the sum of digests added less those taken away."""
    (content,) = connection.execute(
        "SELECT content FROM generations WHERE number = ?", (number,)
    ).fetchone()
    content = f"{(int(content, 16) + change) % (1 << 256):064x}"
    connection.execute(_ADVANCE, (content, tables, number))


def mark_refreshed(database: Database, generation: Generation) -> None:
    """Record that everything written so far is to be found by searches from now on."""
    if generation.refreshed_revision < generation.revision:
        with database.writing() as connection:
            connection.execute(_REFRESH, (generation.number,))


def contents(source: sqlite3.Connection) -> set[str]:
    """Return every content that some generation has or had at its last refresh."""
    rows = source.execute("SELECT content, refreshed_content FROM generations").fetchall()
    return {content for row in rows for content in row}


def create_scratch(database: Database) -> tuple[int, ProcessLock]:
    """Return the number of a new scratch generation, and the lock that shows it is in use."""
    name = _new_name("scratch")
    lock = try_lock(_lock_path(database.folder, name))
    if lock is None:
        raise StoreProblem(f"The name {name} is taken. Run the command again.")
    with database.writing() as connection:
        number = _create(connection, name, scratch=True)
    return number, lock


def drop_abandoned(database: Database) -> None:
    """Drop the scratch generations whose process has ended without doing so."""
    for number, name in database.rows("SELECT number, name FROM generations WHERE scratch"):
        lock = try_lock(_lock_path(database.folder, name))
        if lock is not None:
            drop(database, number)
            lock.release(remove=True)


def drop(database: Database, number: int) -> None:
    """Remove a generation and its tables, some at a time."""
    removed = ROWS_PER_DROP
    while removed == ROWS_PER_DROP:
        with database.writing() as connection:
            removed = connection.execute(_DROP_ROWS, (number, ROWS_PER_DROP)).rowcount
    with database.writing() as connection:
        connection.execute("DELETE FROM generations WHERE number = ?", (number,))


def _create(connection: sqlite3.Connection, name: str, *, scratch: bool) -> int:
    number = connection.execute(_INSERT, (name, scratch, NO_CONTENT, NO_CONTENT)).lastrowid
    if number is None:
        raise StoreProblem("SQLite gave the new generation no number. Report this.")
    return number


def _new_name(kind: str) -> str:
    return f"{kind}-{datetime.now(UTC):%Y%m%dt%H%M%Sz}-{secrets.token_hex(4)}"


def _lock_path(folder: Path, name: str) -> Path:
    return folder / "locks" / f"{name}.lock"
