"""Reads the tables and views of any SQL database that SQLAlchemy knows; never a row of them.

The table_id is database.schema.table, with the file's stem as the database of a SQLite file.
Comments become context: `comment` the table's own, `column_comments` as "column: text" joined by
"; ". The schemas in which database systems keep their own books are passed over.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import create_engine, inspect
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.engine.interfaces import ReflectedColumn
from sqlalchemy.engine.reflection import Inspector
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool
from sqlalchemy.types import NullType

from ingest.readers.address import has_stray_at, is_address, shown_address, without_secrets
from ingest.readers.row import ReadItem, Row
from ingest.rejected import Rejected
from polaris_search.errors import SourceUnreadable, TableInvalid
from polaris_search.records import Column, RawTable

SYSTEM_SCHEMAS = frozenset(
    ("information_schema", "pg_catalog", "pg_toast", "mysql", "performance_schema", "sys", "system")
)


@dataclass(frozen=True, slots=True)
class Database:
    """A database that answered.

    `shown` is its address without user, password and options, or its path; `name` its own name.
    """

    engine: Engine
    shown: str
    name: str | None


def open_database(source: str) -> Database:
    """Return the database at a URL or in a SQLite file, after a first connection.

    SQLite files are opened read-only: a source is never written to, and never made.

    Raises:
        SourceUnreadable: not the address of a database, no driver for it, no answer, or no entry.
    """
    url = _url(source)
    if url.get_backend_name() == "sqlite" and url.database and "uri" not in url.query:
        path = Path(url.database)
        shown = path.as_posix()
        return Database(_connect(_read_only(path, url), shown), shown, path.stem)
    shown = shown_address(source)
    return Database(_connect(url, shown), shown, url.database)


def read_sql(database: Database) -> Iterator[ReadItem]:
    """Yield the tables, then the views, of each schema, in the order of their names.

    The connections are closed at the end.
    """
    try:
        yield from read_schemas(database, inspect(database.engine))
    finally:
        database.engine.dispose()


def _url(source: str) -> URL:
    if not is_address(source):
        return URL.create("sqlite", database=source)
    shown = shown_address(source)
    if has_stray_at(source):
        remedy = "Write every @ of the user, the password and the options as %40."
        raise SourceUnreadable(shown, "The address has an @ too many", remedy)
    try:
        return make_url(source)
    except (ArgumentError, ValueError):  # a port that is no number is a ValueError
        remedy = "Write it as postgresql://user:password@host/database."
        raise SourceUnreadable(shown, "This is not the address of a database", remedy) from None


def _read_only(path: Path, url: URL) -> URL:
    if not path.is_file():
        problem = "It is not a file" if path.exists() else "There is no such file"
        raise SourceUnreadable(path.as_posix(), problem, "Check the path.")
    # The driver takes the part after file: as a URI of its own.
    options = {**url.query, "mode": "ro", "uri": "true"}
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query=options)


def _connect(url: URL, shown: str) -> Engine:
    try:
        engine = create_engine(url, poolclass=NullPool)  # a connection kept would be left open
        engine.connect().close()
    except ModuleNotFoundError as error:
        remedy = "Install the package that provides it, or name another driver in the address."
        raise SourceUnreadable(shown, f"The driver {error.name} is not installed", remedy) from None
    except NoSuchModuleError:
        remedy = "Write it as postgresql://user:password@host/database."
        problem = f"No database system is known as {url.drivername}"
        raise SourceUnreadable(shown, problem, remedy) from None
    except (SQLAlchemyError, TypeError, ValueError) as error:  # the latter: options unknown to it
        remedy = "Check the address, the user and that the server runs."
        raise SourceUnreadable(shown, _first_line(error), remedy) from None
    return engine


def read_schemas(database: Database, inspector: Inspector) -> Iterator[ReadItem]:
    """Yield what the inspector finds in each schema that is not the system's own."""
    for schema in sorted(set(inspector.get_schema_names()) - SYSTEM_SCHEMAS):
        try:
            names = _names(inspector, schema)
        except SQLAlchemyError as error:
            yield _refused(database, f"Schema {schema} cannot be inspected", error)
            continue
        for name in names:
            yield _item(database, inspector, schema, name)
            inspector.clear_cache()  # it would keep every table of a large warehouse


def _names(inspector: Inspector, schema: str) -> Sequence[str]:
    tables = sorted(inspector.get_table_names(schema))
    return tables + sorted(inspector.get_view_names(schema))


def _item(database: Database, inspector: Inspector, schema: str, name: str) -> ReadItem:
    table_id = ".".join(part for part in (database.name, schema, name) if part)
    try:
        return Row(_table(database, inspector, schema, name, table_id), database.shown)
    except SQLAlchemyError as error:
        return _refused(database, f"{schema}.{name} cannot be inspected", error, table_id)
    except TableInvalid as error:
        problem = f"{schema}.{name}: {error.problem}"
        return Rejected(database.shown, None, problem, error.remedy, table_id)


def _refused(
    database: Database, problem: str, error: SQLAlchemyError, table_id: str | None = None
) -> Rejected:
    remedy = "Check that the user may read it and that it still works."
    problem = f"{problem} ({_first_line(error)})"
    return Rejected(database.shown, None, problem, remedy, table_id)


def _table(
    database: Database, inspector: Inspector, schema: str, name: str, table_id: str
) -> RawTable:
    columns = tuple(
        _column(inspector, found) for found in inspector.get_columns(name, schema=schema)
    )
    return RawTable(
        table_id=table_id,
        name=name,
        columns=columns,
        context=_comments(inspector, schema, name, columns),
        database=database.name,
        schema=schema,
        format="sql",
    )


def _column(inspector: Inspector, found: ReflectedColumn) -> Column:
    kind = found["type"]
    untyped = isinstance(kind, NullType)
    return Column(
        name=found["name"],
        type=None if untyped else kind.compile(dialect=inspector.dialect),
        comment=found.get("comment") or None,
    )


def _comments(
    inspector: Inspector, schema: str, name: str, columns: Sequence[Column]
) -> dict[str, str]:
    comments = {}
    if inspector.dialect.supports_comments:
        comments["comment"] = inspector.get_table_comment(name, schema=schema)["text"] or ""
    described = [f"{column.name}: {column.comment}" for column in columns if column.comment]
    comments["column_comments"] = "; ".join(described)
    return {key: text for key, text in comments.items() if text}


def _first_line(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    text = str(cause).strip() or type(cause).__name__
    return without_secrets(text.splitlines()[0]).rstrip(".")
