"""Reads data files in CSV or TSV as tables: the header line gives the columns, no row is read.

The table_id is the file's path as it was given, or as it stands below the folder that was given,
with its extension; the name is the file's name without extension. TSV is cut at tabs; CSV at the
comma, semicolon or bar that cuts its header most often, and at tabs only where none of these does.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ingest.readers.address import storable
from ingest.readers.delimited import Broken, Record, first_record
from ingest.readers.row import ReadItem, Row, empty_source
from ingest.rejected import Rejected, excerpt_of
from polaris_search.errors import TableInvalid
from polaris_search.records import Column, RawTable

CSV_DELIMITERS = (",", ";", "|")


def read_header(path: Path, format: Literal["csv", "tsv"]) -> Iterator[ReadItem]:
    """Yield the one table that the file is."""
    source, table_id = str(path), storable(path.as_posix())
    header = first_record(path, "\t") if format == "tsv" else _csv_header(path)
    if header is None:
        yield empty_source(source)
    elif isinstance(header, Record):
        yield _item(source, storable(path.stem), header, table_id, format)
    else:
        excerpt = header.excerpt
        yield Rejected(source, header.line, header.problem, header.remedy, table_id, excerpt)


def _csv_header(path: Path) -> Record | Broken | None:
    best = max((first_record(path, delimiter) for delimiter in CSV_DELIMITERS), key=_n_fields)
    if _n_fields(best) > 1:
        return best
    return max(best, first_record(path, "\t"), key=_n_fields)


def _n_fields(header: Record | Broken | None) -> int:
    """Return how many columns there are; one that could not be cut counts as one."""
    return len(header.fields) if isinstance(header, Record) else 1


def _item(source: str, name: str, header: Record, table_id: str, format: str) -> ReadItem:
    columns = tuple(Column(field.strip()) for field in header.fields)
    try:
        return Row(RawTable(table_id, name, columns, format=format), source, header.line)
    except TableInvalid as error:
        excerpt = excerpt_of(header.text)
        return Rejected(source, header.line, error.problem, error.remedy, table_id, excerpt)
