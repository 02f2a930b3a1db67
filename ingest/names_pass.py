"""The first pass: each table that is new or changed is stored with its names expanded.

Nothing waits for a model here, so all tables are soon searchable by names and context. The ids of
those that still want a model go to a spool for the second pass. While the store writes one
batch, the next is read and expanded; more than these two are never in memory.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from ingest.batches import Batch, batches
from ingest.dead_letters import DeadLetters
from ingest.decide import (
    is_described_by,
    names_are_stored,
    state_of,
    wants_model_names,
    with_names,
)
from ingest.estimate import NOTHING_ASKED, Estimate
from ingest.rejected import Rejected
from ingest.report import MAX_SHOWN, NamesReport, counted
from ingest.spool import IdSpool
from ingest.steps import Describer, Expanders, Progress
from ingest.times import Clock, utc_text
from polaris_search.records import EnrichedTable, RawTable, TableState
from polaris_search.store.protocol import Refused, TableStore


@dataclass(frozen=True, slots=True)
class NamesPass:
    """What the pass works with. No model is asked: `describer` tells what is described by it.

    A dry run writes nothing; it estimates what the models would be asked.
    """

    store: TableStore
    expanders: Expanders
    describer: Describer | None
    dead_letters: DeadLetters | None
    progress: Progress
    now: Clock
    dry_run: bool


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A batch, what of it is to be written, and how the store will know its tables then."""

    batch: Batch
    changed: tuple[EnrichedTable, ...]
    states: Mapping[str, TableState]


def store_names(
    items: Iterable[RawTable | Rejected], to_ask: IdSpool, step: NamesPass
) -> NamesReport:
    """Store the tables batch by batch, and return the counts of all.

    The id of each table that a model is to be asked about is added to `to_ask`.
    """
    report = NamesReport()
    for prepared, refused in _written(batches(items), step):
        report = _sum(report, _settled(prepared, refused, to_ask, step))
        step.progress.read(report.seen, report.rejected)
    return report


def _written(
    read: Iterable[Batch], step: NamesPass
) -> Iterator[tuple[_Prepared, tuple[Refused, ...]]]:
    """Yield each batch once the store has it, with what it refused; the next is prepared by then.

    No id stands in two batches, so that what is prepared does not depend on what is being written.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="store") as writer:
        writing: tuple[_Prepared, Future[tuple[Refused, ...]]] | None = None
        for batch in read:
            prepared = _prepared(batch, step)
            if writing:
                yield writing[0], writing[1].result()
            writing = prepared, writer.submit(_put, prepared.changed, step)
        if writing:
            yield writing[0], writing[1].result()


def _prepared(batch: Batch, step: NamesPass) -> _Prepared:
    states = step.store.states([table.table_id for table in batch.tables])
    changed = _changed(batch.tables, states, step)
    after = states | {table.table_id: state_of(table) for table in changed}
    return _Prepared(batch, changed, after)


def _settled(
    prepared: _Prepared, refused: Sequence[Refused], to_ask: IdSpool, step: NamesPass
) -> NamesReport:
    """Return the counts of a batch that is stored; its rejected rows are on the disk by then."""
    batch, changed = prepared.batch, prepared.changed
    gone = {one.table_id for one in refused}
    after = {key: state for key, state in prepared.states.items() if key not in gone}
    wanting = {key for key, state in after.items() if _wants_description(state, step.describer)}
    naming = {
        table.table_id
        for table in batch.tables
        if table.table_id in after
        and wants_model_names(table, after[table.table_id], step.expanders)
    }
    for table_id in after:
        if table_id in wanting or table_id in naming:
            to_ask.add(table_id)
    rejected = (*batch.rejected, *map(_rejected, refused))
    _bury(rejected, step)
    described = {key for key, state in after.items() if state.status == "described"}
    return NamesReport(
        seen=len(batch.tables),
        stored=len(changed) - len(refused),
        unchanged=len(batch.tables) - len(changed),
        reused=len(described.difference(wanting)),
        to_describe=len(wanting),
        rejected=len(rejected),
        first_rejected=rejected[:MAX_SHOWN],
        rejected_kinds=counted({}, ((one.kind, 1) for one in rejected)),
        estimate=_estimate(prepared, wanting, naming, step),
    )


def _changed(
    tables: Sequence[RawTable], states: Mapping[str, TableState], step: NamesPass
) -> tuple[EnrichedTable, ...]:
    """Return the tables that are to be written, expanded, with the descriptions they may keep."""
    new = [
        table
        for table in tables
        if not names_are_stored(table, states.get(table.table_id), step.expanders)
    ]
    stored = step.store.get([table.table_id for table in new if table.table_id in states])
    at = utc_text(step.now())
    named = (
        (
            stored.get(table.table_id),
            with_names(table, stored.get(table.table_id), step.expanders, at),
        )
        for table in new
    )
    return tuple(table for before, table in named if table is not before)


def _put(tables: Sequence[EnrichedTable], step: NamesPass) -> tuple[Refused, ...]:
    if step.dry_run or not tables:
        return ()
    return step.store.put(tables).refused


def _wants_description(state: TableState, describer: Describer | None) -> bool:
    return describer is not None and not is_described_by(state, describer)


def _estimate(
    prepared: _Prepared, wanting: set[str], naming: set[str], step: NamesPass
) -> Estimate:
    """Return what models would be asked about the tables, in a dry run."""
    estimate = NOTHING_ASKED
    if not step.dry_run:
        return estimate
    expanded = {table.table_id: table.expansion for table in prepared.changed}
    later, describer = step.expanders.later, step.describer
    for table in prepared.batch.tables:
        asked = NOTHING_ASKED
        if table.table_id in wanting and describer:
            known = table.table_id in expanded
            at_once = step.expanders.at_once
            expansion = expanded[table.table_id] if known else at_once.expand(table)
            asked = asked.plus(describer.estimate(table, expansion))
        if table.table_id in naming and later:
            asked = asked.plus(later.estimate(table))
        estimate = estimate.plus(replace(asked, tables=min(1, asked.tables)))
    return estimate


def _rejected(refused: Refused) -> Rejected:
    return Rejected("store", None, refused.reason.rstrip("."), "", refused.table_id)


def _bury(rejected: Sequence[Rejected], step: NamesPass) -> None:
    if step.dead_letters and not step.dry_run:
        step.dead_letters.add(rejected)


def _sum(before: NamesReport, batch: NamesReport) -> NamesReport:
    return NamesReport(
        seen=before.seen + batch.seen,
        stored=before.stored + batch.stored,
        unchanged=before.unchanged + batch.unchanged,
        reused=before.reused + batch.reused,
        to_describe=before.to_describe + batch.to_describe,
        rejected=before.rejected + batch.rejected,
        first_rejected=(before.first_rejected + batch.first_rejected)[:MAX_SHOWN],
        rejected_kinds=counted(dict(before.rejected_kinds), batch.rejected_kinds),
        estimate=before.estimate.plus(batch.estimate),
    )
