"""The names of what can be searched in a schema: tables, foreign ones, views, materialized ones.

Partitions are left out, for the table they are parts of stands there too.
"""

from collections.abc import Callable, Iterable, Sequence

from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql.base import PGInspector
from sqlalchemy.engine.reflection import Inspector
from sqlalchemy.exc import SQLAlchemyError

_PARTITIONS = """
    SELECT c.relname FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = :schema AND c.relispartition
"""


def names_in_schema(inspector: Inspector, connection: Connection, schema: str) -> Sequence[str]:
    """Return the tables, then the views of a schema, each in the order of their names.

    Raises:
        SQLAlchemyError: the schema cannot be inspected.
    """
    tables = set(inspector.get_table_names(schema))
    if isinstance(inspector, PGInspector):
        tables |= set(inspector.get_foreign_table_names(schema))
        tables -= _partitions(connection, schema)
    views = _where_known(inspector.get_view_names, schema)
    views |= _where_known(inspector.get_materialized_view_names, schema)
    return (*sorted(tables), *sorted(views - tables))


def _partitions(connection: Connection, schema: str) -> set[str]:
    try:
        return set(connection.scalars(text(_PARTITIONS), {"schema": schema}))
    except SQLAlchemyError:  # what only speaks like PostgreSQL may not know them
        connection.rollback()
        return set()


def _where_known(names: Callable[[str], Iterable[str]], schema: str) -> set[str]:
    try:
        return set(names(schema))
    except NotImplementedError:  # the database system has no such thing
        return set()
