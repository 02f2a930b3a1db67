"""Removing generations that are no longer wanted, and what runs that were killed left behind."""

from collections.abc import Sequence
from datetime import UTC, datetime

from polaris_search.store.elasticsearch.generations.change_log import ChangeLog
from polaris_search.store.elasticsearch.generations.creation import drop_index
from polaris_search.store.elasticsearch.generations.leases import Lease
from polaris_search.store.elasticsearch.generations.listing import (
    FoundGeneration,
    found_generations,
)
from polaris_search.store.elasticsearch.generations.place import Place
from polaris_search.store.elasticsearch.generations.scratch import abandoned

_NEVER = datetime.min.replace(tzinfo=UTC)


def prune(place: Place, keep: int, lease: Lease) -> tuple[str, ...]:
    """Drop all kept generations but those that were live last, all staged ones, and strays.

    Whoever holds the lease knows that nobody else builds one. Entries of the change log that
    nobody can need any more go as well. Returns the names of what was dropped.
    """
    found = found_generations(place.connection, place.alias)
    doomed = [one.name for one in found if one.state == "staged"]
    doomed += [one.name for one in _kept_longest_ago(found)[keep:]]
    doomed += abandoned(place.connection, place.alias, datetime.now(UTC))
    for name in doomed:
        lease.renew()
        drop_index(place.connection, name)
    ChangeLog(place.connection, place.alias).forget_old()
    return tuple(doomed)


def _kept_longest_ago(found: Sequence[FoundGeneration]) -> list[FoundGeneration]:
    """Return the kept generations, the one that was live last first."""
    kept = [one for one in found if one.state == "kept"]
    return sorted(
        kept,
        key=lambda one: (one.live_at or one.made_at or _NEVER, one.created_ms),
        reverse=True,
    )
