"""What a reindex would do, without writing anything or asking any model."""

from collections.abc import Iterable
from dataclasses import dataclass

from ingest.estimate import NOTHING_ASKED, Estimate
from ingest.times import Clock, utc_now, utc_text
from polaris_search.lifecycle.sources import Sources, SourcesRead, SourcesReader
from polaris_search.lifecycle.tally import Counts, counts_of_kinds, sum_of
from polaris_search.lifecycle.transform import Renewal, renewed_names, wanted, wants_description
from polaris_search.lifecycle.transformer import Given, as_they_are, kind_of
from polaris_search.store.generations import GenerationalStore, GenerationInfo
from polaris_search.store.protocol import TableStore


@dataclass(frozen=True, slots=True)
class ReindexPreview:
    """What a reindex would do.

    Attributes:
        replaces: the live generation, None if there is none.
        current: whether mapping and analyzers of the live one are this program's already.
        unfinished: staged generations of interrupted runs; one is gone on with if it is of the
            same kind, the others are dropped.
        counts: what would become of the tables' names.
        to_describe: tables that the model would be asked to describe, at least once each.
        estimate: what asking a model about names would take.
        gone: live tables that stand in no source; with sources only.
        sources: what was read of them, None where the live generation was.
        held_back: why it would not go live without --yes, as a sentence; None: nothing would.
    """

    replaces: str | None
    current: bool
    unfinished: tuple[str, ...]
    counts: Counts
    to_describe: int
    estimate: Estimate
    gone: int
    sources: SourcesRead | None
    held_back: str | None


def preview(
    store: GenerationalStore, renewal: Renewal, sources: Sources | None = None, now: Clock = utc_now
) -> ReindexPreview:
    """Return what `reindex` would do with the same arguments."""
    listed = store.generations.listed()
    live = next((one for one in listed if one.state == "live"), None)
    reader = SourcesReader(sources) if sources else None
    given = reader.given(store, None, renewal) if reader else as_they_are(store.tables())
    counts, to_describe, estimate = _counted(given, renewal, utc_text(now()))
    gone = _gone(store, sources) if sources else 0
    return ReindexPreview(
        replaces=live.name if live else None,
        current=live is None or live.current,
        unfinished=_unfinished(listed),
        counts=counts,
        to_describe=to_describe,
        estimate=estimate,
        gone=gone,
        sources=reader.read() if reader else None,
        held_back=reader.judge(store)(gone, 0) if reader and live else None,
    )


def _unfinished(listed: Iterable[GenerationInfo]) -> tuple[str, ...]:
    return tuple(one.name for one in listed if one.state == "staged")


def _counted(given: Iterable[Given], renewal: Renewal, at: str) -> tuple[Counts, int, Estimate]:
    counts, to_describe, estimate = Counts(), 0, NOTHING_ASKED
    for raw, stored in given:
        table = renewed_names(raw, stored, renewal, at)
        counts = sum_of(counts, counts_of_kinds([kind_of(raw, stored, table)]))
        to_describe += wants_description(table, renewal)
        if renewal.later and wanted(table, renewal).names:
            estimate = estimate.plus(renewal.later.estimate(table.raw))
    return counts, to_describe, estimate


def _gone(live: TableStore, sources: Sources) -> int:
    return sum(table_id not in sources.seen for table_id in live.table_ids())
