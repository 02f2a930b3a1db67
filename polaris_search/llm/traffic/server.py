"""One chat server as the client sees it: what asks it, how fast, and whether it is to be asked.

Each attempt is a `Turn`, and its end is told to the server's pace, breaker and rest. Nothing here
waits.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from polaris_search.llm.failures import ChatRefused, ChatTroubled
from polaris_search.llm.model import ChatReply, ChatRequest
from polaris_search.llm.traffic.circuit import REFUSAL_WEIGHT, TIMEOUT_WEIGHT, Circuit, Failure
from polaris_search.llm.traffic.pace import Begun, Pace

MEETS_EVERY_REQUEST = frozenset({401, 403, 404, 405})
"""Refusals of the key, the model or the address, as redirects are; not of one request's content."""
NO_ROOM = frozenset({"overloaded", "unavailable", "timeout"})
"""Troubles that fewer requests at a time may mend."""
LONGEST_REST_S = 300.0
"""A server that wants to be left alone for longer is taken for one that is gone."""


class Attempts(Protocol):
    """Something that can be asked once."""

    async def ask(self, request: ChatRequest) -> ChatReply:
        """Return the reply, or raise ChatRefused or ChatTroubled."""

    async def close(self) -> None:
        """Let go of what asking needs."""


class ChatServer:
    """A server's state between requests.

    Args:
        attempts: asks it once.
        pace: how many requests at a time it gets.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        attempts: Attempts,
        *,
        pace: Pace,
        clock: Callable[[], float],
    ) -> None:
        self.attempts = attempts
        self.pace = pace
        self.circuit = Circuit()
        self.clock = clock
        self.turns = 0
        self._rests_until = 0.0

    @property
    def outstanding(self) -> int:
        """Requests that are under way."""
        return self.pace.outstanding

    def is_up(self, now: float) -> bool:
        """Whether requests may go to it at all now, if it has room."""
        return now >= self._rests_until and self.circuit.admits(now)

    def has_room(self, now: float) -> bool:
        """Whether a request may begin now."""
        room = self.pace.has_room if not self.circuit.is_open else self.outstanding == 0
        return room and self.is_up(now)

    def up_at(self, now: float) -> float | None:
        """When it may be up again; None where it is up, or an attempt that tries it decides."""
        times = [self._rests_until, self.circuit.opens_at or 0.0]
        return max(times) if max(times) > now else None

    def is_given_up(self, now: float, patience_s: float) -> bool:
        """Whether a request is not to wait for it: it is down for long, or for a lasting reason."""
        failure = self.circuit.failure
        if self.is_up(now) or failure is None:
            return False
        return failure.lasting or self.circuit.failing_for_s(now) > patience_s

    def turn(self) -> "Turn":
        """Begin an attempt; only where `has_room`."""
        self.turns += 1
        return Turn(self, self.pace.began(), tries=self.circuit.began(), began_at=self.clock())

    def rest(self, seconds: float) -> None:
        """Leave it alone for so long from now."""
        self._rests_until = max(self._rests_until, self.clock() + seconds)


@dataclass(frozen=True, slots=True)
class Turn:
    """One attempt at one server; `ask` is to be called once. `tries`: an open breaker is tried."""

    server: ChatServer
    begun: Begun
    tries: bool
    began_at: float

    async def ask(self, request: ChatRequest, most_s: float) -> ChatReply:
        """Return the reply, and have the server learn of what happened.

        Raises:
            ChatRefused: the server does not serve this request.
            ChatTroubled: it failed, or said nothing in `most_s` seconds.
        """
        try:
            async with asyncio.timeout(most_s):
                reply = await self.server.attempts.ask(request)
        except ChatRefused as refusal:
            self._refused(refusal)
            raise
        except ChatTroubled as trouble:
            self._troubled(trouble)
            raise
        except TimeoutError:
            late = ChatTroubled(
                "timeout",
                "The chat server gave no reply before the request's deadline. "
                "Raise POLARIS_LLM_DEADLINE_S, or lower POLARIS_LLM_CONCURRENCY.",
            )
            self._troubled(late)
            raise late from None
        except BaseException:  # cancelled, or a server of our own that starts no more
            self.server.pace.failed(self.begun)
            self.server.circuit.abandoned(tried=self.tries)
            raise
        self._answered(reply)
        return reply

    def _answered(self, reply: ChatReply) -> None:
        seconds = self.server.clock() - self.began_at
        self.server.pace.finished(self.begun, seconds, reply.written_tokens or 1)
        if self.server.circuit.worked():
            self.server.pace.start_again()

    def _refused(self, refusal: ChatRefused) -> None:
        self.server.pace.failed(self.begun)
        if refusal.status in MEETS_EVERY_REQUEST or refusal.status < 400:
            self._lost(Failure(str(refusal), REFUSAL_WEIGHT, lasting=True))
        elif self.server.circuit.worked():
            self.server.pace.start_again()

    def _troubled(self, trouble: ChatTroubled) -> None:
        rest_s = trouble.retry_after_s or 0.0
        self.server.rest(min(rest_s, LONGEST_REST_S))
        asked_one = self.server.pace.level == self.server.pace.least
        if trouble.trouble in NO_ROOM:
            self.server.pace.refused(self.begun)
        else:
            self.server.pace.failed(self.begun)
        if rest_s > LONGEST_REST_S:
            self._lost(Failure(str(trouble), self.server.circuit.limit, lasting=True))
        elif trouble.trouble == "timeout":
            self._lost(Failure(str(trouble), TIMEOUT_WEIGHT))
        elif trouble.trouble != "overloaded" or asked_one or self.tries:
            # A busy server works: it is asked for less at a time, down to one, before it counts.
            self._lost(Failure(str(trouble)))

    def _lost(self, failure: Failure) -> None:
        self.server.circuit.lost(failure, self.server.clock(), tried=self.tries)
