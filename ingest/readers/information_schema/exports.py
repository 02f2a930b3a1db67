"""Reads exports of `information_schema.columns`, with comments from one of `tables` beside them.

Rows may stand in any order: they go to disk first, so that a warehouse of any size fits in memory,
and come out table by table. The table_id is database.schema.table, as that of the same table read
from the database itself; MySQL's one catalog, "def", is left out of it. Comments become context.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ingest.readers.comments import column_comments, filled
from ingest.readers.information_schema.columns import ColumnRow, column_row, table_row
from ingest.readers.information_schema.rows import (
    DumpRow,
    delimited_header,
    kind_of_dump,
    rows_of_dump,
)
from ingest.readers.information_schema.spool import SchemaSpool
from ingest.readers.json_documents.member_spool import scratch_database
from ingest.readers.row import ReadItem, empty_source, placed_items
from ingest.readers.sql.system_schemas import is_system_schema
from ingest.rejected import Rejected
from polaris_search.errors import SourceUnreadable
from polaris_search.records import Column, RawTable

_EXTENSIONS = (".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Dump:
    """The files of one export: of columns, split or not, and of tables.

    Of those in `comments_from`, which nobody named, only comments are taken.
    """

    paths: tuple[Path, ...]
    comments_from: tuple[Path, ...] = ()


def dump_beside(path: Path, named: Collection[str]) -> Dump | None:
    """Return the export that a file belongs to: of columns, with the tables dumps beside them.

    None of a dump of tables whose columns are beside it and named too: it is read with those.

    Args:
        path: a dump of columns or tables.
        named: the real paths of all that a person named.

    Raises:
        SourceUnreadable: it lists tables alone, and their columns are beside it, not named.
    """
    beside = sorted(each for each in path.parent.iterdir() if _may_belong(each, path))
    if kind_of_dump(path) != "tables":
        tables = [each for each in beside if kind_of_dump(each) == "tables"]
        also = [each for each in tables if os.path.realpath(each) in named]
        return Dump((path, *also), tuple(each for each in tables if each not in also))
    columns = [each for each in beside if kind_of_dump(each) == "columns"]
    if any(os.path.realpath(each) in named for each in columns):
        return None
    if columns:
        remedy = f"Name {columns[0].name} beside it, which takes its comments from here."
        raise SourceUnreadable(str(path), "It lists tables without their columns", remedy)
    return Dump((path,))


def _may_belong(each: Path, path: Path) -> bool:
    """Return whether a file is called as a part of an export: nothing else is opened."""
    name = each.name.lower()
    is_called_so = each.suffix.lower() in _EXTENSIONS and ("table" in name or "column" in name)
    return is_called_so and each.name != path.name and each.is_file()


def read_dump(dump: Dump) -> Iterator[ReadItem]:
    """Yield the tables of an export by catalog, schema and name; first what cannot be read.

    Last come the tables that only a dump of tables has which was named.
    """
    with scratch_database() as database:
        spool = SchemaSpool(database)
        for path in (*dump.paths, *dump.comments_from):
            try:
                yield from _spooled(path, spool, is_named=path in dump.paths)
            except OSError as error:
                problem = f"It cannot be read ({error.strerror or error})"
                remedy = "Check that it is there and that you may read it."
                yield Rejected(str(path), None, problem, remedy)
        source = str(dump.paths[0])
        for key, rows in groupby(spool.columns(), key=_key):
            yield from _items(source, key, list(rows), spool.table_comment(*key))
        for table in spool.tables_without_columns():
            yield from _items(source, _key(table), (), table.table_comment)


def _key(row: ColumnRow) -> tuple[str, str, str]:
    return row.catalog, row.schema, row.table


def _spooled(path: Path, spool: SchemaSpool, *, is_named: bool) -> Iterator[Rejected]:
    kind = kind_of_dump(path)
    if kind is None:
        yield _unknown(path)
        return
    for row in rows_of_dump(path):
        if isinstance(row, Rejected):
            yield row
            continue
        named = column_row(row.fields) if kind == "columns" else table_row(row.fields)
        if is_system_schema(named.schema):
            continue
        missing = _missing(named, kind == "columns")
        if missing:
            yield _nameless(path, row, named, missing)
        elif kind == "columns":
            spool.add_column(named)
        else:
            spool.add_table(named, is_listed=is_named)


def _missing(row: ColumnRow, is_column: bool) -> str:
    if not row.table:
        return "table"
    return "column" if is_column and not row.column else ""


def _unknown(path: Path) -> Rejected:
    if path.stat().st_size == 0 or delimited_header(path)[1] is None:
        return empty_source(str(path))
    return Rejected(
        str(path),
        1,
        "The header is not that of information_schema.columns or tables",
        "Export table_schema, table_name, column_name, data_type with a header line.",
    )


def _nameless(path: Path, row: DumpRow, named: ColumnRow, missing: str) -> Rejected:
    remedy = f"Export {missing}_name too, or leave the row out."
    table_id = _table_id(named.catalog, named.schema, named.table) if named.table else None
    return Rejected(str(path), row.line, f"The row names no {missing}", remedy, table_id)


def _items(
    source: str, key: tuple[str, str, str], rows: Sequence[ColumnRow], comment: str
) -> Iterator[ReadItem]:
    catalog, schema, name = key
    table_id = _table_id(*key)

    def make() -> RawTable:
        columns = _columns(rows)
        context = {"comment": comment, "column_comments": column_comments(columns)}
        return RawTable(
            table_id=table_id,
            name=name,
            columns=columns,
            context=filled(context),
            database=catalog or schema or None,
            schema=schema or None,
            format="sql",
        )

    yield from placed_items(make, source, table_id, table_id)


def _table_id(*parts: str) -> str:
    return ".".join(part for part in parts if part)


def _columns(rows: Sequence[ColumnRow]) -> tuple[Column, ...]:
    """Return the columns in order, each once: what several files say of one is put together."""
    found: dict[str, Column] = {}
    for row in rows:
        before = found.get(row.column, Column(row.column))
        kind, comment = before.type or row.type or None, before.comment or row.comment or None
        found[row.column] = Column(row.column, kind, comment)
    return tuple(found.values())
