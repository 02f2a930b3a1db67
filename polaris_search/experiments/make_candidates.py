"""Samples candidate descriptions: K of each gold table, one of every other, into a file.

Comes in: a data set, a sampler and a file, perhaps of a run that was stopped. Goes out: the file,
with a line for every table that got a candidate, and counts of what became of all.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from polaris_search.experiments.candidate_file import CandidateFile, candidate_file
from polaris_search.experiments.candidate_tables import CandidateTable, CandidateTables
from polaris_search.experiments.sampler import Made, Sampler
from trainer.candidates import Candidate


@dataclass(frozen=True, slots=True)
class Sampled:
    """What a run made.

    Attributes:
        tables: lines written now.
        there_before: tables that the file held already.
        fewer_before: of them, tables with fewer candidates than are asked for now.
        otherwise_before: of them, tables sampled by another model, adapter, prompt or decoding.
        candidates: written now.
        duplicates: of them, texts that their table has twice, whatever the seed.
        fewer: tables written now with fewer candidates than were asked for.
        failed: tables without a single candidate, and why; they are asked again by the next run.
    """

    tables: int
    there_before: int
    fewer_before: int
    otherwise_before: int
    candidates: int
    duplicates: int
    fewer: int
    failed: Mapping[str, str]


class SamplingProgress(Protocol):
    """Hears how far a sampling is."""

    def sampled(self, done: int, total: int, failed: int) -> None:
        """So many of the tables to sample are done, so many of them without a candidate."""


class UnwatchedSampling:
    """A SamplingProgress that nobody watches."""

    def sampled(self, done: int, total: int, failed: int) -> None:
        """Ignore it."""


@dataclass(frozen=True, slots=True)
class _Before:
    """What the file holds of the data set's tables, and how many of them are left to sample."""

    there: Mapping[str, tuple[Candidate, ...]]
    fewer: int
    otherwise: int
    left: int


def make_candidates(
    tables: CandidateTables,
    sampler: Sampler,
    path: Path,
    k: int,
    *,
    concurrency: int,
    progress: SamplingProgress | None = None,
) -> Sampled:
    """Sample the candidates of all tables that the file does not hold yet, and append them.

    Args:
        tables: the data set; its candidates are ignored.
        sampler: makes them.
        path: the file, made where there is none.
        k: candidates of a table with a relevant query, >= 1; others get one.
        concurrency: tables under way at a time.
        progress: hears how far it is.

    Raises:
        CandidatesInvalid: there is a file, and it is none of candidates.
        AnotherSamples: another process samples into the file.
        NotWritten: the file cannot be written.
        ServiceUnreachable: the model's server went away; what was made is in the file.
    """

    async def run(file: CandidateFile) -> Sampled:
        try:
            before = _before(tables, file.read(), sampler, k)
            async with aclosing(_sampled(tables, before, sampler, k, concurrency)) as sampling:
                return await _written(sampling, file, before, k, progress or UnwatchedSampling())
        finally:
            await sampler.close()

    with candidate_file(path) as file:
        return asyncio.run(run(file))


def _before(
    tables: CandidateTables, there: Mapping[str, tuple[Candidate, ...]], sampler: Sampler, k: int
) -> _Before:
    fewer = otherwise = left = 0
    for table in tables:
        candidates = there.get(table.raw.table_id)
        if candidates is None:
            left += 1
            continue
        fewer += len(candidates) < _wanted(table, k)
        otherwise += any(_made_otherwise(one, sampler) for one in candidates)
    return _Before(there, fewer, otherwise, left)


def _made_otherwise(candidate: Candidate, sampler: Sampler) -> bool:
    return any(candidate.made.get(name, value) != value for name, value in sampler.made_by.items())


def _wanted(table: CandidateTable, k: int) -> int:
    return k if table.queries else 1


async def _written(
    sampling: AsyncIterator[tuple[CandidateTable, Made]],
    file: CandidateFile,
    before: _Before,
    k: int,
    progress: SamplingProgress,
) -> Sampled:
    n_tables = n_candidates = duplicates = fewer = 0
    failed: dict[str, str] = {}
    progress.sampled(0, before.left, 0)
    async for table, made in sampling:
        if made.candidates:
            file.append(table.raw.table_id, made.candidates)
            n_tables += 1
            fewer += len(made.candidates) < _wanted(table, k)
        else:
            failed[table.raw.table_id] = made.reason or "The model gave no reason."
        n_candidates += len(made.candidates)
        duplicates += made.duplicates
        progress.sampled(n_tables + len(failed), before.left, len(failed))
    return Sampled(
        tables=n_tables,
        there_before=len(before.there),
        fewer_before=before.fewer,
        otherwise_before=before.otherwise,
        candidates=n_candidates,
        duplicates=duplicates,
        fewer=fewer,
        failed=failed,
    )


async def _sampled(
    tables: CandidateTables, before: _Before, sampler: Sampler, k: int, concurrency: int
) -> AsyncGenerator[tuple[CandidateTable, Made]]:
    """Yield each table with its candidates as soon as it has them, `concurrency` under way."""
    missing: Iterator[CandidateTable] = (
        table for table in tables if table.raw.table_id not in before.there
    )

    async def one(table: CandidateTable) -> Made:
        expansion = tables.expander.expand(table.raw)
        return await sampler.candidates(table.raw, expansion, _wanted(table, k))

    under_way: dict[asyncio.Task[Made], CandidateTable] = {}
    try:
        while True:
            while len(under_way) < concurrency and (table := next(missing, None)):
                under_way[asyncio.create_task(one(table))] = table
            if not under_way:
                return
            done, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            # What is there is kept before a failure ends the run.
            for task in sorted(done, key=lambda task: task.exception() is not None):
                yield under_way.pop(task), task.result()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
