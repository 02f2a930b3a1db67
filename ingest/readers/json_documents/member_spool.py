"""A lookup from keys to raw texts that may be larger than memory allows, on disk while it lives."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from polaris_search.errors import NoTemporaryFile


class MemberSpool:
    """Texts by key; of two with one key the later one counts."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.execute("CREATE TABLE members (key BLOB PRIMARY KEY, text BLOB) WITHOUT ROWID")

    def put(self, key: str, text: bytes) -> None:
        """Keep a text."""
        self._database.execute("REPLACE INTO members VALUES (?, ?)", (_bytes(key), text))

    def get(self, key: str) -> bytes | None:
        """Return the text of a key, None where there is none."""
        query = "SELECT text FROM members WHERE key = ?"
        found = self._database.execute(query, (_bytes(key),)).fetchone()
        return bytes(found[0]) if found else None


def _bytes(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


@contextmanager
def member_spool() -> Iterator[MemberSpool]:
    """Open an empty spool that is gone afterwards."""
    with scratch_database() as database:
        yield MemberSpool(database)


@contextmanager
def scratch_database() -> Iterator[sqlite3.Connection]:
    """Open an empty SQLite database in a file without a name, which is gone afterwards.

    Raises:
        NoTemporaryFile: there is no room for the file.
    """
    try:
        with closing(sqlite3.connect("", isolation_level=None)) as database:
            # One transaction that is never committed: nothing of it is to outlive the process.
            for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -16384"):
                database.execute(f"PRAGMA {setting}")
            database.execute("BEGIN")
            yield database
    except sqlite3.OperationalError as error:
        raise NoTemporaryFile(error) from error
