"""Makes a kept generation the live one again, without losing what was written since.

The kept generation's own expansions and descriptions are what a rollback is for, so a table that is
the same in both stays as it is there; what was added, changed or deleted since is brought over. But
where a reindex from sources went live since, a table that only the kept one has may be one that it
left out: nobody wrote down which, and taking it out of the kept generation would be for ever. So
whoever goes back decides.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

from ingest.spool import id_spool
from ingest.times import Clock, utc_now
from polaris_search.errors import GenerationUnknown, PolarisError, StoreProblem
from polaris_search.lifecycle.progress import NoReindexProgress, ReindexProgress
from polaris_search.lifecycle.report import MAX_REFUSED, RollbackReport
from polaris_search.lifecycle.swap import Swap, SwapSteps, not_swapped, swap_in
from polaris_search.lifecycle.verify import any_difference, delete_all, ids_only_in_first
from polaris_search.records import EnrichedTable
from polaris_search.store.generations import GenerationalStore, GenerationInfo, Notify, Staged
from polaris_search.store.protocol import Refused, TableStore

Gone = Literal["keep", "remove"]
"""What becomes of tables that only the kept generation has."""

UNWATCHED = NoReindexProgress()
_NEVER = datetime.min.replace(tzinfo=UTC)


def rollback(
    store: GenerationalStore,
    name: str | None = None,
    *,
    gone: Gone | None = None,
    notify: Notify,
    progress: ReindexProgress = UNWATCHED,
    now: Clock = utc_now,
) -> RollbackReport:
    """Bring a kept generation up to date, make it the live one, and return what was done.

    Args:
        store: its live generation is replaced, and kept.
        name: the generation to go back to; None: of the kept ones that this program can search,
            the one that was live last.
        gone: what becomes of tables that only the kept generation has; None: removed, but if a
            generation built from sources was live since, and there are any, refused with nothing
            changed.
        notify: hears whose lease is waited for.
        progress: hears each step.
        now: the clock.

    Raises:
        GenerationUnknown: no kept generation has this name.
        PolarisError: none is kept, or `gone` is to be decided.
        StoreProblem: the generation was made with another mapping than this program's.
        AlreadyHeld, HolderLost, ServiceUnreachable: as `reindex`.
    """
    began = now()
    listed = store.generations.listed()
    chosen = _chosen(listed, name)
    if gone is None and not _left_out_since(listed, chosen):
        gone = "remove"  # nothing but deleting takes tables away
    with store.generations.reopen(chosen.name, notify) as staged:
        progress.reached("staged")
        brought, removed, refused = _bring_over(store, staged, gone)
        if refused:
            swap = not_swapped(refused)
        else:
            progress.reached("copied")
            # What is kept makes it differ from the live one, as it is meant to.
            judge = any_difference if staged.base is None or gone == "keep" else None
            swap = swap_in(staged, SwapSteps(store, _as_it_is, _as_it_is, judge, progress))
        return _report(store, staged, (brought, removed), swap, now() - began)


def _chosen(listed: Sequence[GenerationInfo], name: str | None) -> GenerationInfo:
    kept = [one for one in listed if one.state == "kept"]
    if not kept and name is None:
        raise PolarisError(
            "No generation is kept, so there is none to go back to. "
            "`polaris-admin reindex` keeps the one that it replaces."
        )
    named = [one for one in kept if name in (None, one.name)]
    if name is not None and not named:
        raise GenerationUnknown(name, [one.name for one in kept])
    chosen = max(named, key=lambda one: (one.current, one.live_at or _NEVER, one.made_at or _NEVER))
    if not chosen.current:
        raise StoreProblem(
            f"{chosen.name} was made with another mapping or other analyzers than this program's, "
            "which would misread it. Go back to the version that made it, or run "
            "`polaris-admin reindex`."
        )
    return chosen


def _left_out_since(listed: Sequence[GenerationInfo], chosen: GenerationInfo) -> bool:
    """Return whether a generation went live since that may have left out tables by itself."""
    since = [one for one in listed if one.state != "staged" and one.name != chosen.name]
    return any(
        one.from_sources and (one.live_at or _NEVER) >= (chosen.live_at or _NEVER) for one in since
    )


def _bring_over(
    live: TableStore, staged: Staged, gone: Gone | None
) -> tuple[int, int, tuple[Refused, ...]]:
    """Return how many tables were brought over, how many removed, and what was refused."""
    if staged.base is None:  # none is live: somebody took the alias away
        return 0, 0, ()
    kept = staged.tables
    with id_spool() as only_kept:
        for table_id in ids_only_in_first(kept.table_ids(), live.table_ids()):
            only_kept.add(table_id)
        if len(only_kept) and gone is None:
            raise PolarisError(_undecided(len(only_kept), staged))
        written = kept.put(_new_or_changed(live.tables(), kept.tables()))
        removed = delete_all(kept, only_kept) if gone == "remove" else 0
        return written.stored, removed, written.refused


def _undecided(only_kept: int, staged: Staged) -> str:
    return (
        f"{staged.name} has {only_kept} tables that the live generation {staged.base} has not: "
        "they were deleted since, or a reindex from sources left them out. Nothing was changed. "
        "Run the command again with --gone remove to leave them out, for ever, or with "
        "--gone keep to have them back."
    )


def _new_or_changed(
    live: Iterable[EnrichedTable], kept: Iterable[EnrichedTable]
) -> Iterator[EnrichedTable]:
    """Yield the live tables that the other stream lacks or has otherwise; ids of both ascending."""
    others = iter(kept)
    other = next(others, None)
    for table in live:
        while other is not None and other.table_id < table.table_id:
            other = next(others, None)
        if other is None or other.raw != table.raw:
            yield table


def _as_it_is(tables: Iterable[EnrichedTable]) -> Iterator[EnrichedTable]:
    return iter(tables)


def _report(
    store: GenerationalStore, staged: Staged, moved: tuple[int, int], swap: Swap, took: timedelta
) -> RollbackReport:
    return RollbackReport(
        generation=staged.name,
        replaced=staged.base,
        live=swap.live,
        tables=store.status().tables,
        brought_over=moved[0],
        removed=moved[1],
        passes=swap.passes,
        written=swap.caught_up.written,
        deleted=swap.caught_up.deleted,
        sampled=swap.verified.sampled,
        refused=len(swap.refused),
        first_refused=swap.refused[:MAX_REFUSED],
        problem=swap.problem,
        seconds=took.total_seconds(),
    )
