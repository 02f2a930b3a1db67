"""Asks the real chat client what a test wants to know of it, without waiting."""

import asyncio
import socket

from polaris_search.llm.caller import Caller
from polaris_search.llm.circuit import Circuit
from polaris_search.llm.client import Patience, ServedChatModel
from polaris_search.llm.identity import Identity
from polaris_search.llm.model import ChatMessage, ChatReply, ChatRequest
from polaris_search.llm.retries import RetryPolicy

HELLO = ChatRequest((ChatMessage("user", "Hello"),), max_tokens=30)


class Slept:
    """A sleep that takes no time and remembers how long it should have taken."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


def ask(
    url: str,
    *requests: ChatRequest,
    slept: Slept | None = None,
    attempts: int = 5,
    circuit: Circuit | None = None,
    timeout_s: float = 30.0,
    kind="vllm",
    api_key=None,
    concurrency: int = 1,
) -> list[ChatReply | BaseException]:
    """Ask all, `concurrency` at a time, chance being 1/2, and return replies and errors."""
    patience = Patience(RetryPolicy(attempts=attempts), slept or Slept(), lambda: 0.5)

    async def run():
        caller = Caller(url, kind, asked_as="asked", api_key=api_key, timeout_s=timeout_s)
        identity = Identity("served-model", None, "asked")
        model = ServedChatModel(
            caller, identity, concurrency=concurrency, patience=patience, circuit=circuit
        )
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
