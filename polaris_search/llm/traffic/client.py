"""A chat model on one or several servers: every request ends with a reply or a named failure.

It decides when an attempt is made and when no more are; what an attempt is, it is handed. Clock,
sleep and chance come in as functions.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.failures import ChatRefused, ChatTroubled
from polaris_search.llm.identity import Identity
from polaris_search.llm.model import ChatMessage, ChatReply, ChatRequest, Usage
from polaris_search.llm.traffic.balance import Balance, TooLate
from polaris_search.llm.traffic.pace import Pace
from polaris_search.llm.traffic.retries import RetryPolicy
from polaris_search.llm.traffic.server import Attempts, ChatServer, Turn
from polaris_search.llm.usage import Meter

DEADLINE_S = 270.0
"""Two replies that take as long as one may, 120 s each, and the waits between."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How a server's troubles are borne: retries, and the world that they wait in.

    `deadline_s` is all the time that a request has from its first attempt on; servers that are
    down for longer are waited for no more.
    """

    policy: RetryPolicy = field(default_factory=RetryPolicy)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random
    deadline_s: float = DEADLINE_S
    clock: Callable[[], float] = time.monotonic


class ServedChatModel:
    """A ChatModel that asks through `attempts`, one for each server.

    Args:
        attempts: ask a server once.
        identity: what all the servers serve.
        concurrency: never more requests at a time, all servers together.
        patience: retries, deadline, clock, sleep and chance.
        least: never fewer requests at a time to a server; the rest is found out.
    """

    def __init__(
        self,
        attempts: Attempts | Sequence[Attempts],
        identity: Identity,
        *,
        concurrency: int,
        patience: Patience | None = None,
        least: int = 1,
    ) -> None:
        self._identity = identity
        self._patience = patience or Patience()
        self._meter = Meter()
        clock = self._patience.clock
        several = attempts if isinstance(attempts, Sequence) else (attempts,)
        self._servers = [
            ChatServer(one, pace=Pace(concurrency, least), clock=clock) for one in several
        ]
        self._balance = Balance(
            self._servers,
            most=concurrency,
            patience_s=self._patience.deadline_s,
            clock=clock,
            sleep=self._patience.sleep,
        )

    @property
    def model(self) -> str:
        """The model that writes."""
        return self._identity.model

    @property
    def adapter(self) -> str | None:
        """The adapter on it, None for the model alone."""
        return self._identity.adapter

    @property
    def context_tokens(self) -> int | None:
        """Most tokens of a prompt and its reply together, None where the server does not say."""
        return self._identity.context_tokens

    async def begin_with(self, messages: Sequence[ChatMessage]) -> None:
        """Do nothing: a server shares what prompts begin with on its own."""

    async def chat(self, request: ChatRequest) -> ChatReply:
        """Return the reply; see ChatModel.chat."""
        try:
            return await self._persistently(request)
        except ChatTroubled as trouble:
            self._meter.failed()
            if trouble.trouble == "unreachable":
                raise ServiceUnreachable(
                    f"{trouble} Start the server, or correct POLARIS_LLM_URL."
                ) from trouble
            raise
        except (ChatRefused, ServiceUnreachable):
            self._meter.failed()
            raise

    def usage(self) -> Usage:
        """Return what was asked so far."""
        return self._meter.usage(self._patience.clock())

    async def close(self) -> None:
        """Close the connections."""
        for server in self._servers:
            await server.attempts.close()

    async def _persistently(self, request: ChatRequest) -> ChatReply:
        """Return the reply to the first attempt that gets one, or raise what ended the last."""
        course = _Course(self._patience)
        while True:
            turn = await self._turn(course)
            try:
                return await self._attempted(turn, request, course)
            except ChatTroubled as trouble:
                course.troubled(trouble, turn)
            finally:
                self._balance.ended()
            if not self._balance.another_is_up(course.avoided):
                await self._patience.sleep(course.wait_s())

    async def _turn(self, course: "_Course") -> Turn:
        if course.deadline is None:
            return await self._balance.turn(course.avoided, None)
        try:
            async with asyncio.timeout(course.left_s()):
                return await self._balance.turn(course.avoided, course.deadline)
        except (TooLate, TimeoutError):
            raise course.last_trouble() from None

    async def _attempted(self, turn: Turn, request: ChatRequest, course: "_Course") -> ChatReply:
        clock = self._patience.clock
        self._meter.began(clock(), again=course.deadline is not None)
        try:
            reply = await turn.ask(request, course.left_s())
        except ChatTroubled as trouble:
            if trouble.trouble in ("overloaded", "unavailable"):
                self._meter.refused()
            raise
        finally:
            self._meter.ended(clock())
        self._meter.answered(reply, clock() - turn.began_at)
        return reply


class _Course:
    """What one request has been through: its failed attempts, and the time that is left to it."""

    def __init__(self, patience: Patience) -> None:
        self.deadline: float | None = None
        self.avoided: set[ChatServer] = set()
        self._patience = patience
        self._failed_attempts = 0
        self._trouble: ChatTroubled | None = None

    def left_s(self) -> float:
        """Return the seconds left for an attempt that begins now; the first one sets the end."""
        now = self._patience.clock()
        if self.deadline is None:
            self.deadline = now + self._patience.deadline_s
        return self.deadline - now

    def troubled(self, trouble: ChatTroubled, turn: Turn) -> None:
        """Hear how an attempt failed."""
        self.avoided.add(turn.server)
        self._trouble = trouble
        # Who finds nobody there, where nobody was, has not been refused anything.
        self._failed_attempts += not (turn.tries and trouble.trouble == "unreachable")

    def wait_s(self) -> float:
        """Return how long to wait before the next attempt.

        Raises:
            ChatTroubled: the last failure, where there is to be none.
        """
        trouble = self.last_trouble()
        wait_s = self._patience.policy.wait_s(
            max(1, self._failed_attempts), trouble.retry_after_s, self._patience.random
        )
        if wait_s is None or wait_s > self.left_s():
            raise trouble
        self.avoided.clear()
        return wait_s

    def last_trouble(self) -> ChatTroubled:
        """Return how the last attempt failed."""
        if self._trouble is None:
            raise RuntimeError("no attempt has failed")
        return self._trouble
