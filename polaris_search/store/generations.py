"""Generations of a store: one is live, another is built beside it and takes its place at once.

What every store does for `reindex`, `index list`, `index rollback` and `index prune`. Two
implementations, one contract test (tests/contract/test_generations*.py). The order of the steps is
the lifecycle's; a store knows how each is done so that no search sees an empty or half generation,
no write is lost, and a kill between any two steps leaves the live generation serving.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from polaris_search.records import EnrichedTable
from polaris_search.store.protocol import Refused, TableStore

GenerationState = Literal["live", "kept", "staged"]
"""live: searched and written. kept: was live once. staged: built, or half built, never live."""

Transform = Callable[[Iterable[EnrichedTable]], Iterator[EnrichedTable]]
"""What becomes of tables on their way into another generation: the same ids, in any order."""

Notify = Callable[[str], None]
"""Hears a sentence for the person who waits, such as whose lease is waited for."""


@dataclass(frozen=True, slots=True)
class GenerationInfo:
    """One generation as `index list` shows it.

    Attributes:
        name: its name; unique, never used again.
        state: live, kept or staged.
        tables: how many tables it holds.
        made_at: when it was begun, UTC; None where its name does not tell.
        live_at: when it last became the live one, UTC; None if it never did, or nobody wrote it
            down.
        current: whether this program's mapping and analyzers are those that it was made with.
        settled: whether all writes that were under way as it went live are in it; if not, its run
            was killed, and the next stage, reopen or prune brings them over.
        from_sources: whether it was built from sources, so that tables of the one before it may be
            missing though nobody deleted them.
    """

    name: str
    state: GenerationState
    tables: int
    made_at: datetime | None
    live_at: datetime | None
    current: bool
    settled: bool = True
    from_sources: bool = False


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """What one call of `Staged.catch_up` brought over from the live generation.

    Attributes:
        written: tables written because they are new or changed there.
        deleted: tables removed because they are gone there.
        refused: tables that the staged generation did not take.
    """

    written: int
    deleted: int
    refused: tuple[Refused, ...] = ()


class Staged(Protocol):
    """A generation beside the live one that is to take its place. Open while its block runs.

    Attributes:
        name: its name.
        base: the live generation that it is to replace; None: there is none yet.
        resumed: whether it goes on with what an interrupted run left.
        tables: reads, writes and searches this generation alone; `close` does nothing.

    Raises:
        HolderLost: from any method that writes, if another process has taken the lease over.
        StoreProblem, ServiceUnreachable: as TableStore.
    """

    name: str
    base: str | None
    resumed: bool
    tables: TableStore

    def uncopied(self) -> Iterator[EnrichedTable]:
        """Yield the live generation's tables that are not in this one yet, ids ascending.

        As of one moment, or of a later one from some id on where the server was restarted; what
        is written meanwhile comes with `catch_up`. Bounded memory.
        """

    def catch_up(self, transform: Transform) -> CaughtUp:
        """Bring over what was written to or deleted from the live generation.

        The first call: since this generation was begun, by whichever process; each further one:
        since the call before. In both, tables may come that are over already.
        """

    def missing_or_surplus(self) -> tuple[int, int]:
        """Return how many tables of the live generation this one lacks, and how many it has more.

        Both as of one moment of this call, with everything caught up to that moment (as given, no
        transform); exact whatever others write meanwhile.
        """

    def check_definition(self) -> str | None:
        """Return None where mapping and analyzers are this program's, else what differs."""

    def go_live(self) -> None:
        """Make this the live generation, in one step that no search and no write falls into.

        The one that was live is kept. Calling it again does nothing.

        Raises:
            StoreProblem: another generation than `base` is live by now; nothing was changed.
        """

    def settle(self, transform: Transform) -> CaughtUp:
        """Bring over the writes that were under way to the old generation as this one went live.

        A table that was written to this generation since is left as it is. Afterwards the old one
        takes no more writes.
        """

    def drop(self) -> None:
        """Remove this generation; it must not be live."""


class Generations(Protocol):
    """The generations of one store. One process at a time changes them; any number look."""

    def listed(self) -> list[GenerationInfo]:
        """Return all generations but scratch ones, the live one first, then the newest first."""

    def stage(
        self, recipe: str, notify: Notify, *, from_sources: bool = False
    ) -> AbstractContextManager[Staged]:
        """Open an empty generation, or the one that an interrupted run of this recipe left.

        Another unfinished one is dropped: of another recipe, of another base, or of another
        mapping. When the block is left, by whatever way, the generation stays as it is, for a
        later run to go on with; `Staged.drop` removes it. An interrupted run that had gone live
        is settled first.

        Args:
            recipe: identifies what becomes of tables in this run; a text of any length.
            notify: hears that and why this waits.
            from_sources: whether it need not hold what the live one holds; is written down.

        Raises:
            AlreadyHeld: another process changes the generations, and is alive; its name is given.
                One on this machine whose process is gone is taken over at once; one elsewhere that
                shows no sign of life for 30 s is taken over then.
        """

    def reopen(self, name: str, notify: Notify) -> AbstractContextManager[Staged]:
        """Open a kept generation, to make it the live one again; otherwise as `stage`.

        Raises:
            AlreadyHeld: see `stage`.
            GenerationUnknown: no kept generation has this name.
        """

    def prune(self, keep: int, notify: Notify) -> tuple[str, ...]:
        """Remove all kept generations but the `keep` that were live last, and what runs left.

        What runs left: staged generations, and scratch ones whose process is known to be gone.
        Returns the names. Never touches the live generation.

        Raises:
            AlreadyHeld: see `stage`.
        """


class GenerationalStore(TableStore, Protocol):
    """A store of tables with generations: both real ones are."""

    @property
    def generations(self) -> Generations:
        """The generations of this store."""
