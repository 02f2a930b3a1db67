"""Samples descriptions of one table: K of them, no two the same where that can be had.

Comes in: a chat model, lengths and decoding. Goes out: candidates as their file holds them, each
with the seed and decoding that it came from. Knows nothing of files and of other tables.
"""

import json
from dataclasses import dataclass
from typing import Any

from ingest.describe.describer import DescribeSettings, LlmDescriber
from ingest.describe.several import Sample
from ingest.steps import DescribeOutcome
from polaris_search.llm.model import ChatModel
from polaris_search.records import DESCRIPTION_FIELDS, Description, Expansion, RawTable

SEEDS_APART = 100
"""Between two candidates of a table that are asked for one by one: what is between is for replies
that have to be asked again."""
RESAMPLED = 3
"""So often a text that the table has already is asked for again, with another seed."""
SEEDS_A_TRY = 10


@dataclass(frozen=True, slots=True)
class Made:
    """A table's candidates as their file holds them, and why one is missing, if one is."""

    candidates: tuple[dict[str, Any], ...]
    reason: str | None = None

    @property
    def duplicates(self) -> int:
        """How many say what another says."""
        return len(self.candidates) - len({one["text"] for one in self.candidates})


class Sampler:
    """Samples descriptions from one chat model.

    Several of a table are asked for in one request where the server gives several replies to one
    prompt; what is missing then, or says what another says, is asked for one by one.

    Args:
        chat_model: is asked, and closed by `close`.
        settings: lengths and decoding; its seed is the first request's, others follow from it.
    """

    def __init__(self, chat_model: ChatModel, settings: DescribeSettings) -> None:
        self._chat_model = chat_model
        self._settings = settings
        self._describer = LlmDescriber(chat_model, settings)

    async def candidates(self, table: RawTable, expansion: Expansion | None, k: int) -> Made:
        """Return up to `k` candidates, and why one is missing.

        Raises:
            ServiceUnreachable: the model's server went away.
        """
        samples = await self._describer.samples(table, expansion, k) if k > 1 else ()
        made: dict[str, dict[str, Any]] = {}
        for record in map(self._sampled, samples):
            made.setdefault(record["text"], record)
        candidates = list(made.values())
        reason = None
        for place in range(len(candidates), k):
            outcome = await self._another(table, expansion, place, candidates)
            if outcome.description is None:
                reason = outcome.reason
            else:
                candidates.append(self._described(outcome, outcome.description))
        return Made(tuple(candidates), reason)

    @property
    def made_by(self) -> dict[str, Any]:
        """What is the same of all candidates: model, adapter, prompt and decoding."""
        settings = self._settings
        return {
            "top_p": settings.top_p,
            "top_k": settings.top_k,
            "model": self._chat_model.model,
            "adapter": self._chat_model.adapter,
            "prompt_version": self._describer.prompt_version,
        }

    async def close(self) -> None:
        """Close the chat model; in the event loop that asked it."""
        await self._chat_model.close()

    async def _another(
        self,
        table: RawTable,
        expansion: Expansion | None,
        place: int,
        candidates: list[dict[str, Any]],
    ) -> DescribeOutcome:
        """Return a description that is no candidate yet, or the last of those that are."""
        there = {one["text"] for one in candidates}
        for attempt in range(RESAMPLED + 1):
            seed = self._settings.seed + SEEDS_APART * place + SEEDS_A_TRY * attempt
            outcome = await self._describer.describe(table, expansion, seed)
            if outcome.description is None or _as_reply(outcome.description) not in there:
                break
        return outcome

    def _sampled(self, sample: Sample) -> dict[str, Any]:
        record = self._record(sample.description, sample.seed, sample.temperature)
        if sample.n_replies > 1:
            record |= {
                "request_seed": sample.request_seed,
                "reply": sample.reply,
                "n_replies": sample.n_replies,
            }
        return record

    def _described(self, outcome: DescribeOutcome, description: Description) -> dict[str, Any]:
        return self._record(description, outcome.seed, outcome.temperature)

    def _record(
        self, description: Description, seed: int | None, temperature: float | None
    ) -> dict[str, Any]:
        text = _as_reply(description)
        return {"text": text, "seed": seed, "temperature": temperature, **self.made_by}


def _as_reply(description: Description) -> str:
    """Return the description as the JSON that a model replies with."""
    values = dict(zip(DESCRIPTION_FIELDS, description.values(), strict=True))
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))
