"""The second pass: models are asked about each table of the spool, and their answers stored.

Names first, where a model is to read them, then the description of what they mean: both in one
write, as soon as they are there. A description that fails is marked with the reason, names that
could not be asked about stay lexical; what is there already stays. Either is asked for again by the
next ingest.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from ingest.answer import Answer, Models, Wanted
from ingest.asking import ask
from ingest.decide import (
    NO_REASON,
    is_described_by,
    state_of,
    wants_model_names,
    with_answer,
)
from ingest.model_names import counts_of_names, notices_of_names
from ingest.report import DescribeReport, counted
from ingest.steps import Describer, Expanders, Progress
from ingest.times import Clock, utc_text
from polaris_search.records import EnrichedTable
from polaris_search.store.protocol import TableStore


@dataclass(frozen=True, slots=True)
class DescribePass:
    """What the pass works with; `concurrency` tables are asked about at a time."""

    store: TableStore
    expanders: Expanders
    describer: Describer | None
    concurrency: int
    progress: Progress
    now: Clock

    @property
    def models(self) -> Models:
        """Who is asked."""
        return Models(self.expanders.later, self.describer)


def describe_tables(table_ids: Iterable[str], step: DescribePass) -> DescribeReport:
    """Ask about the tables, store each answer as it comes, and return the counts of all."""
    report = DescribeReport()
    answered = 0
    with closing(ask(step.models, _stored(table_ids, step), step.concurrency)) as answers:
        for group in answers:
            report = _sum(report, _store_answers(group, step))
            answered += len(group)
            step.progress.described(answered - report.failed, report.failed)
    return report


def _stored(table_ids: Iterable[str], step: DescribePass) -> Iterator[Wanted]:
    """Yield what is wanted of the tables, read shortly before they are asked about."""
    ids = iter(table_ids)
    while some := list(islice(ids, step.concurrency)):
        found = step.store.get(some)
        yield from (_wanted(found[table_id], step) for table_id in some if table_id in found)


def _wanted(table: EnrichedTable, step: DescribePass) -> Wanted:
    state = state_of(table)
    return Wanted(
        table,
        names=wants_model_names(table.raw, state, step.expanders),
        description=step.describer is not None and not is_described_by(state, step.describer),
    )


def _store_answers(group: Sequence[Answer], step: DescribePass) -> DescribeReport:
    at = utc_text(step.now())
    answered = [with_answer(answer, step.models, at) for answer in group]
    written = step.store.put(table for table in answered if table is not None)
    reasons = {one.table_id: one.reason for one in written.refused}
    for answer in group:
        if answer.description and answer.description.description is None:
            reasons[answer.table.table_id] = answer.description.reason or NO_REASON
    descriptions = [answer.description for answer in group if answer.description]
    names = [answer.names for answer in group if answer.names]
    described = [answer.table.table_id for answer in group if answer.description]
    said = [notice for one in descriptions for notice in one.notices]
    return DescribeReport(
        described=sum(table_id not in reasons for table_id in described),
        failed=len(reasons),
        reasons=counted({}, ((reason, 1) for reason in reasons.values())),
        notices=counted({}, ((notice, 1) for notice in (*said, *notices_of_names(names)))),
        prompt_tokens=sum(outcome.prompt_tokens for outcome in descriptions),
        completion_tokens=sum(outcome.completion_tokens for outcome in descriptions),
        model_names=counts_of_names(names),
    )


def _sum(before: DescribeReport, group: DescribeReport) -> DescribeReport:
    return DescribeReport(
        described=before.described + group.described,
        failed=before.failed + group.failed,
        reasons=counted(dict(before.reasons), group.reasons),
        notices=counted(dict(before.notices), group.notices),
        prompt_tokens=before.prompt_tokens + group.prompt_tokens,
        completion_tokens=before.completion_tokens + group.completion_tokens,
        model_names=before.model_names.plus(group.model_names),
    )
