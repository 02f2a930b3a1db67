"""Dropping generations: marked in one moment, then their rows are removed some at a time.

From the mark on nobody reads the generation, so that none sees half of it. What a killed process
has marked and not removed is found by its mark.
"""

import sqlite3
from collections.abc import Sequence

from polaris_search.errors import StoreProblem
from polaris_search.store.embedded.database import Database
from polaris_search.store.embedded.generations import live_number

ROWS_PER_DROP = 1_000
"""Rows removed in one transaction, so that other writers get their turn."""

_MARK = "UPDATE generations SET dropped = 1, follows = NULL WHERE number = ?"
_DROP_ROWS = """DELETE FROM tables WHERE rowid IN
    (SELECT rowid FROM tables WHERE generation = ? LIMIT ?)"""
_DROP_CHANGES = """DELETE FROM changes WHERE number IN
    (SELECT number FROM changes WHERE follower = ? LIMIT ?)"""


def drop(database: Database, numbers: Sequence[int]) -> None:
    """Remove generations and their tables.

    Raises:
        StoreProblem: the live one is among them; nothing was removed.
    """
    with database.writing() as connection:
        mark_dropped(connection, numbers)
    for number in numbers:
        _remove(database, number)


def mark_dropped(connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
    """Mark generations as dropped; nobody can read them afterwards. Raises as `drop` does."""
    if live_number(connection) in numbers:
        raise StoreProblem(
            "The live generation is not dropped. Make another one live first, with "
            "`polaris-admin reindex` or `polaris-admin index rollback`."
        )
    connection.executemany(_MARK, [(number,) for number in numbers])


def remove_dropped(database: Database) -> None:
    """Remove all that is marked, also what a killed process did not get to."""
    for (number,) in database.rows("SELECT number FROM generations WHERE dropped"):
        _remove(database, number)


def _remove(database: Database, number: int) -> None:
    _in_slices(database, _DROP_ROWS, number)
    _in_slices(database, _DROP_CHANGES, number)
    with database.writing() as connection:
        connection.execute("DELETE FROM generations WHERE number = ?", (number,))


def _in_slices(database: Database, statement: str, number: int) -> None:
    removed = ROWS_PER_DROP
    while removed == ROWS_PER_DROP:
        with database.writing() as connection:
            removed = connection.execute(statement, (number, ROWS_PER_DROP)).rowcount
