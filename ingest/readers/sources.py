"""Chooses a reader for each source that a person names, and reads them one after the other.

A source is a file, a folder or an address. All sources are looked at before any is read, so that a
mistyped path costs nothing; what goes wrong later is reported, and stops nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ingest.readers.find import find_sources
from ingest.readers.found import Found, FoundDatabase, FoundFile, Source, unreadable
from ingest.readers.information_schema.exports import Dump, read_dump
from ingest.readers.namesakes import FullerId, Namesakes
from ingest.readers.read_file import read_file
from ingest.readers.row import Notice, ReadItem, ReadOrNotice
from ingest.rejected import Rejected, excerpt_of
from ingest.seen import SeenIds
from polaris_search.records import RawTable

OnNotice = Callable[[str], None]


def read_sources(
    paths: Sequence[str],
    format: str | None = None,
    seen: SeenIds | None = None,
    on_notice: OnNotice | None = None,
) -> Iterator[RawTable | Rejected]:
    """Return the tables of all sources in order; of two with one table_id the first is kept.

    A table that names no source gets that which it was read from: the path or address in `paths`.

    Args:
        paths: files, folders and addresses of databases and portals.
        format: one of formats.FORMATS for all of them; None finds each one's own.
        seen: notes every id that is met, for a caller that wants to know afterwards.
        on_notice: hears what a person should know of a source, a sentence each.

    Raises:
        SourceUnreadable: a source that does not exist, holds nothing readable or does not answer.
        UsageError: no such format.
    """
    sources = find_sources(paths, format)
    return _read_all(sources, seen if seen is not None else SeenIds(), on_notice)


def _read_all(
    sources: Sequence[Source], seen: SeenIds, on_notice: OnNotice | None
) -> Iterator[RawTable | Rejected]:
    namesakes = Namesakes()
    for source in sources:
        for found in source.found:
            fuller_id = namesakes.fuller_id(found)
            for item in _read(found):
                if not isinstance(item, Notice):
                    yield _kept(item, source.name, seen, fuller_id)
                elif on_notice:
                    on_notice(item.sentence)


def _read(found: Found) -> Iterator[ReadOrNotice]:
    if isinstance(found, Rejected):
        yield found
    elif isinstance(found, FoundFile):
        try:
            yield from read_file(found)
        except OSError as error:  # gone, locked or broken since it was found
            yield unreadable(str(found.path), error)
    elif isinstance(found, Dump):
        yield from read_dump(found)
    elif isinstance(found, FoundDatabase):
        from ingest.readers.sql.databases import read_sql

        yield from read_sql(found.database)
    else:
        from ingest.readers.ckan.portal import read_portal

        yield from read_portal(found.portal)


def _kept(
    item: ReadItem, source_name: str, seen: SeenIds, fuller_id: FullerId
) -> RawTable | Rejected:
    if isinstance(item, Rejected):
        seen.add_rejected(item.table_id)
        if item.table_id and (fuller := fuller_id(item.table_id)):
            seen.add_rejected(fuller)  # it may be stored by that
        return item
    table = item.table if item.table.source else replace(item.table, source=source_name)
    if seen.add(table.table_id, table.source):
        return table
    fuller = fuller_id(table.table_id)
    if fuller and seen.add(fuller, table.source):
        return replace(table, table_id=fuller)
    shown = excerpt_of(table.table_id)
    return Rejected(
        item.source,
        item.line,
        f"The table_id {shown!r} was read before; the first table was kept",
        "Give every table an id of its own.",
        table.table_id,
    )
