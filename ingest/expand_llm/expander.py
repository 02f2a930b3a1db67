"""Reads a table's names by the lexical expander, and asks a chat model about those left open.

Which names these are, how they are put and what an answer is worth is decided elsewhere; here is
the order of it: columns, ten a request, then the table's own name with what its columns mean.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ingest.estimate import Estimate
from ingest.expand.lexical import LexicalExpander
from ingest.expand.name_reading import NameReading
from ingest.expand_llm.attempts import Attempts
from ingest.expand_llm.design import Design
from ingest.expand_llm.estimate import estimate_of
from ingest.expand_llm.plan import Answers, Plan, plan_of
from ingest.expand_llm.quiz import N_QUESTIONS, PASSED_FROM, right_answers
from ingest.expand_llm.remembered import Remembered
from ingest.expand_llm.settings import ExpandSettings
from ingest.steps import ExpandOutcome
from polaris_search.llm.failures import ChatFailed
from polaris_search.llm.model import ChatModel, ChatRequest
from polaris_search.records import Expansion, RawTable, content_hash

RULES_VERSION = "1"
"""Raise with every change that can change an expansion and is none of the prompt's fixed part."""
VERSION_DIGITS = 16
UNUSABLE = "Some names stay lexical: what the model said of them could not be used."
TOO_WEAK = (
    "Names stay lexical: the model read {right} of {questions} easy names right, too few to be "
    "trusted. --expand llm asks it all the same."
)
TOO_MANY = "Some names stay lexical: the table has too many different ones to ask about all."


class LlmExpander:
    """The ModelExpander of `ingest.steps`; `auto` where the lexical expander is trusted if sure.

    Args:
        chat_model: is asked, and closed by `close`.
        lexical: reads the names first, by the glossary before all; one thread at a time may use it.
        design: how names are put to the model.
        settings: which names are asked about, and decoding.
    """

    def __init__(
        self,
        chat_model: ChatModel,
        lexical: LexicalExpander,
        design: Design,
        settings: ExpandSettings,
    ) -> None:
        self._chat_model = chat_model
        self._lexical = lexical
        self._design = design
        self._settings = settings
        self._remembered = Remembered()
        self._reading = asyncio.Lock()
        self._beginning = asyncio.Lock()
        self._right: int | None = None

    @property
    def name(self) -> str:
        """What the command line calls it."""
        return "llm" if self._settings.sure_from is None else "auto"

    @property
    def model(self) -> str:
        """The model that is asked, as its server names it."""
        return self._chat_model.model

    @property
    def adapter(self) -> str | None:
        """The adapter on it. It is trained for descriptions, so a new one makes no name stale."""
        return self._chat_model.adapter

    @cached_property
    def version(self) -> str:
        """The lexical expander's version, a dash, and a hash of model, prompt and settings."""
        turns = (f"{turn.role}\n{turn.content}" for turn in self._design.fixed_part)
        own = content_hash(RULES_VERSION, self.model, *turns, repr(self._settings))
        return f"{self._lexical.version}-{own[:VERSION_DIGITS]}"

    async def expand(self, table: RawTable) -> ExpandOutcome:
        """Return the table's names in English; see ModelExpander.expand.

        Raises:
            ServiceUnreachable: the model's server is not there, or is asked no more.
        """
        async with self._reading:  # in a thread: 10,000 columns take seconds, and requests run
            readings = await asyncio.to_thread(self._lexical.read, table)
        plan = self._plan(table, readings)
        attempts = Attempts(self._chat_model, self._design, self._decoding())
        notices = [TOO_MANY] if plan.left_out else []
        try:
            if plan.has_questions and not await self._may_be_asked(attempts):
                plan = plan.without_questions()
                notices = [TOO_WEAK.format(right=self._right, questions=N_QUESTIONS)]
            expansion, complete = await self._asked(plan, attempts)
        except ChatFailed as failure:
            return _outcome(plan, attempts, None, str(failure))
        notices += [] if complete else [UNUSABLE]
        return replace(_outcome(plan, attempts, expansion), notices=tuple(notices))

    def estimate(self, table: RawTable) -> Estimate:
        """Return what the table would take, nothing asked; what is remembered is counted too."""
        return estimate_of(self._plan(table, self._lexical.read(table)), self._design)

    async def close(self) -> None:
        """Close the chat model."""
        await self._chat_model.close()

    def _plan(self, table: RawTable, readings: Sequence[NameReading]) -> Plan:
        return plan_of(table, readings, self._design, self._lexical, self._settings.sure_from)

    def _decoding(self) -> ChatRequest:
        settings = self._settings
        return ChatRequest(
            messages=(),
            max_tokens=0,
            temperature=settings.temperature,
            top_p=settings.top_p,
            top_k=settings.top_k,
            seed=settings.seed,
        )

    async def _asked(self, plan: Plan, attempts: Attempts) -> tuple[Expansion, bool]:
        """Return the expansion, and whether every name asked about got an answer."""
        answers = await self._column_answers(plan, attempts)
        columns = plan.column_texts(answers)
        name = plan.readings[0].words
        named: Answers = {}
        if plan.name:
            named = await attempts.answers(plan.name_subject(columns), (plan.name,))
            name = named.get(plan.name, name)
        complete = len(answers) == len(plan.columns) and len(named) == (plan.name is not None)
        return Expansion(" ".join(name), columns), complete

    async def _column_answers(self, plan: Plan, attempts: Attempts) -> Answers:
        table_words = plan.readings[0].words
        known = {name: self._remembered.get(name, table_words) for name in plan.columns}
        rest = [name for name, words in known.items() if words is None]
        found = await attempts.answers(plan.columns_subject(), rest)
        for name, words in found.items():
            self._remembered.put(name, table_words, words)
        return {name: words for name, words in known.items() if words is not None} | dict(found)

    async def _may_be_asked(self, attempts: Attempts) -> bool:
        """Return whether the model is good enough; `auto` finds out once, by a request."""
        async with self._beginning:
            if self._right is None:
                await self._chat_model.begin_with(self._design.fixed_part)
                is_tried = self._settings.sure_from is not None
                self._right = await right_answers(attempts) if is_tried else N_QUESTIONS
            return self._right >= PASSED_FROM


def _outcome(
    plan: Plan, attempts: Attempts, expansion: Expansion | None, reason: str | None = None
) -> ExpandOutcome:
    return ExpandOutcome(
        expansion=expansion,
        reason=reason,
        asked=plan.asked,
        sure=plan.sure,
        calls=attempts.calls,
        saved_calls=max(0, plan.calls_for_all - attempts.calls),
        prompt_tokens=attempts.prompt_tokens,
        completion_tokens=attempts.completion_tokens,
    )
