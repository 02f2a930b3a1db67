"""Samples candidate descriptions: K of each gold table, one of every other, into a file.

A line is appended as soon as a table is done, so that a run that was stopped goes on where it
ended. Every candidate says which seed and decoding it came from.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ingest.describe.describer import DescribeSettings, LlmDescriber
from polaris_search.errors import CandidatesInvalid
from polaris_search.experiments.candidate_tables import CandidateTable, CandidateTables
from polaris_search.llm.model import ChatModel
from polaris_search.records import DESCRIPTION_FIELDS, Description, Expansion, RawTable
from trainer.candidates import read_candidates

SEEDS_APART = 100
"""Between two candidates of a table: what is between is for replies that have to be asked again."""
RESAMPLED = 3
"""So often a text that the table has already is asked for again, with another seed."""
SEEDS_A_TRY = 10


Made = tuple[list[dict[str, Any]], str | None]
"""A table's candidates as their file holds them, and why one is missing, if one is."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """What a run made.

    Attributes:
        tables: lines written now.
        there_before: tables that the file held already.
        candidates: written now.
        duplicates: of them, texts that their table has twice, whatever the seed.
        failed: tables without a single candidate, and why; they are asked again by the next run.
    """

    tables: int
    there_before: int
    candidates: int
    duplicates: int
    failed: Mapping[str, str]


class Sampler:
    """Samples descriptions of a table from one chat model, each with a seed of its own."""

    def __init__(self, chat_model: ChatModel, settings: DescribeSettings) -> None:
        self._chat_model = chat_model
        self._settings = settings
        self._describers: dict[int, LlmDescriber] = {}

    async def candidates(self, table: RawTable, expansion: Expansion | None, k: int) -> Made:
        """Return up to `k` candidates as their file holds them, and why one is missing."""
        made: list[dict[str, Any]] = []
        reason = None
        for place in range(k):
            for attempt in range(RESAMPLED + 1):
                seed = self._settings.seed + SEEDS_APART * place + SEEDS_A_TRY * attempt
                outcome = await self._describer(seed).describe(table, expansion)
                if outcome.description is None:
                    reason = outcome.reason
                    break
                text = _as_reply(outcome.description)
                if all(text != one["text"] for one in made) or attempt == RESAMPLED:
                    made.append({"text": text, "seed": seed, **self._decoding()})
                    break
        return made, reason

    async def close(self) -> None:
        """Close the chat model; in the event loop that asked it."""
        await self._chat_model.close()

    def _describer(self, seed: int) -> LlmDescriber:
        if seed not in self._describers:
            settings = replace(self._settings, seed=seed)
            self._describers[seed] = LlmDescriber(self._chat_model, settings)
        return self._describers[seed]

    def _decoding(self) -> dict[str, Any]:
        settings = self._settings
        return {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "top_k": settings.top_k,
            "model": self._chat_model.model,
            "adapter": self._chat_model.adapter,
            "prompt_version": self._describer(settings.seed).prompt_version,
        }


def make_candidates(
    tables: CandidateTables,
    sampler: Sampler,
    path: Path,
    k: int,
    *,
    concurrency: int,
    progress: Callable[[int], None] = lambda done: None,
) -> Sampled:
    """Sample the candidates of all tables that the file does not hold yet, and append them.

    Args:
        tables: the data set; its candidates are ignored.
        sampler: makes them.
        path: the file, made where there is none.
        k: candidates of a table with a relevant query, >= 1; others get one.
        concurrency: tables under way at a time.
        progress: hears how many tables are done.

    Raises:
        CandidatesInvalid: there is a file, and it is none of candidates.
        ServiceUnreachable: the model's server went away; what was made is in the file.
    """
    _drop_half_line(path)
    there = set(read_candidates(path)) if path.exists() else set()
    path.parent.mkdir(parents=True, exist_ok=True)
    missing = (table for table in tables if table.raw.table_id not in there)
    sampling = _sampled(missing, tables, sampler, k, concurrency)

    async def run() -> Sampled:
        try:
            async with aclosing(sampling):
                return await _written(sampling, path, len(there), progress)
        finally:
            await sampler.close()

    return asyncio.run(run())


async def _written(
    sampling: AsyncIterator[tuple[CandidateTable, Made]],
    path: Path,
    there_before: int,
    progress: Callable[[int], None],
) -> Sampled:
    n_tables = n_candidates = duplicates = 0
    failed: dict[str, str] = {}
    with path.open("a", encoding="utf-8") as file:
        async for table, (made, reason) in sampling:
            if made:
                record = {"table_id": table.raw.table_id, "candidates": made}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                file.flush()
                n_tables += 1
            else:
                failed[table.raw.table_id] = reason or "The model gave no reason."
            n_candidates += len(made)
            duplicates += len(made) - len({one["text"] for one in made})
            progress(there_before + n_tables + len(failed))
    return Sampled(n_tables, there_before, n_candidates, duplicates, failed)


async def _sampled(
    missing: Iterator[CandidateTable],
    tables: CandidateTables,
    sampler: Sampler,
    k: int,
    concurrency: int,
) -> AsyncGenerator[tuple[CandidateTable, Made]]:
    """Yield each table with its candidates, in the catalogue's order, `concurrency` under way."""

    async def one(table: CandidateTable) -> Made:
        expansion = tables.expander.expand(table.raw)
        return await sampler.candidates(table.raw, expansion, k if table.queries else 1)

    under_way: list[tuple[CandidateTable, asyncio.Task[Made]]] = []
    try:
        while True:
            while len(under_way) < concurrency and (table := next(missing, None)):
                under_way.append((table, asyncio.create_task(one(table))))
            if not under_way:
                return
            first, task = under_way.pop(0)
            yield first, await task
    finally:
        for _, task in under_way:
            task.cancel()
        await asyncio.gather(*(task for _, task in under_way), return_exceptions=True)


def _as_reply(description: Description) -> str:
    """Return the description as the JSON that a model replies with."""
    values = dict(zip(DESCRIPTION_FIELDS, description.values(), strict=True))
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _drop_half_line(path: Path) -> None:
    """Cut off what a killed run left of a line."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise CandidatesInvalid(
            path, f"it cannot be read ({error.strerror}). Check the path."
        ) from None
    if data and not data.endswith(b"\n"):
        with path.open("r+b") as file:
            file.truncate(data.rfind(b"\n") + 1)
