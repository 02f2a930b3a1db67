"""Reads data files in CSV or TSV as tables: the header line gives the columns, no row is read.

The table_id is the file's path with its extension, relative to the folder that was given, or as it
was given; the name is the file's name without extension.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ingest.readers.delimited import Record, first_record
from ingest.readers.row import ReadItem, Row, empty_source
from ingest.rejected import Rejected, excerpt_of
from polaris_search.errors import TableInvalid
from polaris_search.records import Column, RawTable


def read_header(path: Path, table_id: str, format: Literal["csv", "tsv"]) -> Iterator[ReadItem]:
    """Yield the one table that the file is, its delimiter found from the header itself."""
    source = str(path)
    _, header = first_record(path)
    if header is None:
        yield empty_source(source)
    elif isinstance(header, Record):
        yield _item(source, path.stem, header, table_id, format)
    else:
        excerpt = header.excerpt
        yield Rejected(source, header.line, header.problem, header.remedy, table_id, excerpt)


def _item(source: str, name: str, header: Record, table_id: str, format: str) -> ReadItem:
    columns = tuple(Column(field.strip()) for field in header.fields)
    try:
        return Row(RawTable(table_id, name, columns, format=format), source, header.line)
    except TableInvalid as error:
        excerpt = excerpt_of(header.text)
        return Rejected(source, header.line, error.problem, error.remedy, table_id, excerpt)
