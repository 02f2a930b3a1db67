"""Reads the tables and views of any SQL database that SQLAlchemy knows; never a row of them.

The table_id is database.schema.table, with the file's stem as the database of a file. Comments
become context: `comment` the table's own, `column_comments` as "column: text" joined by "; ". The
schemas in which database systems keep their own books are passed over. Tables are asked for by the
chunk, so that a warehouse takes seconds; where a chunk fails, its tables are asked for one by one.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, inspect
from sqlalchemy.engine.interfaces import ReflectedColumn, ReflectedTableComment, TableKey
from sqlalchemy.engine.reflection import Inspector, ObjectKind
from sqlalchemy.exc import SAWarning
from sqlalchemy.types import NullType, TypeEngine

from ingest.readers.row import ReadItem
from ingest.readers.sql.connecting import Database
from ingest.readers.sql.duckdb_catalog import read_duckdb
from ingest.readers.sql.names import names_in_schema
from ingest.readers.sql.system_schemas import is_system_schema
from ingest.readers.sql.table import refused, sql_items, table_id_in
from polaris_search.records import Column

CHUNK_TABLES = 200
"""Asked for at once; some warehouses have tables of a thousand columns, all of which are held."""

_Found = TypeVar("_Found")


def read_sql(database: Database) -> Iterator[ReadItem]:
    """Yield the tables, then the views, of each schema, in the order of their names.

    The connection is closed at the end.
    """
    try:
        with database.engine.connect() as connection:
            if connection.dialect.name == "duckdb":
                yield from read_duckdb(database, connection)
            else:
                yield from _read_schemas(database, connection)
    except Exception as error:  # drivers raise what they like
        yield refused(database, "It cannot be inspected", error)
    finally:
        database.engine.dispose()


def _read_schemas(database: Database, connection: Connection) -> Iterator[ReadItem]:
    inspector = inspect(connection)
    for schema in _schemas(inspector):
        if is_system_schema(schema):
            continue
        reader = _SchemaReader(database, connection, inspector, schema)
        try:
            names = names_in_schema(inspector, connection, schema)
        except Exception as error:
            connection.rollback()  # or nothing more can be asked
            yield refused(database, f"Schema {schema} cannot be inspected", error)
            continue
        for start in range(0, len(names), CHUNK_TABLES):
            yield from reader.items(names[start : start + CHUNK_TABLES])


def _schemas(inspector: Inspector) -> list[str]:
    if inspector.dialect.name == "sqlite":
        return ["main"]  # it lists the path of the file beside it, which may be no UTF-8
    return sorted(inspector.get_schema_names())


class _SchemaReader:
    """Reads tables of one schema."""

    def __init__(
        self, database: Database, connection: Connection, inspector: Inspector, schema: str
    ) -> None:
        self._database = database
        self._connection = connection
        self._inspector = inspector
        self._schema = schema

    def items(self, names: Sequence[str]) -> Iterator[ReadItem]:
        """Yield each table in order, or why it cannot be read."""
        columns = self._of_all(self._inspector.get_multi_columns, names)
        comments: Mapping[TableKey, ReflectedTableComment] = {}
        if self._inspector.dialect.supports_comments:
            comments = self._of_all(self._inspector.get_multi_table_comment, names)
        self._end()
        for name in names:
            key = (self._schema, name)
            try:
                found = columns[key] if key in columns else self._columns(name)
                comment = comments[key]["text"] if key in comments else self._comment(name)
                described = self._described(found)
            except Exception as error:
                self._end()
                place = f"{self._schema}.{name}"
                table_id = table_id_in(self._database, self._schema, name)
                yield refused(self._database, f"{place} cannot be inspected", error, table_id)
                continue
            yield from sql_items(self._database, self._schema, name, described, comment or "")

    def _of_all(
        self, ask: Callable[..., Mapping[TableKey, _Found]], names: Sequence[str]
    ) -> Mapping[TableKey, _Found]:
        """Return what is told of all tables at once; nothing where one of them spoils it."""
        try:
            with _quiet():
                return ask(schema=self._schema, filter_names=names, kind=ObjectKind.ANY)
        except Exception:
            self._connection.rollback()
            return {}

    def _columns(self, name: str) -> Sequence[ReflectedColumn]:
        with _quiet():
            return self._inspector.get_columns(name, schema=self._schema)

    def _comment(self, name: str) -> str | None:
        if not self._inspector.dialect.supports_comments:
            return None
        return self._inspector.get_table_comment(name, schema=self._schema)["text"]

    def _described(self, found: Sequence[ReflectedColumn]) -> tuple[Column, ...]:
        return tuple(map(self._column, found))

    def _column(self, found: ReflectedColumn) -> Column:
        return Column(found["name"], self._type(found["type"]), found.get("comment") or None)

    def _type(self, kind: TypeEngine[Any]) -> str | None:
        """Return a type as the system writes it; its bare name where SQLAlchemy cannot write it."""
        if isinstance(kind, NullType):
            return None
        try:
            return kind.compile(dialect=self._inspector.dialect)
        except Exception:
            return type(kind).__name__

    def _end(self) -> None:
        """End the transaction, which an error has broken, and forget what was told."""
        self._connection.rollback()
        self._inspector.clear_cache()  # it would keep every table of a large warehouse


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep SQLAlchemy from warning of types that it does not know: they are no fault of anyone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)
        yield
