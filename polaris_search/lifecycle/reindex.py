"""Builds a new generation of all tables beside the live one, and swaps it in: the order of it.

Searches go on in the live generation until the new one holds every table; writes go on all the
time. A reindex can be killed at any point: the live generation serves, and the same command run
again goes on from there.
"""

from datetime import timedelta
from functools import partial

from ingest.times import Clock, utc_now
from polaris_search.errors import PolarisError
from polaris_search.lifecycle.progress import NoReindexProgress, ReindexProgress
from polaris_search.lifecycle.report import MAX_REFUSED, ReindexReport
from polaris_search.lifecycle.sources import Sources, SourcesReader
from polaris_search.lifecycle.swap import Swap, SwapSteps, not_swapped, swap_in
from polaris_search.lifecycle.tally import Counts
from polaris_search.lifecycle.transform import Renewal
from polaris_search.lifecycle.transformer import Transformer, as_they_are
from polaris_search.lifecycle.verify import any_difference
from polaris_search.store.generations import GenerationalStore, Notify, Staged
from polaris_search.store.protocol import Refused

UNWATCHED = NoReindexProgress()


def reindex(
    store: GenerationalStore,
    renewal: Renewal,
    *,
    sources: Sources | None = None,
    yes: bool = False,
    notify: Notify,
    progress: ReindexProgress = UNWATCHED,
    now: Clock = utc_now,
) -> ReindexReport:
    """Build a new generation, make it live if nothing is wrong with it, and return what was done.

    Args:
        store: its live generation is replaced.
        renewal: what is made anew.
        sources: where the tables come from; None: from the live generation.
        yes: takes what the sources give, also where rows were rejected or much is gone.
        notify: hears whose lease is waited for.
        progress: hears each step.
        now: the clock.

    Raises:
        PolarisError: the store holds nothing yet, and no sources are given.
        AlreadyHeld: another process changes the generations.
        HolderLost: another process took over meanwhile.
        StoreProblem: another generation went live meanwhile.
        ServiceUnreachable: the store's server does not answer. Run it again to go on.
    """
    began = now()
    if sources is None:
        _check_there_is_something(store)
    recipe = renewal.recipe(*(sources.names if sources else ()))
    reader = SourcesReader(sources) if sources else None
    with (
        store.generations.stage(recipe, notify, from_sources=sources is not None) as staged,
        Transformer(renewal, progress, now) as transformer,
    ):
        progress.reached("staged")
        refused = _copy(store, staged, transformer, reader)
        if refused:
            swap = not_swapped(refused)
        else:
            progress.reached("copied")
            swap = swap_in(staged, _steps(store, staged, transformer, reader, yes, progress))
        return _report(store, staged, transformer.counts, reader, swap, now() - began)


def _check_there_is_something(store: GenerationalStore) -> None:
    states = [one.state for one in store.generations.listed()]
    if "live" in states:
        return
    if "kept" in states:
        raise PolarisError(
            "No generation is live. `polaris-admin index rollback` makes a kept one live again."
        )
    raise PolarisError("The store holds no tables yet. `polaris-admin ingest` adds some.")


def _copy(
    store: GenerationalStore,
    staged: Staged,
    transformer: Transformer,
    reader: SourcesReader | None,
) -> tuple[Refused, ...]:
    if reader is None:
        return transformer.copy(as_they_are(staged.uncopied()), staged.tables)
    refused = transformer.copy(reader.given(store, staged, transformer.renewal), staged.tables)
    reader.remove_gone(staged)
    return refused


def _steps(
    store: GenerationalStore,
    staged: Staged,
    transformer: Transformer,
    reader: SourcesReader | None,
    yes: bool,
    progress: ReindexProgress,
) -> SwapSteps:
    judge = None
    if reader:
        judge = any_difference if yes else reader.judge(store)
    return SwapSteps(
        live=store,
        again=partial(transformer.again, staged=staged.tables),
        at_once=partial(transformer.at_once, staged=staged.tables),
        judge=judge,
        progress=progress,
    )


def _report(
    store: GenerationalStore,
    staged: Staged,
    counts: Counts,
    reader: SourcesReader | None,
    swap: Swap,
    took: timedelta,
) -> ReindexReport:
    return ReindexReport(
        generation=staged.name,
        replaced=staged.base,
        resumed=staged.resumed,
        live=swap.live,
        tables=store.status().tables,
        counts=counts,
        passes=swap.passes,
        written=swap.caught_up.written,
        deleted=swap.caught_up.deleted,
        missing=swap.verified.missing,
        surplus=swap.verified.surplus,
        sampled=swap.verified.sampled,
        refused=len(swap.refused),
        first_refused=swap.refused[:MAX_REFUSED],
        sources=reader.read() if reader else None,
        problem=swap.problem,
        seconds=took.total_seconds(),
    )
