"""Bringing over what changed in the live index while another is built beside it.

New and changed tables are found by their sequence numbers, whoever wrote them; deleted ones by the
change log. Both are read so that what is under way meanwhile is found by the next call.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from polaris_search.records import EnrichedTable
from polaris_search.store.elasticsearch.documents import table_of
from polaris_search.store.elasticsearch.generations.change_log import ChangeLog, Deletion
from polaris_search.store.elasticsearch.generations.checkpoints import ByShard, done_up_to
from polaris_search.store.elasticsearch.generations.place import Place
from polaris_search.store.elasticsearch.reading import Hit, all_hits, sources_by_id
from polaris_search.store.generations import CaughtUp, Transform
from polaris_search.store.protocol import TableStore


@dataclass(frozen=True, slots=True)
class Position:
    """How far one index has followed another.

    Attributes:
        changes: per shard, the sequence number up to which its changes are over.
        deletions: every entry of the change log up to this number was followed.
        pending: ids that earlier entries name and that were still there: the delete may come yet.
        refused: ids whose change is not over because the table was not taken.
    """

    changes: ByShard
    deletions: int
    pending: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()


def catch_up(
    place: Place, base: str, staged: TableStore, position: Position, transform: Transform
) -> tuple[CaughtUp, Position]:
    """Bring over what changed in `base` behind a position; return what, and the new position."""
    log = ChangeLog(place.connection, place.alias)
    changes = place.patience.persist(lambda: done_up_to(place.connection, base))
    deletions = place.patience.persist(log.position)
    report = staged.put(transform(changed_tables(place, base, position)))
    deleted, pending = place.patience.persist(
        lambda: _follow_deletions(place, base, staged, log, position)
    )
    refused = frozenset(one.table_id for one in report.refused)
    reached = Position(changes, deletions, pending, refused)
    return CaughtUp(report.stored, deleted, report.refused), reached


def changed_tables(place: Place, base: str, position: Position) -> Iterator[EnrichedTable]:
    """Yield the tables of `base` that are new or changed behind a position."""
    for shard, number in position.changes.items():
        yield from (
            table_of(hit.source) for hit in _changed(place, base, shard, number, position.refused)
        )


def logged_deletions(log: ChangeLog, position: Position) -> Iterator[list[str]]:
    """Yield the ids that may have been deleted behind a position, in lists of bounded length."""
    if position.pending:
        yield sorted(position.pending)
    for page in log.since(position.deletions):
        yield _ids(page)


def gone(place: Place, base: str, table_ids: list[str]) -> list[str]:
    """Return those of these ids that `base` has no table of, at this moment."""
    there = sources_by_id(place.connection, base, table_ids, ["table_id"])
    return [table_id for table_id in table_ids if table_id not in there]


def _changed(
    place: Place, base: str, shard: str, number: int, refused: frozenset[str]
) -> Iterator[Hit]:
    conditions: list[dict[str, Any]] = [{"range": {"_seq_no": {"gt": number}}}]
    if refused:
        conditions.append({"terms": {"table_id": sorted(refused)}})
    query = {"bool": {"should": conditions}}
    return all_hits(place.connection, base, ["record"], place.patience, query, shard)


def _follow_deletions(
    place: Place, base: str, staged: TableStore, log: ChangeLog, position: Position
) -> tuple[int, frozenset[str]]:
    """Delete what was deleted; return how much, and the ids that are still there in `base`."""
    deleted, pending = 0, set[str]()
    for table_ids in logged_deletions(log, position):
        missing = gone(place, base, table_ids)
        deleted += staged.delete(missing) if missing else 0
        pending |= set(table_ids) - set(missing)
    return deleted, frozenset(pending)


def _ids(page: list[Deletion]) -> list[str]:
    return list(dict.fromkeys(one.table_id for one in page))
