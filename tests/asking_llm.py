"""Asks the real chat client what a test wants to know of it, without waiting."""

import asyncio
import socket
from typing import Any

from polaris_search.llm.identity import Identity
from polaris_search.llm.model import ChatMessage, ChatReply, ChatRequest
from polaris_search.llm.traffic.client import Patience, ServedChatModel
from polaris_search.llm.traffic.retries import RetryPolicy
from polaris_search.llm.wire.caller import Caller
from polaris_search.settings import LlmKind

SERVED = Identity("served-model", None, "asked")
HELLO = ChatRequest((ChatMessage("user", "Hello"),), max_tokens=30)


class Slept:
    """A sleep that takes no time and remembers how long it should have taken, and its clock."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._now = 0.0

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)
        until = self._now + seconds
        await asyncio.sleep(0)
        self._now = max(self._now, until)  # who sleeps at the same time wakes at the same time

    def clock(self) -> float:
        return self._now


def served_model(
    url: str,
    *,
    slept: Slept | None = None,
    attempts: int = 5,
    deadline_s: float = 90.0,
    timeout_s: float = 30.0,
    kind: LlmKind = "vllm",
    api_key: str | None = None,
    concurrency: int = 1,
    identity: Identity = SERVED,
    answers_as: str | None = None,
) -> ServedChatModel:
    """Return the product's client of the server at `url`; it never waits, and chance is 1/2."""
    slept = slept or Slept()
    policy = RetryPolicy(attempts=attempts)
    patience = Patience(policy, slept, lambda: 0.5, deadline_s, slept.clock)
    caller = Caller(
        url,
        kind,
        asked_as=identity.asked_as,
        api_key=api_key,
        timeout_s=timeout_s,
        answers_as=answers_as,
    )
    return ServedChatModel(caller, identity, concurrency=concurrency, patience=patience)


def ask(url: str, *requests: ChatRequest, **client: Any) -> list[ChatReply | BaseException]:
    """Ask all, as many at a time as the client allows, and return replies and errors."""

    async def run():
        model = served_model(url, **client)
        try:
            asked = [model.chat(request) for request in requests]
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(run())


def closed_address() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"
