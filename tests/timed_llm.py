"""A chat server that lives in virtual time: how it is follows the clock, and so does its speed."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from asking_llm import HELLO, SERVED
from virtual_time import clock

from polaris_search.llm.failures import ChatFailed, ChatTroubled
from polaris_search.llm.model import ChatReply, ChatRequest
from polaris_search.llm.traffic.client import Patience, ServedChatModel

REPLY = ChatReply("Fine.", "stop", 11, 3, "served-model")
TIMEOUT_S = 120.0
DEADLINE_S = 270.0


def gone(_: float) -> ChatTroubled:
    return ChatTroubled("unreachable", "No connection to the chat server at http://it.")


def busy(retry_after_s: float | None = None) -> ChatTroubled:
    return ChatTroubled("overloaded", "http://it is busy (HTTP 429): Wait.", retry_after_s)


def failing(_: float) -> ChatTroubled:
    return ChatTroubled("server_error", "http://it failed (HTTP 500): No.")


def hangs(_: float) -> float:
    return float("inf")


def well(_: float) -> float:
    return 1.0


class TimedServer:
    """An Attempts. `began`, `ended` and `most` tell when it was asked, by how many at a time.

    Args:
        is_now: given the time, how many seconds a reply takes that is begun then, or why there is
            none; a reply that takes longer than the timeout is a trouble then.
    """

    def __init__(self, is_now: Callable[[float], float | ChatFailed]) -> None:
        self.is_now = is_now
        self.began: list[float] = []
        self.ended: list[float] = []
        self.under_way = 0
        self.most = 0

    async def ask(self, request: ChatRequest) -> ChatReply:
        self.began.append(clock())
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            return await self._answered()
        finally:
            self.under_way -= 1
            self.ended.append(clock())

    async def _answered(self) -> ChatReply:
        found = self.is_now(clock())
        if isinstance(found, ChatFailed):
            await asyncio.sleep(0.01)
            raise found
        await asyncio.sleep(min(found, TIMEOUT_S))
        if found > TIMEOUT_S:
            raise ChatTroubled("timeout", "http://it gave no reply in 120 s.")
        return REPLY

    async def close(self) -> None:
        pass


def model_on(
    *servers: TimedServer, concurrency: int = 8, deadline_s: float = DEADLINE_S
) -> ServedChatModel:
    """Return the product's client of the servers; chance is 1/2."""
    patience = Patience(random=lambda: 0.5, deadline_s=deadline_s, clock=clock)
    return ServedChatModel(servers, SERVED, concurrency=concurrency, patience=patience)


async def ask_all(model: ServedChatModel, times: int) -> Sequence[ChatReply | BaseException]:
    """Ask so often at once, each request its own seed, and return replies and errors in order."""
    asked = [model.chat(replace(HELLO, seed=n)) for n in range(times)]
    return await asyncio.gather(*asked, return_exceptions=True)
