"""Opens databases for reading: any that SQLAlchemy has a driver for.

Files of SQLite and DuckDB are opened read-only: a source is never written to, and never made.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import create_engine
from sqlalchemy.engine import URL, Engine
from sqlalchemy.exc import NoSuchModuleError, NoSuchTableError
from sqlalchemy.pool import NullPool

from ingest.readers.address import is_address, shown_address, storable, without_secrets
from ingest.readers.formats import DUCKDB_MAGIC, DUCKDB_MAGIC_AT
from ingest.readers.sql.database_address import PACKAGES, WRITE_IT, how_to_install, url_of
from polaris_search.errors import SourceUnreadable

IN_MEMORY = (None, "", ":memory:")


@dataclass(frozen=True, slots=True)
class Database:
    """A database that answered.

    `shown` is its address without user, password and options, or its path; `name` its own name.
    """

    engine: Engine
    shown: str
    name: str | None


def open_database(source: str) -> Database:
    """Return the database at an address or in a file, after a first connection.

    Raises:
        SourceUnreadable: not the address of a database, no driver for it, no answer, or no entry.
    """
    url = url_of(source) if is_address(source) else _file_url(Path(source))
    backend = url.get_backend_name()
    if backend in ("sqlite", "duckdb") and _is_plain_file(url):
        path = Path(str(url.database))
        shown = path.as_posix()
        read_only = _sqlite_read_only if backend == "sqlite" else _duckdb_read_only
        _check_file(path)
        return Database(_connect(*read_only(path, url), shown), shown, storable(path.stem))
    shown = shown_address(source)
    return Database(_connect(url, {}, shown), shown, url.database)


def what_failed(error: Exception) -> str:
    """Return the first line of what a driver says, without secrets."""
    if isinstance(error, NoSuchTableError):
        return "it is no longer there"
    cause = getattr(error, "orig", None) or error
    text = str(cause).strip() or type(cause).__name__
    return without_secrets(text.splitlines()[0]).rstrip(".")


def _file_url(path: Path) -> URL:
    with path.open("rb") as file:
        is_duckdb = file.read(DUCKDB_MAGIC_AT + len(DUCKDB_MAGIC)).endswith(DUCKDB_MAGIC)
    return URL.create("duckdb" if is_duckdb else "sqlite", database=str(path))


def _is_plain_file(url: URL) -> bool:
    is_file = url.database not in IN_MEMORY and "uri" not in url.query
    return is_file and not str(url.database).startswith("md:")  # DuckDB's in somebody's cloud


def _check_file(path: Path) -> None:
    if not path.is_file():
        problem = "It is not a file" if path.exists() else "There is no such file"
        raise SourceUnreadable(path.as_posix(), problem, "Check the path.")


def _sqlite_read_only(path: Path, url: URL) -> tuple[URL, dict[str, object]]:
    # The driver takes the part after file: as a URI of its own.
    options = {**url.query, "mode": "ro", "uri": "true"}
    return URL.create("sqlite", database=f"file:{quote(os.fsencode(path))}", query=options), {}


def _duckdb_read_only(path: Path, url: URL) -> tuple[URL, dict[str, object]]:
    return url, {"read_only": True}


def _connect(url: URL, options: dict[str, object], shown: str) -> Engine:
    try:
        # A connection kept in a pool would be left open.
        engine = create_engine(url, poolclass=NullPool, connect_args=options)
        engine.connect().close()
    except ModuleNotFoundError as error:
        problem = f"The driver {error.name} is not installed"
        raise SourceUnreadable(shown, problem, how_to_install(url)) from None
    except NoSuchModuleError:
        if "+" not in url.drivername and url.drivername in PACKAGES:
            problem = f"The driver for {url.drivername} is not installed"
            raise SourceUnreadable(shown, problem, how_to_install(url)) from None
        problem = f"No database system is known as {url.drivername}"
        raise SourceUnreadable(shown, problem, WRITE_IT) from None
    except Exception as error:  # drivers raise what they like: of options, of files, of their own
        remedy = "Check the address, the user and that the server runs."
        raise SourceUnreadable(shown, what_failed(error), remedy) from None
    return engine
