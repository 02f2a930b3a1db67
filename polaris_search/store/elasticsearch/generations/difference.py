"""What one index has that another lacks: two streams of ids, both ascending, held against another.

Reads both as of one moment each, in bounded memory.
"""

import heapq
from collections.abc import Iterable, Iterator
from typing import TypeVar

from polaris_search.records import EnrichedTable
from polaris_search.store.elasticsearch.documents import table_of
from polaris_search.store.elasticsearch.generations.catch_up import Position
from polaris_search.store.elasticsearch.generations.change_log import ChangeLog
from polaris_search.store.elasticsearch.generations.place import Place
from polaris_search.store.elasticsearch.reading import (
    IDS_PER_PAGE,
    all_hits,
)

Item = TypeVar("Item")


def uncopied(place: Place, base: str, index: str) -> Iterator[EnrichedTable]:
    """Yield the tables of `base` that `index` lacks, ids ascending."""
    hits = all_hits(place.connection, base, ["record"], place.patience)
    named = ((hit.table_id, hit) for hit in hits)
    for lacked, _ in _differing(named, _ids(place, index)):
        if lacked is not None:
            yield table_of(lacked.source)


def missing_or_surplus(
    place: Place, base: str | None, index: str, position: Position
) -> tuple[int, int]:
    """Return how many tables of `base` an index lacks, and how many it has more.

    What was written to or deleted from `base` behind the position is not over yet, and counts
    neither way.
    """
    if base is None:
        return 0, sum(1 for _ in _ids(place, index))
    log = ChangeLog(place.connection, place.alias)
    missing, surplus = 0, 0
    more: list[str] = []
    for lacked_is_old, more_id in _differing(_with_age(place, base, position), _ids(place, index)):
        missing += bool(lacked_is_old)
        if more_id is not None and more_id not in position.pending:
            more.append(more_id)
        if len(more) == IDS_PER_PAGE:
            surplus += len(more) - len(_deleted(place, log, position, more))
            more = []
    surplus += len(more) - len(_deleted(place, log, position, more))
    return missing, surplus


def _with_age(place: Place, base: str, position: Position) -> Iterator[tuple[str, bool]]:
    """Yield each id of an index, ascending, and whether its last write is over by this position."""
    return heapq.merge(
        *(
            _of_shard(place, base, shard, number)  # each shard counts its writes for itself
            for shard, number in position.changes.items()
        )
    )


def _of_shard(place: Place, base: str, shard: str, number: int) -> Iterator[tuple[str, bool]]:
    hits = all_hits(place.connection, base, [], place.patience, shard=shard)
    return ((hit.table_id, hit.seq_no <= number) for hit in hits)


def _deleted(place: Place, log: ChangeLog, position: Position, table_ids: list[str]) -> set[str]:
    return place.patience.persist(lambda: log.named_since(position.deletions, table_ids))


def _ids(place: Place, index: str) -> Iterator[str]:
    hits = all_hits(place.connection, index, [], place.patience)
    return (hit.table_id for hit in hits)


def _differing(
    named: Iterable[tuple[str, Item]], ids: Iterator[str]
) -> Iterator[tuple[Item | None, str | None]]:
    """Yield what only one of two ascending streams has: the item behind a name, or the id."""
    other = next(ids, None)
    for name, item in named:
        while other is not None and other < name:
            yield None, other
            other = next(ids, None)
        if other == name:
            other = next(ids, None)
        else:
            yield item, None
    while other is not None:
        yield None, other
        other = next(ids, None)
