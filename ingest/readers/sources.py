"""Chooses a reader for each source that a person names, and reads them one after the other.

A source is a file, a folder or the address of a database. All sources are looked at before any is
read, so that a mistyped path costs nothing; what goes wrong later is reported, and stops nothing.
"""

from collections.abc import Iterator, Sequence

from ingest.readers.find import Found, FoundFile, find_sources, unreadable
from ingest.readers.headers import read_header
from ingest.readers.jsonl import read_jsonl
from ingest.readers.polaris import read_polaris
from ingest.readers.row import ReadItem
from ingest.rejected import Rejected
from ingest.seen import SeenIds
from polaris_search.records import RawTable


def read_sources(
    paths: Sequence[str], format: str | None = None, seen: SeenIds | None = None
) -> Iterator[RawTable | Rejected]:
    """Return the tables of all sources in order; of two with one table_id the first is kept.

    Args:
        paths: files, folders and database addresses.
        format: one of find.FORMATS for all of them; None finds each one's own.
        seen: notes every id that is met, for a caller that wants to know afterwards.

    Raises:
        SourceUnreadable: a source that does not exist, holds nothing readable or does not answer.
        UsageError: no such format.
    """
    found = find_sources(paths, format)
    return _read_all(found, seen if seen is not None else SeenIds())


def _read_all(found: Iterator[Found], seen: SeenIds) -> Iterator[RawTable | Rejected]:
    for source in found:
        for item in _read(source):
            yield _kept(item, seen)


def _read(source: Found) -> Iterator[ReadItem]:
    if isinstance(source, Rejected):
        yield source
    elif isinstance(source, FoundFile):
        try:
            yield from _read_file(source)
        except OSError as error:  # gone, locked or broken since it was found
            yield unreadable(str(source.path), error)
    else:
        from ingest.readers.sql import read_sql

        yield from read_sql(source)


def _read_file(file: FoundFile) -> Iterator[ReadItem]:
    if file.format == "polaris":
        return read_polaris(file.path)
    if file.format == "jsonl":
        return read_jsonl(file.path)
    return read_header(file.path, file.table_id, file.format)


def _kept(item: ReadItem, seen: SeenIds) -> RawTable | Rejected:
    if isinstance(item, Rejected):
        seen.add_rejected(item.table_id)
        return item
    table_id = item.table.table_id
    if seen.add(table_id, item.table.source):
        return item.table
    return Rejected(
        item.source,
        item.line,
        f"The table_id {table_id!r} was read before; the first table was kept",
        "Give every table an id of its own.",
        table_id,
    )
