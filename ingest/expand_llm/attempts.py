"""The requests about one table's names, and what they took together.

Names whose answers are missing or cannot be used are asked about once more, they alone, with
another seed and more chance. A prompt that is too long is halved.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from ingest.expand.name_reading import Words
from ingest.expand_llm.asked_name import AskedName
from ingest.expand_llm.design import Design
from ingest.expand_llm.plan import Answers, batches
from ingest.expand_llm.prompt import Subject, prompt_for
from ingest.expand_llm.reply import answers_schema, read_answers
from polaris_search.llm.failures import PromptTooLong
from polaris_search.llm.model import ChatModel, ChatRequest

AGAIN_TEMPERATURE = 0.7
"""Of the second attempt: a model that is nearly sure of itself says the same with any seed."""
FRAME_TOKENS = 8
"""Room for the braces of a reply, and for a token or two that a server counts otherwise."""


class Attempts:
    """What is asked about one table.

    Attributes:
        calls: requests that got a reply.
        prompt_tokens: tokens sent, as the server counts.
        completion_tokens: tokens received, as the server counts.
    """

    def __init__(self, chat_model: ChatModel, design: Design, decoding: ChatRequest) -> None:
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._chat_model = chat_model
        self._design = design
        self._decoding = decoding

    async def answers(self, subject: Subject, names: Sequence[AskedName]) -> Answers:
        """Return the answers that can be used, ten names a request, all requests at once.

        Raises:
            ChatFailed: a request got no reply. All others are over by then.
            ServiceUnreachable: the server does not answer, or is asked no more.
        """
        asked = (self._persistently(subject, batch) for batch in batches(names))
        found: dict[AskedName, Words] = {}
        failures: list[BaseException] = []
        for answers in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(answers, BaseException):
                failures.append(answers)
            else:
                found |= answers
        if failures:
            raise failures[0]
        return found

    async def _persistently(self, subject: Subject, names: Sequence[AskedName]) -> Answers:
        answers = await self._once(subject, names, self._decoding)
        missing = [name for name in names if name not in answers]
        if not missing:
            return answers
        again = replace(self._decoding, seed=self._decoding.seed + 1, temperature=AGAIN_TEMPERATURE)
        return {**answers, **await self._once(subject, missing, again)}

    async def _once(
        self, subject: Subject, names: Sequence[AskedName], decoding: ChatRequest
    ) -> Answers:
        request = replace(
            decoding,
            messages=prompt_for(self._design, subject, names),
            max_tokens=sum(map(self._design.answer_tokens, names)) + FRAME_TOKENS,
            schema=answers_schema(self._design, names),
        )
        try:
            reply = await self._chat_model.chat(request)
        except PromptTooLong:
            return await self._halved(subject, names, decoding)
        self.calls += 1
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        return read_answers(self._design, names, reply.text)

    async def _halved(
        self, subject: Subject, names: Sequence[AskedName], decoding: ChatRequest
    ) -> Answers:
        if len(names) == 1:
            return {}
        middle = len(names) // 2
        first = await self._once(subject, names[:middle], decoding)
        return {**first, **await self._once(subject, names[middle:], decoding)}
