"""Which table ids a run has met: in a temporary file, 16 bytes each, so that memory stays flat.

They tell a second table of an id from the first, and what a source still has from what is gone.
"""

import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Literal

from polaris_search.errors import NoTemporaryFile

CACHE_KB = 16_000
"""Most that is held in memory; with more ids than fit (some 400,000) the file is read too."""

Kind = Literal["read", "rejected", "sources"]


class SeenIds:
    """The ids of one run, and the sources that its tables belong to.

    `complete` is False once something was rejected of which no id is known, so that tables may
    stand there unseen.

    Args:
        cache_kb: most memory to use, in kilobytes.

    Raises:
        NoTemporaryFile: from any method, if there is no room for the file.
    """

    def __init__(self, cache_kb: int = CACHE_KB) -> None:
        self.complete = True
        self._count = 0
        with _told():
            # Without a name SQLite makes a temporary file that is gone with the process.
            self._file = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            weakref.finalize(self, self._file.close)
            for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{cache_kb}"):
                self._file.execute(f"PRAGMA {pragma}")
            for kind in ("read", "rejected", "sources"):
                self._file.execute(f"CREATE TABLE {kind} (key BLOB PRIMARY KEY) WITHOUT ROWID")
            self._file.execute("BEGIN")  # never ended: what would a commit be good for

    def add(self, table_id: str, source: str | None) -> bool:
        """Note a table that was read; return False if its id had been read before.

        `source` is None for a table given without one; readers give every table a source.
        """
        if not self._add("read", table_id):
            return False
        self._count += 1
        self._add("sources", _source_text(source))
        return True

    def add_rejected(self, table_id: str | None) -> None:
        """Note something that a source has, though it could not be read."""
        if table_id is None:
            self.complete = False
        else:
            self._add("rejected", table_id)

    def __contains__(self, table_id: str) -> bool:
        return self._has("read", table_id) or self._has("rejected", table_id)

    def __len__(self) -> int:
        return self._count

    def has_source(self, source: str | None) -> bool:
        """Return whether a table that was read belongs to the source."""
        return self._has("sources", _source_text(source))

    def _add(self, kind: Kind, text: str) -> bool:
        with _told():
            added = self._file.execute(f"INSERT OR IGNORE INTO {kind} VALUES (?)", (_key(text),))
        return added.rowcount == 1

    def _has(self, kind: Kind, text: str) -> bool:
        with _told():
            found = self._file.execute(f"SELECT 1 FROM {kind} WHERE key = ?", (_key(text),))
            return found.fetchone() is not None


def _source_text(source: str | None) -> str:
    return "" if source is None else f"={source}"


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise NoTemporaryFile(error) from error
