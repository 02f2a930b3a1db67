"""Chooses a reader for each source that a person names, and reads them one after the other.

A source is a file, a folder or the address of a database. All sources are looked at before any is
read, so that a mistyped path costs nothing; what goes wrong later is reported, and stops nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingest.readers.find import Found, FoundFile, Source, find_sources, unreadable
from ingest.readers.headers import read_header
from ingest.readers.jsonl import read_jsonl
from ingest.readers.polaris import read_polaris
from ingest.readers.row import ReadItem
from ingest.rejected import Rejected, excerpt_of
from ingest.seen import SeenIds
from polaris_search.records import RawTable


def read_sources(
    paths: Sequence[str], format: str | None = None, seen: SeenIds | None = None
) -> Iterator[RawTable | Rejected]:
    """Return the tables of all sources in order; of two with one table_id the first is kept.

    A table that names no source gets that which it was read from: the path or address in `paths`.

    Args:
        paths: files, folders and database addresses.
        format: one of find.FORMATS for all of them; None finds each one's own.
        seen: notes every id that is met, for a caller that wants to know afterwards.

    Raises:
        SourceUnreadable: a source that does not exist, holds nothing readable or does not answer.
        UsageError: no such format.
    """
    sources = find_sources(paths, format)
    return _read_all(sources, seen if seen is not None else SeenIds())


def _read_all(sources: Sequence[Source], seen: SeenIds) -> Iterator[RawTable | Rejected]:
    for source in sources:
        for found in source.found:
            for item in _read(found):
                yield _kept(item, source.name, seen)


def _read(found: Found) -> Iterator[ReadItem]:
    if isinstance(found, Rejected):
        yield found
    elif isinstance(found, FoundFile):
        try:
            yield from _read_file(found)
        except OSError as error:  # gone, locked or broken since it was found
            yield unreadable(str(found.path), error)
    else:
        from ingest.readers.sql import read_sql

        yield from read_sql(found)


def _read_file(file: FoundFile) -> Iterator[ReadItem]:
    if file.format == "polaris":
        return read_polaris(file.path)
    if file.format == "jsonl":
        return read_jsonl(file.path)
    return read_header(file.path, file.format)


def _kept(item: ReadItem, source_name: str, seen: SeenIds) -> RawTable | Rejected:
    if isinstance(item, Rejected):
        seen.add_rejected(item.table_id)
        return item
    table = item.table if item.table.source else replace(item.table, source=source_name)
    if seen.add(table.table_id, table.source):
        return table
    shown = excerpt_of(table.table_id)
    return Rejected(
        item.source,
        item.line,
        f"The table_id {shown!r} was read before; the first table was kept",
        "Give every table an id of its own.",
        table.table_id,
    )
