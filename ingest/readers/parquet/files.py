"""Reads Parquet files as tables by the schema in their footer; never a row group.

The table_id is the file's path as given, or the folder's of a table that is written in parts.
Fields within structs, lists and maps become columns with dotted names. What writers say of fields
and tables becomes comments and context; the keys of partitions are columns too.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow
import pyarrow.parquet

from ingest.readers.address import storable
from ingest.readers.comments import column_comments, filled
from ingest.readers.parquet.metadata import index_without_name, spark_comments, table_context
from ingest.readers.parquet.schema import columns_of_schema
from ingest.readers.parquet.sets import last_part, partition_keys
from ingest.readers.row import ReadItem, Row, empty_source
from ingest.rejected import Rejected
from polaris_search.errors import TableInvalid
from polaris_search.records import Column, RawTable

MAGIC = b"PAR1"
ENCRYPTED_MAGIC = b"PARE"


def read_parquet(path: Path, table: Path | None = None) -> Iterator[ReadItem]:
    """Yield the one table that a file is, or that it is the first part of.

    Args:
        path: the file.
        table: the folder, or common name of shards, that stands for a table in parts.
    """
    source, named = str(table or path), table or path
    table_id = storable(named.as_posix() if named.name else Path(named).resolve().name)
    if path.stat().st_size == 0:
        yield empty_source(str(path))
        return
    try:
        schema = _schema(path)
        yield Row(_table(table_id, named, schema, _parts_columns(path, table)), source)
    except (pyarrow.ArrowException, ValueError) as error:
        yield Rejected(str(path), None, *_problem(path, error), table_id)
    except TableInvalid as error:
        yield Rejected(str(path), None, error.problem, error.remedy, table_id)


def _schema(path: Path) -> pyarrow.Schema:
    with path.open("rb") as file:  # pyarrow itself takes no name that is not UTF-8
        return pyarrow.parquet.read_schema(file)


def _table(
    table_id: str, named: Path, schema: pyarrow.Schema, more: tuple[Column, ...]
) -> RawTable:
    columns = _together((*_columns(schema), *more))
    return RawTable(
        table_id=table_id,
        name=_name(named),
        columns=columns,
        context=filled(
            {**table_context(schema.metadata or {}), "column_comments": column_comments(columns)}
        ),
        format="parquet",
    )


def _name(named: Path) -> str:
    name = storable(named.name or Path(named).resolve().name)
    return Path(name).stem if name.lower().endswith((".parquet", ".parq", ".pq")) else name


def _columns(schema: pyarrow.Schema) -> tuple[Column, ...]:
    metadata = schema.metadata or {}
    nameless = index_without_name(metadata)
    fields = [field for field in schema if field.name not in nameless]
    return columns_of_schema(fields, spark_comments(metadata))


def _parts_columns(path: Path, table: Path | None) -> tuple[Column, ...]:
    """Return what the table's last part has besides, then the keys of its partitions."""
    if table is None:
        return ()
    last = last_part(table)
    columns: tuple[Column, ...] = ()
    if last is not None and last != path:
        with suppress(pyarrow.ArrowException, OSError, ValueError):  # the first part told enough
            columns = _columns(_schema(last))
    keys = partition_keys(path) or (partition_keys(last) if last else ())
    return (*columns, *(Column(storable(key.name)) for key in keys))


def _together(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns, those of further parts only where the first has no such name."""
    met: dict[str, Column] = {}
    for column in columns:
        met.setdefault(column.name, column)
    return tuple(met.values())


def _problem(path: Path, error: Exception) -> tuple[str, str]:
    with path.open("rb") as file:
        if file.read(4) == ENCRYPTED_MAGIC:
            return "Its schema is encrypted", "Name a copy with a plaintext footer."
    reason = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else "no reason"
    return f"It is no Parquet file that can be read ({reason})", "Write it again, or leave it out."
