"""Tells which stored tables their source no longer has."""

from collections.abc import Iterator

from ingest.seen import SeenIds
from polaris_search.errors import PolarisError
from polaris_search.store.protocol import TableStore


class SourceIncomplete(PolarisError):
    """A part of the source could not be read, so that nobody knows which tables stand there."""

    def __init__(self) -> None:
        super().__init__(
            "Not every row of the source could be read, so no table was removed. "
            "Correct what was reported, then ingest with --sync again."
        )


def removed_since(store: TableStore, seen: SeenIds) -> Iterator[str]:
    """Yield the ids of stored tables that a complete read of their source no longer met.

    Only tables whose `source` is that of a table that was read are looked at: another catalogue in
    the same store is left alone. A reader gives tables that name no source the one it read them
    from. Of a source in which no table is left nothing is named; `polaris-admin delete` removes
    those.

    Raises:
        SourceIncomplete: something was rejected of which not even the id is known.
    """
    if not seen.complete:
        raise SourceIncomplete
    for table in store.tables():
        if table.raw.source in seen.sources and table.table_id not in seen:
            yield table.table_id
