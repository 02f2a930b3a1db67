"""Asks a chat model for a table's description, and asks again where the first reply is unusable.

A cut reply is asked for again with more room, an unusable one with another seed, a prompt that is
too long with less of the table; each once, the last twice. Then the table is given up, not the
ingest.
"""

import asyncio
from dataclasses import dataclass, replace

from ingest.describe.prompt import fixed_part, fixed_tokens, prompt_for, prompt_version
from ingest.describe.reply import Accepted, Rejected, read_reply
from ingest.describe.schema import TOKENS_A_WORD, description_schema
from ingest.describe.table_text import TableText, table_text
from ingest.steps import DescribeOutcome
from polaris_search.llm.failures import ChatFailed, PromptTooLong
from polaris_search.llm.model import ChatModel, ChatReply, ChatRequest
from polaris_search.records import Expansion, RawTable, content_hash

ROOM_AFTER_CUT = 2
"""A reply that was cut is asked for again with so many times the tokens."""
MAX_SHORTENED = 2
MIN_TABLE_TOKENS = 50


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
        self._schema = description_schema(self._settings.max_tokens, self._settings.tokens_a_word)
        self._begun = False
        self._beginning = asyncio.Lock()

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
        return prompt_version(self._schema)

    @property
    def version(self) -> str:
        """A hash over all that shapes a description but the table."""
        return content_hash(
            self.model, self.adapter or "", self.prompt_version, repr(self._settings)
        )

    async def describe(self, table: RawTable, expansion: Expansion | None) -> DescribeOutcome:
        """Return the table's description or why there is none; see Describer.describe.

        Raises:
            ServiceUnreachable: the model's server is not there, or is asked no more.
        """
        await self._begin()
        asking = _Asking(self._chat_model, self._first_request(), table, expansion)
        try:
            return await asking.outcome(self._table_tokens())
        except ChatFailed as failure:
            return asking.failed(str(failure))

    async def close(self) -> None:
        """Close the chat model."""
        await self._chat_model.close()

    async def _begin(self) -> None:
        async with self._beginning:
            if not self._begun:
                self._begun = True
                await self._chat_model.begin_with(fixed_part())

    def _first_request(self) -> ChatRequest:
        settings = self._settings
        return ChatRequest(
            messages=(),
            max_tokens=settings.max_tokens,
            schema=self._schema,
            temperature=settings.temperature,
            top_p=settings.top_p,
            top_k=settings.top_k,
            seed=settings.seed,
        )

    def _table_tokens(self) -> int:
        context = self._chat_model.context_tokens
        if context is None:
            return self._settings.table_tokens
        left = context - fixed_tokens() - ROOM_AFTER_CUT * self._settings.max_tokens
        return max(MIN_TABLE_TOKENS, min(self._settings.table_tokens, left))


class _Asking:
    """The attempts at one table, and the tokens that they took together."""

    def __init__(
        self,
        chat_model: ChatModel,
        request: ChatRequest,
        table: RawTable,
        expansion: Expansion | None,
    ) -> None:
        self._chat_model = chat_model
        self._request = request
        self._table = table
        self._expansion = expansion
        self._prompt_tokens = 0
        self._completion_tokens = 0

    async def outcome(self, table_tokens: int) -> DescribeOutcome:
        for shortened in range(MAX_SHORTENED + 1):
            try:
                return await self._described(table_tokens >> shortened)
            except PromptTooLong as failure:
                too_long = failure
        return self.failed(str(too_long))

    def failed(self, reason: str) -> DescribeOutcome:
        return DescribeOutcome(None, reason, self._prompt_tokens, self._completion_tokens)

    async def _described(self, table_tokens: int) -> DescribeOutcome:
        shown = table_text(self._table, self._expansion, table_tokens)
        request = replace(self._request, messages=prompt_for(shown))
        answer = await self._answer(request)
        if isinstance(answer, Rejected) and answer.fault == "cut_off":
            request = replace(request, max_tokens=ROOM_AFTER_CUT * request.max_tokens)
            answer = await self._answer(request)
        if isinstance(answer, Rejected) and answer.fault != "cut_off":
            answer = await self._answer(replace(request, seed=request.seed + 1))
        if isinstance(answer, Rejected):
            return self.failed(answer.says)
        return DescribeOutcome(
            answer.description,
            None,
            self._prompt_tokens,
            self._completion_tokens,
            _notices(shown, answer),
        )

    async def _answer(self, request: ChatRequest) -> Accepted | Rejected:
        reply: ChatReply = await self._chat_model.chat(request)
        self._prompt_tokens += reply.prompt_tokens
        self._completion_tokens += reply.completion_tokens
        return read_reply(reply)


def _notices(shown: TableText, answer: Accepted) -> tuple[str, ...]:
    weak = f"The text is weak: {', '.join(answer.weaknesses)}." if answer.weaknesses else None
    return tuple(notice for notice in (shown.notice, weak) if notice)
