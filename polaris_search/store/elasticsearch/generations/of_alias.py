"""The generations of an alias: listed, staged, reopened and pruned; Generations says what is meant.

Whoever changes them holds the lease, and first finishes what an interrupted run had made live.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from polaris_search.errors import GenerationUnknown
from polaris_search.store.elasticsearch.generations.beginning import (
    begin,
    begin_again,
    finish,
    live_of,
)
from polaris_search.store.elasticsearch.generations.leases import Lease, Leases
from polaris_search.store.elasticsearch.generations.listing import found_generations, infos
from polaris_search.store.elasticsearch.generations.live import AliasGone, live_generation
from polaris_search.store.elasticsearch.generations.place import Place
from polaris_search.store.elasticsearch.generations.prune import prune
from polaris_search.store.elasticsearch.generations.staging import StagedIndex, working
from polaris_search.store.generations import GenerationInfo, Notify

LEASE = "generations"
TASK = "changing the generations"


class ElasticsearchGenerations:
    """The generations of one alias.

    Args:
        place: the alias and its server.
        leases: where the right to change generations is kept; None: beside them.
    """

    def __init__(self, place: Place, leases: Leases | None = None) -> None:
        self._place = place
        self._leases = leases or Leases(place.connection, f"{place.alias}-leases")

    def listed(self) -> list[GenerationInfo]:
        """Return all generations but scratch ones, the live one first, then the newest first."""
        self._check_alias()
        connection = self._place.connection
        return infos(connection, found_generations(connection, self._place.alias))

    @contextmanager
    def stage(
        self, recipe: str, notify: Notify, *, from_sources: bool = False
    ) -> Iterator[StagedIndex]:
        """Open an empty generation, or the one that an interrupted run of this recipe left."""
        digest = hashlib.sha256(recipe.encode("utf-8", "surrogatepass")).hexdigest()
        with self._leased(notify) as lease:
            with working(lease):
                live_generation(self._place.connection, self._place.alias)
                staged = begin(self._place, digest, lease, from_sources=from_sources)
            yield staged

    @contextmanager
    def reopen(self, name: str, notify: Notify) -> Iterator[StagedIndex]:
        """Open a kept generation, to make it the live one again."""
        with self._leased(notify) as lease:
            found = found_generations(self._place.connection, self._place.alias)
            kept = {one.name: one for one in found if one.state == "kept"}
            if name not in kept:
                raise GenerationUnknown(name, list(kept))
            with working(lease):
                reopened = begin_again(self._place, kept[name], live_of(found), lease)
            yield reopened

    def prune(self, keep: int, notify: Notify) -> tuple[str, ...]:
        """Remove all kept generations but the `keep` that were live last, and what runs left."""
        with self._leased(notify) as lease, working(lease):
            live_generation(self._place.connection, self._place.alias)
            return prune(self._place, keep, lease)

    @contextmanager
    def _leased(self, notify: Notify) -> Iterator[Lease]:
        """Hold the lease, with nothing left undone by whoever held it before."""
        self._check_alias()
        with self._leases.lease(LEASE, TASK, notify) as lease:
            with working(lease):
                finish(self._place)
            yield lease

    def _check_alias(self) -> None:
        """Raise StoreProblem where the alias's name leads to something that is not this product's.

        Where it leads nowhere, a kept generation can still be listed and made live again.
        """
        with suppress(AliasGone):
            live_generation(self._place.connection, self._place.alias)
