"""What SQLite and the file system raise, as sentences for the person who can act."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from polaris_search.errors import StoreProblem

_FULL = "its disk is full. Free space there and run the command again; what was stored stays."
_READ_ONLY = (
    "it cannot be written to. Give this user the right to write there, or set POLARIS_STORE to "
    "another folder."
)
_DAMAGED = (
    "its database is damaged. Put polaris.sqlite back from a backup, or move the folder away and "
    "ingest again."
)
_LOCKED = (
    "another program holds it locked. Wait until that command is done, or stop it, and run this "
    "one again."
)
_DISK = "its disk reports an error ({0}). Look at the system's log; check the disk."

# By the beginning of SQLite's name for the error (https://sqlite.org/rescode.html).
_SQLITE = (
    ("SQLITE_FULL", _FULL),
    ("SQLITE_READONLY", _READ_ONLY),
    ("SQLITE_PERM", _READ_ONLY),
    ("SQLITE_CANTOPEN", _READ_ONLY),
    ("SQLITE_CORRUPT", _DAMAGED),
    ("SQLITE_NOTADB", _DAMAGED),
    ("SQLITE_BUSY", _LOCKED),
    ("SQLITE_LOCKED", _LOCKED),
    ("SQLITE_IOERR", _DISK),
)
_SYSTEM = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.EROFS: _READ_ONLY,
    errno.EEXIST: "a file stands where it needs a folder. Set POLARIS_STORE to a folder.",
    errno.ENOTDIR: "a file stands where it needs a folder. Set POLARIS_STORE to a folder.",
}


@contextmanager
def told_plainly(folder: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the file system inside the block into StoreProblem.

    Raises:
        StoreProblem: which folder, what is wrong with it, and what to do.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise StoreProblem(f"The store in {folder}: {_about_sqlite(error)}") from error
    except OSError as error:
        raise StoreProblem(f"The store in {folder}: {_about_system(error)}") from error


def _about_sqlite(error: sqlite3.Error) -> str:
    # Errors that the sqlite3 module raises by itself carry no name.
    name = getattr(error, "sqlite_errorname", "")
    for beginning, sentence in _SQLITE:
        if name.startswith(beginning):
            return sentence.format(error)
    return f"SQLite refuses ({error}). Run the command again; if that does not help, report it."


def _about_system(error: OSError) -> str:
    sentence = _SYSTEM.get(error.errno or 0, _DISK)
    return sentence.format(error.strerror or error)
