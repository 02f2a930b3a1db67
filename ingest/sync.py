"""Tells which stored tables their source no longer has."""

from collections.abc import Iterator
from itertools import islice

from ingest.seen import SeenIds
from polaris_search.errors import PolarisError
from polaris_search.store.protocol import TableStore

TABLES_AT_A_TIME = 100
"""Tables that are looked at together; only those not met are, by their ids."""


class SourceIncomplete(PolarisError):
    """A part of the source could not be read, so that nobody knows which tables stand there."""

    def __init__(self) -> None:
        super().__init__(
            "Not every row of the source could be read, so no table was removed. "
            "Correct what was reported, then ingest with --sync again."
        )


def removed_since(store: TableStore, seen: SeenIds) -> Iterator[str]:
    """Yield the ids, ascending, of stored tables that a complete read of their source did not meet.

    Only tables whose `source` is that of a table that was read are looked at: another catalogue in
    the same store is left alone. A reader gives tables that name no source the one it read them
    from. Of a source in which no table is left nothing is named; `polaris-admin delete` removes
    those.

    Raises:
        SourceIncomplete: something was rejected of which not even the id is known.
    """
    if not seen.complete:
        raise SourceIncomplete
    unseen = (table_id for table_id in store.table_ids() if table_id not in seen)
    while some := list(islice(unseen, TABLES_AT_A_TIME)):
        for table_id, table in store.get(some).items():
            if seen.has_source(table.raw.source):
                yield table_id
