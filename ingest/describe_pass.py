"""The second pass: each table of the spool is described, and stored as soon as its answer is there.

A failed one is marked with the reason and stays searchable by names and context; where it has an
older description, that stays and nothing is written. Either is asked for again by the next ingest.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from ingest.asking import Answer, ask
from ingest.input_hash import input_hash_of
from ingest.report import MAX_SHOWN, DescribeReport
from ingest.steps import DescribeOutcome, Describer, Progress
from ingest.times import Clock, utc_text
from polaris_search.records import EnrichedTable, Provenance
from polaris_search.store.protocol import TableStore

NO_REASON = "The describer gave no reason."


@dataclass(frozen=True, slots=True)
class DescribePass:
    """What the pass works with; `concurrency` tables are asked about at a time."""

    store: TableStore
    describer: Describer
    concurrency: int
    progress: Progress
    now: Clock


def describe_tables(table_ids: Iterable[str], step: DescribePass) -> DescribeReport:
    """Describe the tables, store each answer as it comes, and return the counts of all."""
    report = DescribeReport()
    with closing(ask(step.describer, _stored(table_ids, step), step.concurrency)) as answers:
        for group in answers:
            report = _sum(report, _store_answers(group, step))
            step.progress.described(report.described, report.failed)
    return report


def _stored(table_ids: Iterable[str], step: DescribePass) -> Iterator[EnrichedTable]:
    """Yield the tables from the store, read shortly before they are asked about."""
    ids = iter(table_ids)
    while some := list(islice(ids, step.concurrency)):
        found = step.store.get(some)
        yield from (found[table_id] for table_id in some if table_id in found)


def _store_answers(group: Sequence[Answer], step: DescribePass) -> DescribeReport:
    at = utc_text(step.now())
    answered = [_with_answer(table, outcome, step.describer, at) for table, outcome in group]
    written = step.store.put(table for table in answered if table is not None)
    reasons = {one.table_id: one.reason for one in written.refused}
    for table, outcome in group:
        if outcome.description is None:
            reasons[table.table_id] = outcome.reason or NO_REASON
    return DescribeReport(
        described=len(group) - len(reasons),
        failed=len(reasons),
        reasons=_counted({}, ((reason, 1) for reason in reasons.values())),
        notices=_counted({}, ((notice, 1) for _, outcome in group for notice in outcome.notices)),
        prompt_tokens=sum(outcome.prompt_tokens for _, outcome in group),
        completion_tokens=sum(outcome.completion_tokens for _, outcome in group),
    )


def _with_answer(
    table: EnrichedTable, outcome: DescribeOutcome, describer: Describer, at: str
) -> EnrichedTable | None:
    """Return the table to store, None where an older description is to stay as it is."""
    if outcome.description is None and table.description is not None:
        return None
    input_hash = input_hash_of(table.provenance.input_hash)
    made = outcome.description is not None
    provenance = Provenance(
        input_hash=(input_hash.described_by(describer) if made else input_hash.outdated()).text,
        expander=table.provenance.expander,
        model=describer.model,
        adapter=describer.adapter,
        prompt_version=describer.prompt_version,
        enriched_at=at,
        status="described" if made else "failed",
        reason=None if made else outcome.reason or NO_REASON,
    )
    return replace(table, description=outcome.description, provenance=provenance)


def _counted(
    before: Mapping[str, int], more: Iterable[tuple[str, int]]
) -> tuple[tuple[str, int], ...]:
    """Return the counts of both; of reasons beyond MAX_SHOWN only those already there go on."""
    counts = dict(before)
    for reason, count in more:
        if reason in counts or len(counts) < MAX_SHOWN:
            counts[reason] = counts.get(reason, 0) + count
    return tuple(counts.items())


def _sum(before: DescribeReport, group: DescribeReport) -> DescribeReport:
    return DescribeReport(
        described=before.described + group.described,
        failed=before.failed + group.failed,
        reasons=_counted(dict(before.reasons), group.reasons),
        notices=_counted(dict(before.notices), group.notices),
        prompt_tokens=before.prompt_tokens + group.prompt_tokens,
        completion_tokens=before.completion_tokens + group.completion_tokens,
    )
