"""What a reindex or a rollback did, in counts and in the first of what went wrong."""

from dataclasses import dataclass

from polaris_search.lifecycle.sources import SourcesRead
from polaris_search.lifecycle.tally import Counts
from polaris_search.store.protocol import Refused

MAX_REFUSED = 20
"""As many refused tables a report names."""


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What a reindex did.

    Attributes:
        generation: the generation it built.
        replaced: the one that was live before, None if there was none.
        resumed: whether it went on with what an interrupted run left.
        live: whether the new generation is the live one now.
        tables: how many tables the live generation holds at the end.
        counts: what became of the tables that came by.
        passes: how often the new generation was caught up with the live one.
        written: tables that the passes brought over, for they were written meanwhile.
        deleted: tables that they removed, for they were deleted meanwhile.
        missing: tables of the old generation that the new one lacks; with a source only.
        surplus: tables that the new one has more; with a source only.
        sampled: tables that were searched for in the new generation.
        refused: tables that the new generation did not take.
        first_refused: the first MAX_REFUSED of these.
        sources: what was read of the sources, None where the live generation was.
        problem: why the new generation is not live, None where no more than `refused` says.
        seconds: how long it took.
    """

    generation: str
    replaced: str | None
    resumed: bool
    live: bool
    tables: int
    counts: Counts
    passes: int
    written: int
    deleted: int
    missing: int
    surplus: int
    sampled: int
    refused: int
    first_refused: tuple[Refused, ...]
    sources: SourcesRead | None
    problem: str | None
    seconds: float

    @property
    def clean(self) -> bool:
        """Whether the new generation is live, and all was taken, read and described as asked."""
        rejected = self.sources.rejected if self.sources else 0
        failed = self.counts.failed or self.counts.model_names.failed
        return self.live and not (self.refused or failed or rejected)


@dataclass(frozen=True, slots=True)
class RollbackReport:
    """What a rollback did; the fields it shares with ReindexReport mean the same.

    Attributes:
        brought_over: tables that were new or changed since, taken from the live generation.
        removed: tables that were deleted since.
    """

    generation: str
    replaced: str | None
    live: bool
    tables: int
    brought_over: int
    removed: int
    passes: int
    written: int
    deleted: int
    sampled: int
    refused: int
    first_refused: tuple[Refused, ...]
    problem: str | None
    seconds: float

    @property
    def clean(self) -> bool:
        """Whether the generation is live again and took every table."""
        return self.live and not self.refused
