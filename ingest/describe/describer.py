"""Asks a chat model for a table's description: the prompt, its lengths and decoding.

A table that cannot be described is given up with a reason, and the ingest goes on; what is tried
before that is the matter of `attempts`.
"""

import asyncio
from dataclasses import dataclass, replace

from ingest.describe.attempts import Attempts
from ingest.describe.budget import MIN_LEFT_TOKENS, Budget, budget_within
from ingest.describe.prompt import (
    PromptUse,
    fixed_part,
    fixed_tokens,
    prompt_for,
    prompt_version,
    table_tokens,
)
from ingest.describe.schema import TOKENS_A_WORD, description_schema
from ingest.describe.several import Sample, Several, samples_among
from ingest.describe.table_text import TableText, table_text
from ingest.estimate import Estimate
from ingest.steps import DescribeOutcome
from polaris_search.llm.failures import ChatFailed
from polaris_search.llm.model import ChatModel, ChatRequest
from polaris_search.records import Expansion, RawTable, content_hash

TYPICAL_REPLY_SHARE = 0.6
"""Of the tokens that a reply may have; measured with the small model, 89 to 131 of 160."""


@dataclass(frozen=True, slots=True)
class DescribeSettings:
    """What shapes a description beside prompt and model.

    `max_tokens` bounds a reply, with `tokens_a_word` the words of a field, and `table_tokens`
    the table in the prompt. Decoding is the paper's.
    """

    max_tokens: int = 700
    tokens_a_word: float = TOKENS_A_WORD
    table_tokens: int = 1_500
    temperature: float = 0.5
    top_p: float = 0.9
    top_k: int = 50
    seed: int = 42


class LlmDescriber:
    """The Describer of `ingest.steps` that asks a chat model.

    Args:
        chat_model: is asked, and closed by `close`.
        settings: lengths and decoding.
    """

    def __init__(self, chat_model: ChatModel, settings: DescribeSettings | None = None) -> None:
        self._chat_model = chat_model
        self._settings = settings or DescribeSettings()
        self._begun = False
        self._beginning = asyncio.Lock()
        self._prompt_use = PromptUse()
        self._several = Several(chat_model)

    @property
    def model(self) -> str:
        """The model that writes, as its server names it."""
        return self._chat_model.model

    @property
    def adapter(self) -> str | None:
        """The adapter on the model, None for the model alone."""
        return self._chat_model.adapter

    @property
    def prompt_version(self) -> str:
        """The hash of the prompt's fixed part and the reply's schema."""
        return prompt_version(self._schema(self._settings.max_tokens))

    @property
    def version(self) -> str:
        """A hash over all that shapes a description but the table."""
        return content_hash(
            self.model, self.adapter or "", self.prompt_version, repr(self._settings)
        )

    @property
    def prompt_use(self) -> PromptUse:
        """What the prompts sent so far have in common."""
        return self._prompt_use

    async def describe(
        self, table: RawTable, expansion: Expansion | None, seed: int | None = None
    ) -> DescribeOutcome:
        """Return the table's description or why there is none; see Describer.describe.

        Args:
            table: is described.
            expansion: the English of its names.
            seed: of the first reply, in place of the settings'.

        Raises:
            ServiceUnreachable: the model's server is not there, or is asked no more.
        """
        budget = self._budget()
        if budget is None:
            return DescribeOutcome(None, self._no_room())
        await self._begin()
        asking = Attempts(self._chat_model, self._request(budget, seed), budget, self._note)
        try:
            return await asking.outcome(table, expansion)
        except ChatFailed as failure:
            return asking.failed(str(failure))

    async def samples(
        self, table: RawTable, expansion: Expansion | None, wanted: int
    ) -> tuple[Sample, ...]:
        """Return the descriptions among `wanted` replies to one request.

        There may be fewer, and none where the model gives one reply to a request, or failed at it:
        `describe` asks for those that are missing, and says what is wrong.

        Raises:
            ServiceUnreachable: the model's server is not there, or is asked no more.
        """
        budget = self._budget()
        if budget is None:
            return ()
        await self._begin()
        shown = table_text(table, expansion, budget.table)
        request = replace(self._request(budget, None), messages=prompt_for(shown))
        self._note(shown)
        try:
            replies = await self._several.replies(request, wanted)
        except ChatFailed:
            return ()
        return samples_among(replies, request)

    def estimate(self, table: RawTable, expansion: Expansion | None) -> Estimate:
        """Return what the table would take, nothing asked; see Estimator."""
        budget = self._budget()
        if budget is None:
            return Estimate(tables=1)
        shown = table_text(table, expansion, budget.table)
        return Estimate(
            tables=1,
            calls=1,
            shared_tokens=fixed_tokens(),
            prompt_tokens=round(table_tokens(shown)),
            completion_tokens=round(TYPICAL_REPLY_SHARE * budget.reply),
        )

    async def close(self) -> None:
        """Close the chat model."""
        await self._chat_model.close()

    async def _begin(self) -> None:
        async with self._beginning:
            if not self._begun:
                self._begun = True
                await self._chat_model.begin_with(fixed_part())

    def _request(self, budget: Budget, seed: int | None) -> ChatRequest:
        settings = self._settings
        return ChatRequest(
            messages=(),
            max_tokens=budget.reply,
            schema=self._schema(budget.reply),
            temperature=settings.temperature,
            top_p=settings.top_p,
            top_k=settings.top_k,
            seed=settings.seed if seed is None else seed,
        )

    def _schema(self, max_tokens: int) -> dict[str, object]:
        return description_schema(max_tokens, self._settings.tokens_a_word)

    def _budget(self) -> Budget | None:
        return budget_within(
            self._chat_model.context_tokens,
            fixed=fixed_tokens(),
            table=self._settings.table_tokens,
            reply=self._settings.max_tokens,
        )

    def _no_room(self) -> str:
        needed = fixed_tokens() + MIN_LEFT_TOKENS
        return (
            f"The model's context of {self._chat_model.context_tokens:,} tokens is too short for a "
            f"description. Serve it with at least {needed:,}."
        )

    def _note(self, shown: TableText) -> None:
        self._prompt_use = self._prompt_use.and_one_of(shown)
