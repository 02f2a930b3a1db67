"""The attempts at one table: a prompt goes out, a reply comes in, and what is unusable is mended.

A cut reply is asked for again once, with more room; an unusable one with another seed, up to twice;
a poor text, which says one thing again and again, up to five times and warmer, which breaks the
loop. A prompt that is too long is sent again with less of the table, twice.
"""

from collections.abc import Callable
from dataclasses import replace

from ingest.describe.budget import Budget
from ingest.describe.checks import POOR, Fault
from ingest.describe.prompt import prompt_for
from ingest.describe.reply import Accepted, Rejected, read_reply
from ingest.describe.table_text import TableText, table_text
from ingest.steps import DescribeOutcome
from polaris_search.llm.failures import PromptTooLong
from polaris_search.llm.model import ChatModel, ChatReply, ChatRequest
from polaris_search.records import Expansion, RawTable

MAX_SHORTENED = 2
MAX_SEEDS = 3
MAX_SEEDS_IF_POOR = 6
WARMER = 0.4
"""Of 24 texts of the small model 12 were fair at temperature .5, and 19 at .9."""


class Attempts:
    """The attempts at one table, and the tokens that they took together.

    Args:
        chat_model: is asked.
        request: what is asked, but for the messages.
        budget: the tokens there are.
        note: hears of each prompt that is sent.
    """

    def __init__(
        self,
        chat_model: ChatModel,
        request: ChatRequest,
        budget: Budget,
        note: Callable[[TableText], None],
    ) -> None:
        self._chat_model = chat_model
        self._request = request
        self._budget = budget
        self._note = note
        self._prompt_tokens = 0
        self._completion_tokens = 0

    async def outcome(self, table: RawTable, expansion: Expansion | None) -> DescribeOutcome:
        """Return the description, or the fault of the last reply.

        Raises:
            ChatFailed: the model fails at it; the tokens spent until then are in `failed`.
        """
        for shortened in range(MAX_SHORTENED + 1):
            shown = table_text(table, expansion, self._budget.table >> shortened)
            try:
                return await self._described(shown)
            except PromptTooLong as failure:
                too_long = failure
        return self.failed(str(too_long))

    def failed(self, reason: str) -> DescribeOutcome:
        """Return that there is no description, for this reason."""
        return DescribeOutcome(None, reason, self._prompt_tokens, self._completion_tokens)

    async def _described(self, shown: TableText) -> DescribeOutcome:
        request: ChatRequest | None = replace(self._request, messages=prompt_for(shown))
        reason = ""
        while request is not None:
            answer = await self._answer(request, shown)
            if isinstance(answer, Accepted):
                return DescribeOutcome(
                    description=answer.description,
                    prompt_tokens=self._prompt_tokens,
                    completion_tokens=self._completion_tokens,
                    notices=shown.notices,
                    seed=request.seed,
                    temperature=request.temperature,
                )
            reason = answer.says
            request = self._after(answer.fault, request)
        return self.failed(reason)

    def _after(self, fault: Fault, request: ChatRequest) -> ChatRequest | None:
        """Return what is asked after a reply with this fault, None where the table is given up."""
        if fault == "cut_off":
            room = self._budget.reply_after_cut
            return replace(request, max_tokens=room) if request.max_tokens < room else None
        poor = fault in POOR
        tried = request.seed + 1 - self._request.seed
        if tried >= (MAX_SEEDS_IF_POOR if poor else MAX_SEEDS):
            return None
        warmer = self._request.temperature + (WARMER if poor else 0.0)
        return replace(request, seed=request.seed + 1, temperature=warmer)

    async def _answer(self, request: ChatRequest, shown: TableText) -> Accepted | Rejected:
        self._note(shown)
        reply: ChatReply = await self._chat_model.chat(request)
        self._prompt_tokens += reply.prompt_tokens
        self._completion_tokens += reply.completion_tokens
        return read_reply(reply)
