"""Cuts the stream of read items into batches that fit in memory, whatever the tables' width."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingest.rejected import Rejected
from polaris_search.records import RawTable

MAX_ITEMS = 200
MAX_COLUMNS = 20_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Some tables and some rejected rows, each in the order they were read."""

    tables: tuple[RawTable, ...]
    rejected: tuple[Rejected, ...]


def batches(items: Iterable[RawTable | Rejected]) -> Iterator[Batch]:
    """Yield batches of up to MAX_ITEMS items; one closes early where its tables are wide."""
    tables: list[RawTable] = []
    rejected: list[Rejected] = []
    n_columns = 0
    for item in items:
        if isinstance(item, Rejected):
            rejected.append(item)
        else:
            tables.append(item)
            n_columns += len(item.columns)
        if len(tables) + len(rejected) >= MAX_ITEMS or n_columns >= MAX_COLUMNS:
            yield Batch(tuple(tables), tuple(rejected))
            tables, rejected, n_columns = [], [], 0
    if tables or rejected:
        yield Batch(tuple(tables), tuple(rejected))
