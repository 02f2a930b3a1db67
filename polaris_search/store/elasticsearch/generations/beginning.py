"""How a generation beside the live one begins: made, adopted from a dead run, or reopened.

Each is written through an alias of its own. An adopted one gets a new alias in the place of the
old, and takes nothing more from whoever had that.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from polaris_search.errors import StoreProblem
from polaris_search.records import EnrichedTable
from polaris_search.store.elasticsearch.generations.catch_up import Position
from polaris_search.store.elasticsearch.generations.change_log import ChangeLog
from polaris_search.store.elasticsearch.generations.checkpoints import done_up_to
from polaris_search.store.elasticsearch.generations.creation import (
    create_index,
    drop_index,
    forbid_auto_creation,
    generation_settings,
    new_index_name,
    write_meta,
)
from polaris_search.store.elasticsearch.generations.leases import Lease
from polaris_search.store.elasticsearch.generations.listing import (
    FoundGeneration,
    found_generations,
)
from polaris_search.store.elasticsearch.generations.meta import Reindex, new_meta
from polaris_search.store.elasticsearch.generations.place import Place
from polaris_search.store.elasticsearch.generations.settle import settle
from polaris_search.store.elasticsearch.generations.staging import StagedIndex
from polaris_search.store.elasticsearch.generations.swap import (
    added,
    allow_writes,
    block_writes,
    change_aliases,
    new_staging_alias,
    removed,
)

WHILE_BUILT = {"refresh_interval": "-1"}
"""It is refreshed when asked for: that is faster, and nobody else searches it."""


def begin(place: Place, recipe: str, lease: Lease, *, from_sources: bool) -> StagedIndex:
    """Return an empty generation, or the newest that a dead run of this recipe left; drop others.

    Args:
        place: the alias and its server.
        recipe: hash of what becomes of the tables.
        lease: held, so that whoever made those that are found is dead.
        from_sources: written down of an empty one.
    """
    found = found_generations(place.connection, place.alias)
    live = live_of(found)
    staged = [one for one in found if one.state == "staged"]
    fitting = [one for one in staged if _fits(place, one, recipe, live)][:1]
    for one in staged:
        if one not in fitting:
            lease.renew()
            drop_index(place.connection, one.name)
    if not fitting:
        return _made(place, recipe, live, lease, from_sources)
    reindex = fitting[0].meta.reindex
    if reindex is None:
        raise StoreProblem(f"{fitting[0].name} does not say how it was begun. Report this.")
    alias = _taken_over(place, fitting[0])
    return StagedIndex(place, fitting[0], reindex, alias, lease, resumed=True)


def begin_again(
    place: Place, kept: FoundGeneration, live: FoundGeneration | None, lease: Lease
) -> StagedIndex:
    """Return a kept generation as it is, to be made the live one again."""
    live_at = kept.live_at or kept.made_at
    stamp = live_at.isoformat() if live_at else datetime.now(UTC).isoformat()
    before = kept.meta.reindex
    reindex = replace(
        _reindex(place, "", live),
        live_at=stamp,
        from_sources=before is not None and before.from_sources,
    )
    write_meta(place.connection, kept.name, kept.meta.with_reindex(reindex))
    alias = _taken_over(place, kept)
    return StagedIndex(place, kept, reindex, alias, lease, resumed=False)


def finish(place: Place) -> None:
    """Bring over what a run that was interrupted as its generation had gone live left behind."""
    live = live_of(found_generations(place.connection, place.alias))
    if live is None or live.meta.reindex is None:
        return
    position = Position(live.meta.reindex.after, live.meta.reindex.deletions_from)
    settle(place, live.name, live.meta, position, _as_they_are)


def live_of(found: Sequence[FoundGeneration]) -> FoundGeneration | None:
    """Return the one of these generations that is live."""
    return next((one for one in found if one.state == "live"), None)


def _fits(place: Place, staged: FoundGeneration, recipe: str, live: FoundGeneration | None) -> bool:
    """Return whether a staged generation is what this run would build."""
    reindex = staged.meta.reindex
    if reindex is None or not staged.meta.current or staged.shards != place.shards:
        return False
    base = (live.name, live.uuid) if live else (None, None)
    return reindex.recipe == recipe and (reindex.base, reindex.base_uuid) == base


def _made(
    place: Place, recipe: str, live: FoundGeneration | None, lease: Lease, from_sources: bool
) -> StagedIndex:
    connection = place.connection
    begun = _reindex(place, recipe, live)  # before any table is copied
    reindex = replace(begun, from_sources=from_sources)
    name = new_index_name(place.alias, datetime.now(UTC), secrets.token_hex(2))
    alias = new_staging_alias(place.alias)
    forbid_auto_creation(connection, place.alias)
    settings = generation_settings(connection, place.alias, place.shards)
    create_index(connection, name, alias, new_meta(reindex), {**settings, **WHILE_BUILT})
    found = {one.name: one for one in found_generations(connection, place.alias)}
    if name not in found:
        raise StoreProblem(f"{name} was just made, and is gone. Run the command again.")
    return StagedIndex(place, found[name], reindex, alias, lease, resumed=False)


def _reindex(place: Place, recipe: str, live: FoundGeneration | None) -> Reindex:
    """Return how a generation begins now that is to replace the live one."""
    log = ChangeLog(place.connection, place.alias)
    patience = place.patience
    return Reindex(
        recipe=recipe,
        base=live.name if live else None,
        base_uuid=live.uuid if live else None,
        after=patience.persist(lambda: done_up_to(place.connection, live.name)) if live else {},
        deletions_from=patience.persist(log.position),
    )


def _taken_over(place: Place, found: FoundGeneration) -> str:
    """Return a new alias of a generation's own; writes through the old one have ended by then."""
    alias = new_staging_alias(place.alias)
    given = [added(found.name, alias)]
    if found.staging_alias:
        given.append(removed(found.name, found.staging_alias))
    done = change_aliases(place.connection, *given)
    if not done and _alias_of(place, found.name) != alias:  # else done, and the answer got lost
        raise StoreProblem(
            f"{found.name} lost its alias {found.staging_alias} meanwhile. Run the command again."
        )
    block_writes(place.connection, found.name)
    allow_writes(place.connection, found.name)
    return alias


def _alias_of(place: Place, name: str) -> str | None:
    found = found_generations(place.connection, place.alias)
    return next((one.staging_alias for one in found if one.name == name), None)


def _as_they_are(tables: Iterable[EnrichedTable]) -> Iterator[EnrichedTable]:
    return iter(tables)
