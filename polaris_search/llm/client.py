"""A chat model on a server: a limit on requests at a time, retries, and a circuit breaker.

It decides when an attempt is made and when no more are; what an attempt is, it is handed. Clock
and chance come in as functions.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.circuit import SMALLEST_LIMIT, Circuit
from polaris_search.llm.failures import ChatRefused, ChatTroubled
from polaris_search.llm.identity import Identity
from polaris_search.llm.model import ChatMessage, ChatReply, ChatRequest
from polaris_search.llm.retries import RetryPolicy

MEETS_EVERY_REQUEST = frozenset({401, 403, 404, 405})
"""Refusals of the key, the model or the address, as redirects are; not of one request's content."""


class Attempts(Protocol):
    """Something that can be asked once."""

    async def ask(self, request: ChatRequest) -> ChatReply:
        """Return the reply, or raise ChatRefused or ChatTroubled."""

    async def close(self) -> None:
        """Let go of what asking needs."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How a server's troubles are borne: retries, and the world that they wait in."""

    policy: RetryPolicy = field(default_factory=RetryPolicy)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random


class ServedChatModel:
    """A ChatModel that asks through `attempts`.

    Args:
        attempts: asks the server once.
        identity: what the server serves.
        concurrency: requests at a time, waiting ones included: a busy server so gets fewer.
        patience: retries, sleep and chance.
        circuit: when to ask no more.
    """

    def __init__(
        self,
        attempts: Attempts,
        identity: Identity,
        *,
        concurrency: int,
        patience: Patience | None = None,
        circuit: Circuit | None = None,
    ) -> None:
        self._attempts = attempts
        self._identity = identity
        self._slots = asyncio.Semaphore(concurrency)
        self._patience = patience or Patience()
        self._circuit = circuit or Circuit(max(SMALLEST_LIMIT, concurrency))

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
        async with self._slots:
            try:
                reply = await self._persistently(request)
            except ChatRefused as refusal:
                self._hear(refusal)
                raise
            except ChatTroubled as trouble:
                self._circuit.lost(str(trouble))
                if trouble.trouble == "unreachable":
                    raise ServiceUnreachable(
                        f"{trouble} Start the server, or correct POLARIS_LLM_URL."
                    ) from trouble
                raise
            self._circuit.worked()
            return reply

    async def close(self) -> None:
        """Close the connections."""
        await self._attempts.close()

    async def _persistently(self, request: ChatRequest) -> ChatReply:
        """Return the reply to the first attempt that gets one, or raise what ended the last."""
        failed_attempts = 0
        while True:
            self._require_closed_circuit()
            try:
                return await self._attempts.ask(request)
            except ChatTroubled as trouble:
                failed_attempts += 1
                wait_s = self._patience.policy.wait_s(
                    failed_attempts, trouble.retry_after_s, self._patience.random
                )
                if wait_s is None:
                    raise
            await self._patience.sleep(wait_s)

    def _require_closed_circuit(self) -> None:
        if self._circuit.reason:
            raise ServiceUnreachable(
                "The chat server failed too often on end and is asked no more in this run. "
                f"The last failure: {self._circuit.reason} "
                "`polaris-admin doctor` says how it is; run the command again when it is well."
            )

    def _hear(self, refusal: ChatRefused) -> None:
        if refusal.status in MEETS_EVERY_REQUEST or refusal.status < 400:
            self._circuit.lost(str(refusal))
        else:
            self._circuit.worked()
