"""The first pass: each table that is new or changed is stored with its names expanded.

Nothing waits for a model here, so all tables are soon searchable by names and context. The ids of
those that still want a description go to a spool for the second pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ingest.batches import Batch, batches
from ingest.dead_letters import DeadLetters
from ingest.decide import is_described_by, names_are_stored, state_of, with_names
from ingest.rejected import Rejected
from ingest.report import MAX_SHOWN, NamesReport
from ingest.spool import IdSpool
from ingest.steps import Describer, Expander, Progress
from ingest.times import Clock, utc_text
from polaris_search.records import EnrichedTable, RawTable, TableState
from polaris_search.store.protocol import Refused, TableStore


@dataclass(frozen=True, slots=True)
class NamesPass:
    """What the pass works with. `describer` only tells which descriptions are current."""

    store: TableStore
    expander: Expander
    describer: Describer | None
    dead_letters: DeadLetters | None
    progress: Progress
    now: Clock
    dry_run: bool


def store_names(
    items: Iterable[RawTable | Rejected], to_describe: IdSpool, step: NamesPass
) -> NamesReport:
    """Store the tables batch by batch, and return the counts of all.

    The id of each table that wants a description is added to `to_describe`.
    """
    report = NamesReport()
    for batch in batches(items):
        report = _sum(report, _store_batch(batch, to_describe, step))
        step.progress.read(report.seen, report.rejected)
    return report


def _store_batch(batch: Batch, to_describe: IdSpool, step: NamesPass) -> NamesReport:
    states = step.store.states([table.table_id for table in batch.tables])
    changed = _changed(batch.tables, states, step)
    refused = _put(changed, step)
    after = states | {table.table_id: state_of(table) for table in changed}
    for one in refused:
        del after[one.table_id]
    wanting = [key for key, state in after.items() if _wants_description(state, step.describer)]
    for table_id in wanting:
        to_describe.add(table_id)
    rejected = (*batch.rejected, *map(_rejected, refused))
    _bury(rejected, step)
    described = {key for key, state in after.items() if state.status == "described"}
    return NamesReport(
        seen=len(batch.tables),
        stored=len(changed) - len(refused),
        unchanged=len(batch.tables) - len(changed),
        reused=len(described.difference(wanting)),
        rejected=len(rejected),
        first_rejected=rejected[:MAX_SHOWN],
    )


def _changed(
    tables: Sequence[RawTable], states: Mapping[str, TableState], step: NamesPass
) -> list[EnrichedTable]:
    """Return the tables that are to be written, expanded, with the descriptions they may keep."""
    new = [
        table
        for table in tables
        if not names_are_stored(table, states.get(table.table_id), step.expander)
    ]
    stored = step.store.get([table.table_id for table in new if table.table_id in states])
    at = utc_text(step.now())
    return [with_names(table, stored.get(table.table_id), step.expander, at) for table in new]


def _put(tables: Sequence[EnrichedTable], step: NamesPass) -> tuple[Refused, ...]:
    if step.dry_run or not tables:
        return ()
    return step.store.put(tables).refused


def _wants_description(state: TableState, describer: Describer | None) -> bool:
    return describer is not None and not is_described_by(state, describer)


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
        rejected=before.rejected + batch.rejected,
        first_rejected=(before.first_rejected + batch.first_rejected)[:MAX_SHOWN],
    )
