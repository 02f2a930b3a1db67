"""A lock between processes that ends with the process that holds it, however that ends.

It is an exclusive transaction on an empty SQLite file: the operating system drops it on a kill, and
it works on every system that SQLite works on, also between containers that share a folder.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class ProcessLock:
    """A lock that this process holds until `release`.

    Args:
        path: the lock's file; created where missing, its folder too.
        wait_s: longest wait while another one holds it.

    Raises:
        sqlite3.OperationalError: another one still holds it (SQLITE_BUSY), or the file is unusable.
    """

    def __init__(self, path: Path, wait_s: float) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._connection = sqlite3.connect(
            path, timeout=wait_s, isolation_level=None, check_same_thread=False
        )
        try:
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            self._connection.close()
            raise

    def release(self, *, remove: bool = False) -> None:
        """Let go of the lock; `remove` its file too, where nobody will ask for it again."""
        if remove:
            self._path.unlink(missing_ok=True)
        self._connection.close()


def try_lock(path: Path) -> ProcessLock | None:
    """Return the lock of this name, None if another one holds it."""
    try:
        return ProcessLock(path, wait_s=0)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return None
        raise


@contextmanager
def locked(path: Path, wait_s: float) -> Iterator[None]:
    """Hold the lock of this name during the block; raises as ProcessLock does."""
    lock = ProcessLock(path, wait_s)
    try:
        yield
    finally:
        lock.release()
