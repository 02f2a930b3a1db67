"""The tables of the database, as SQL."""

import sqlite3

APPLICATION_ID = 0x504F4C53
"""Marks the file as this product's (PRAGMA application_id): "POLS"."""

SCHEMA_VERSION = 1

_STATEMENTS = (
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
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)


def create_schema(connection: sqlite3.Connection) -> None:
    """Create the tables in the open transaction."""
    for statement in _STATEMENTS:
        connection.execute(statement)
