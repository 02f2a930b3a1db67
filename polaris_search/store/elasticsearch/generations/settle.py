"""The last of a swap: what reached the old index as the new one took its place is brought over.

The new index is live and written meanwhile. So a document is written over only as long as it is
the one that was there before the swap, and what was deleted since does not come back.
"""

from dataclasses import replace
from functools import partial
from itertools import islice

from polaris_search.errors import StoreProblem
from polaris_search.store.elasticsearch.generations.catch_up import (
    Position,
    changed_tables,
    gone,
    logged_deletions,
)
from polaris_search.store.elasticsearch.generations.change_log import ChangeLog
from polaris_search.store.elasticsearch.generations.creation import write_meta
from polaris_search.store.elasticsearch.generations.listing import found_generations
from polaris_search.store.elasticsearch.generations.meta import IndexMeta, Reindex
from polaris_search.store.elasticsearch.generations.place import Place
from polaris_search.store.elasticsearch.generations.since_swap import (
    TABLES_AT_A_TIME,
    OldPart,
    Version,
)
from polaris_search.store.elasticsearch.generations.swap import allow_writes, block_writes
from polaris_search.store.generations import CaughtUp, Transform
from polaris_search.store.protocol import Refused

NOTHING = CaughtUp(0, 0)


def settle(
    place: Place, index: str, meta: IndexMeta, position: Position, transform: Transform
) -> tuple[CaughtUp, Reindex]:
    """Bring over the last writes to the base of a live index, which takes no more from then on.

    Returns what was brought over, and the account of the reindex as it was written down.

    Raises:
        StoreProblem: the index is not live.
    """
    if meta.reindex is None:
        raise StoreProblem(f"{index} was not built beside another index. Report this.")
    if meta.reindex.state == "settled":
        return NOTHING, meta.reindex
    base = _base_of(place, index, meta.reindex)
    caught_up = NOTHING
    if base is not None:
        _retire(place, index, meta.reindex, base)
        caught_up = place.patience.persist(
            partial(_bring_over_the_last, place, base, index, meta.reindex, position, transform)
        )
    reindex = replace(meta.reindex, state="settled", live_at=meta.reindex.swap_at)
    write_meta(place.connection, index, meta.with_reindex(reindex))
    ChangeLog(place.connection, place.alias).forget_old()
    return caught_up, reindex


def _retire(place: Place, index: str, reindex: Reindex, base: str) -> None:
    """Let the old index take no more writes, unless somebody makes it live in that moment."""
    block_writes(place.connection, base)
    try:
        _base_of(place, index, reindex)
    except StoreProblem:
        allow_writes(place.connection, base)
        raise


def _base_of(place: Place, index: str, reindex: Reindex) -> str | None:
    """Return the index that the live one replaced; None if there was none, or it was deleted.

    Raises:
        StoreProblem: the index is not live.
    """
    found = {one.name: one for one in found_generations(place.connection, place.alias)}
    if index not in found or found[index].state != "live":
        raise StoreProblem(
            f"{index} is not live, so nothing is to be brought over to it any more. "
            "Run the command again."
        )
    base = found.get(reindex.base or "")
    return base.name if base and base.uuid == reindex.base_uuid else None


def _bring_over_the_last(
    place: Place, base: str, index: str, reindex: Reindex, position: Position, transform: Transform
) -> CaughtUp:
    """Bring over what changed in `base` behind a position, and was not written to `index` since.

    Args:
        place: the alias and its server.
        base: the index that was live before; takes no more writes.
        index: the live index.
        reindex: how it became that.
        position: how far it had followed `base`.
        transform: what becomes of a table.
    """
    log = ChangeLog(place.connection, place.alias)
    target = OldPart(place.connection, index, reindex.own)
    deleted_since = _deleted_here(log, reindex, index)
    written: dict[str, Version] = {}
    refused: list[Refused] = []
    tables = iter(transform(changed_tables(place, base, position)))
    while some := list(islice(tables, TABLES_AT_A_TIME)):
        wanted = [table for table in some if table.table_id not in deleted_since]
        versions, not_taken = target.write(wanted)
        written |= versions
        refused += not_taken
    deleted = 0
    for table_ids in logged_deletions(log, position):
        deleted += target.delete_own(gone(place, base, table_ids))
    # Of what was written just now, something may have been deleted just before it was written.
    late = _deleted_here(log, reindex, index) & written.keys()
    target.delete({table_id: written[table_id] for table_id in late})
    return CaughtUp(len(written) - len(late), deleted, tuple(refused))


def _deleted_here(log: ChangeLog, reindex: Reindex, index: str) -> set[str]:
    """Return the ids that were deleted through the alias since it led to `index`."""
    return {
        one.table_id
        for page in log.since(reindex.deletions_after)
        for one in page
        if one.generation == index
    }
