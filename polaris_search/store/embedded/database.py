"""A connection to a folder's SQLite database: reads, and transactions that are whole or undone.

Knows files, waiting and errors; what the statements mean is said by the modules that use it.
"""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polaris_search.store.embedded.problems import told_plainly

FILE_NAME = "polaris.sqlite"

Row = tuple[Any, ...]  # SQLite's values; the readers give them their types
Value = str | int | bytes | None


class Database:
    """One connection; threads take turns.

    Args:
        folder: the store's folder, which exists.
        busy_timeout_s: longest wait for another process's write.

    Raises:
        StoreProblem: from any method, if the database cannot be used.
    """

    def __init__(self, folder: Path, busy_timeout_s: float) -> None:
        self.folder = folder
        self.busy_timeout_s = busy_timeout_s
        self._lock = threading.RLock()
        with told_plainly(folder):
            self._connection = sqlite3.connect(
                folder / FILE_NAME,
                timeout=busy_timeout_s,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                # FULL: a commit is on the disk before the write returns.
                self._connection.execute("PRAGMA synchronous = FULL")
            except sqlite3.Error:
                self._connection.close()
                raise

    def again(self) -> "Database":
        """Return another connection to the same database."""
        return Database(self.folder, self.busy_timeout_s)

    def row(self, statement: str, values: Sequence[Value] = ()) -> Row | None:
        """Return the first row that a statement gives."""
        with self._lock, told_plainly(self.folder):
            row: Row | None = self._connection.execute(statement, values).fetchone()
            return row

    def rows(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return every row that a statement gives."""
        with self._lock, told_plainly(self.folder):
            return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that is kept, durably, if the block ends well, else undone."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that sees the database as it is at its first statement."""
        with self._transaction("BEGIN") as connection:
            yield connection

    def close(self) -> None:
        """Close the connection."""
        with self._lock, told_plainly(self.folder):
            self._connection.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock, told_plainly(self.folder):
            self._connection.execute(begin)
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
