"""The log of what was written to the live generation while another is built to take its place.

Triggers of the database (schema.py) write it, in the transaction of each write. An entry says that
a table changed, not how: whoever reads it looks at the table as it is by then.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polaris_search.store.embedded import rows
from polaris_search.store.embedded.database import Database

_NEWEST = "SELECT COALESCE(MAX(number), 0) FROM changes WHERE follower = ?"
_PAGE = """SELECT number, table_id FROM changes
    WHERE follower = ? AND number > ? AND number <= ? ORDER BY number LIMIT ?"""
_FORGET = "DELETE FROM changes WHERE follower = ? AND number = ?"
_FORGET_ALL = "DELETE FROM changes WHERE follower = ?"


@dataclass(frozen=True, slots=True)
class Change:
    """One table that was written or deleted; `number` grows with time."""

    number: int
    table_id: str


def newest(database: Database, follower: int) -> int:
    """Return the number of the last change that is logged for a generation; 0 if there is none."""
    ((number,),) = database.rows(_NEWEST, (follower,))
    return int(number)


def logged(database: Database, follower: int, size: int) -> Iterator[list[Change]]:
    """Yield what is logged for a generation by now, oldest first, `size` changes at a time.

    What is logged meanwhile is not among it, and a table changed again meanwhile comes later.
    """
    end, last = newest(database, follower), 0
    while found := database.rows(_PAGE, (follower, last, end, size)):
        yield [Change(number, table_id) for number, table_id in found]
        last = found[-1][0]


def forget(connection: sqlite3.Connection, follower: int, changes: Sequence[Change]) -> None:
    """Remove what is brought over; what was changed again since has a new number, and stays."""
    connection.executemany(_FORGET, [(follower, change.number) for change in changes])


def forget_all(connection: sqlite3.Connection, follower: int) -> None:
    """Remove everything logged for a generation."""
    connection.execute(_FORGET_ALL, (follower,))


def bring_over_as_they_are(
    database: Database, connection: sqlite3.Connection, base: int, follower: int
) -> None:
    """Make every logged table what it is in `base`, in the database's open transaction."""
    for page in logged(database, follower, rows.IDS_PER_STATEMENT):
        table_ids = [change.table_id for change in page]
        rows.delete(connection, follower, table_ids)
        rows.copy(connection, base, follower, table_ids)
    forget_all(connection, follower)
