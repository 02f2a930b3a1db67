"""The second pass: each table of the spool is described, and stored as soon as its answer is there.

A failed one is marked with the reason and stays searchable by names and context; where it has an
older description, that stays and nothing is written. Either is asked for again by the next ingest.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from ingest.asking import Answer, ask
from ingest.decide import NO_REASON, with_answer
from ingest.report import DescribeReport, counted
from ingest.steps import Describer, Progress
from ingest.times import Clock, utc_text
from polaris_search.records import EnrichedTable
from polaris_search.store.protocol import TableStore


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
    answered = [with_answer(table, outcome, step.describer, at) for table, outcome in group]
    written = step.store.put(table for table in answered if table is not None)
    reasons = {one.table_id: one.reason for one in written.refused}
    for table, outcome in group:
        if outcome.description is None:
            reasons[table.table_id] = outcome.reason or NO_REASON
    return DescribeReport(
        described=len(group) - len(reasons),
        failed=len(reasons),
        reasons=counted({}, ((reason, 1) for reason in reasons.values())),
        notices=counted({}, ((notice, 1) for _, outcome in group for notice in outcome.notices)),
        prompt_tokens=sum(outcome.prompt_tokens for _, outcome in group),
        completion_tokens=sum(outcome.completion_tokens for _, outcome in group),
    )


def _sum(before: DescribeReport, group: DescribeReport) -> DescribeReport:
    return DescribeReport(
        described=before.described + group.described,
        failed=before.failed + group.failed,
        reasons=counted(dict(before.reasons), group.reasons),
        notices=counted(dict(before.notices), group.notices),
        prompt_tokens=before.prompt_tokens + group.prompt_tokens,
        completion_tokens=before.completion_tokens + group.completion_tokens,
    )
