"""The tables of the database, as SQL: what the first version had, and what each later one added.

A new database goes through the same steps as an old one, so that both end up alike.
"""

import sqlite3

APPLICATION_ID = 0x504F4C53
"""Marks the file as this product's (PRAGMA application_id): "POLS"."""

_FIRST = (
    # One line for each set of tables. `content` identifies what it holds, whatever the way there;
    # `revision` only grows. The refreshed ones are those of the last refresh.
    """CREATE TABLE generations (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        scratch INTEGER NOT NULL,
        content TEXT NOT NULL,
        revision INTEGER NOT NULL,
        tables INTEGER NOT NULL,
        refreshed_content TEXT NOT NULL,
        refreshed_revision INTEGER NOT NULL
    )""",
    # The one line says which generation is searched and written.
    """CREATE TABLE live (
        line INTEGER PRIMARY KEY CHECK (line = 1),
        generation INTEGER NOT NULL REFERENCES generations (number)
    )""",
    # `record` is the whole table; what stands beside it is taken from it, to be read without it.
    """CREATE TABLE tables (
        generation INTEGER NOT NULL,
        table_id TEXT NOT NULL,
        digest BLOB NOT NULL,
        input_hash TEXT NOT NULL,
        status TEXT NOT NULL,
        source TEXT,
        database TEXT,
        schema TEXT,
        format TEXT,
        language TEXT,
        column_count INTEGER NOT NULL,
        access TEXT NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (generation, table_id)
    )""",
    f"PRAGMA application_id = {APPLICATION_ID}",
)


def _logging(event: str, row: str) -> str:
    """Return the trigger that logs a write to `tables` for each generation that follows.

    A trigger, so that a process of an earlier version that still has the database open logs too.
    """
    return f"""CREATE TRIGGER log_{event.lower()} AFTER {event} ON tables
        WHEN EXISTS (SELECT 1 FROM generations WHERE follows = {row}.generation)
        BEGIN
            DELETE FROM changes WHERE table_id = {row}.table_id
                AND follower IN (SELECT number FROM generations WHERE follows = {row}.generation);
            INSERT INTO changes (follower, table_id)
                SELECT number, {row}.table_id FROM generations WHERE follows = {row}.generation;
        END"""


_SECOND = (
    # Of a staged generation: what becomes of tables in the run that builds it. Else NULL.
    "ALTER TABLE generations ADD COLUMN recipe TEXT",
    # The generation whose writes are logged for this one, which is to take its place; or NULL.
    "ALTER TABLE generations ADD COLUMN follows INTEGER",
    # When it last became the live one (ISO 8601, UTC), and the how manyth such event that was:
    # clocks may be set back. NULL and 0 where that was before anybody wrote it down, or never was.
    "ALTER TABLE generations ADD COLUMN live_at TEXT",
    "ALTER TABLE generations ADD COLUMN turn INTEGER NOT NULL DEFAULT 0",
    # 1 where it was built from sources, which may leave out tables that the one before it had.
    "ALTER TABLE generations ADD COLUMN from_sources INTEGER NOT NULL DEFAULT 0",
    # 1 from the moment on when its rows begin to be removed: nobody may read it any more.
    "ALTER TABLE generations ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0",
    # Ids that were written or deleted in the generation that `follower` follows. Each stands once,
    # with the number of its last change; AUTOINCREMENT, since a number must not come twice.
    """CREATE TABLE changes (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        follower INTEGER NOT NULL,
        table_id TEXT NOT NULL,
        UNIQUE (follower, table_id)
    )""",
    _logging("INSERT", "NEW"),
    _logging("UPDATE", "NEW"),
    _logging("DELETE", "OLD"),
    # Who holds a lease, for people; the lock that goes with it is a file's.
    "CREATE TABLE leases (task TEXT PRIMARY KEY, holder TEXT NOT NULL)",
)

_VERSIONS = (_FIRST, _SECOND)

SCHEMA_VERSION = len(_VERSIONS)


def bring_up_to_date(connection: sqlite3.Connection, version: int) -> None:
    """Turn a database of this version (0: an empty one) into one of SCHEMA_VERSION.

    In the open transaction, so that it is of the one version or of the other.
    """
    for statements in _VERSIONS[version:]:
        for statement in statements:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
