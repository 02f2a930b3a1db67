"""The local model: a server of our own, started at the first request and restarted if it dies.

It asks over HTTP like any other server. What it adds is the process, and a prefix that all slots
share: the prompt's fixed part is read once, saved, and put into every slot.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

import httpx2

from polaris_search.errors import PolarisError, ServiceUnreachable
from polaris_search.llm.failures import ChatFailed
from polaris_search.llm.identity import Identity
from polaris_search.llm.local.child_server import (
    START_DEADLINE_S,
    LocalPlan,
    LocalServer,
    start_local_server,
)
from polaris_search.llm.model import ChatMessage, ChatReply, ChatRequest
from polaris_search.llm.traffic.client import DEADLINE_S, Patience, ServedChatModel
from polaris_search.llm.wire.access import chat_access
from polaris_search.llm.wire.caller import Caller
from polaris_search.llm.wire.transport import direct_mounts

MAX_STARTS = 3
PREFIX_FILE = "prefix.bin"
TIMEOUT_S = 30.0

logger = logging.getLogger(__name__)


class Start(Protocol):
    """Starts a server; blocks until it answers or `given_up` is true. See start_local_server."""

    def __call__(self, plan: LocalPlan, *, given_up: Callable[[], bool]) -> LocalServer:
        """Return the server, or raise a PolarisError."""


class LocalChatModel(ServedChatModel):
    """A ChatModel with a server process of its own.

    Args:
        plan: what to serve; as many requests run at a time as it has slots.
        timeout_s: longest wait for one reply.
        patience: retries, sleep and chance.
        start: starts a server.
    """

    def __init__(
        self,
        plan: LocalPlan,
        *,
        timeout_s: float,
        patience: Patience | None = None,
        start: Start = start_local_server,
    ) -> None:
        adapter = None if plan.adapter is None else plan.adapter.stem
        identity = Identity(plan.gguf.stem, adapter, plan.gguf.stem, plan.slot_tokens)
        self._process = LocalAttempts(plan, identity, timeout_s=timeout_s, start=start)
        # As many requests as it has slots is what it is made for: nothing is to be found out.
        super().__init__(
            self._process,
            identity,
            concurrency=plan.slots,
            patience=patience or Patience(deadline_s=DEADLINE_S + START_DEADLINE_S),
            least=plan.slots,
        )

    async def begin_with(self, messages: Sequence[ChatMessage]) -> None:
        """Read `messages` once and give every slot the result; start the server if need be."""
        await self._process.share_prefix(tuple(messages))


class LocalAttempts:
    """Asks the server process once, which it starts first where none is running."""

    def __init__(
        self,
        plan: LocalPlan,
        identity: Identity,
        *,
        timeout_s: float,
        start: Start,
    ) -> None:
        self._plan = plan
        self._identity = identity
        self._timeout_s = timeout_s
        self._start = start
        self._starts = 0
        self._closed = False
        self._starting = asyncio.Lock()
        self._server: LocalServer | None = None
        self._caller: Caller | None = None
        self._prefix: tuple[ChatMessage, ...] = ()

    async def ask(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one attempt; see Caller.ask."""
        _, caller = await self._running()
        return await caller.ask(request)

    async def share_prefix(self, messages: tuple[ChatMessage, ...]) -> None:
        """Have every slot know what the coming prompts begin with, after a restart as well."""
        self._prefix = messages
        server, caller = await self._running()
        async with self._starting:
            await self._share(server, caller)

    async def close(self) -> None:
        """End the server, one that is still starting too."""
        self._closed = True
        async with self._starting:
            await self._let_go()

    async def _running(self) -> tuple[LocalServer, Caller]:
        async with self._starting:
            if self._server is None or self._caller is None or not self._server.is_running:
                self._server, self._caller = await self._started()
            return self._server, self._caller

    async def _started(self) -> tuple[LocalServer, Caller]:
        if self._closed:
            raise ServiceUnreachable("The local model is closed and starts no more.")
        if self._starts == MAX_STARTS:
            raise ServiceUnreachable(
                f"The local model's server has ended {MAX_STARTS} times. "
                f"{self._plan.log_path} says why; memory may be short."
            )
        await self._let_go()
        self._starts += 1
        server = await self._start_in_thread()
        caller = Caller(
            server.url,
            "local",
            asked_as=self._identity.asked_as,
            api_key=server.api_key,
            timeout_s=self._timeout_s,
        )
        if self._starts > 1:
            logger.warning("The local model's server had ended and was started again.")
            await self._share(server, caller)
        return server, caller

    async def _start_in_thread(self) -> LocalServer:
        """Start a server; when this is cancelled, end it before the cancelling goes on."""
        cancelled = threading.Event()

        def start() -> LocalServer:
            return self._start(self._plan, given_up=lambda: self._closed or cancelled.is_set())

        # A future, not a task: who cancels all tasks leaves it alone.
        starting = asyncio.get_running_loop().run_in_executor(None, start)
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            cancelled.set()
            with suppress(PolarisError):
                (await starting).stop()
            raise

    async def _let_go(self) -> None:
        if self._caller is not None:
            await self._caller.close()
        if self._server is not None:
            await asyncio.to_thread(self._server.stop)
        self._server = self._caller = None

    async def _share(self, server: LocalServer, caller: Caller) -> None:
        """Have one slot read the prefix, and copy its state to the others.

        Where a model's state cannot be saved, each slot reads the prefix for itself, as it would
        have without this.
        """
        if not self._prefix:
            return
        try:
            await caller.ask(ChatRequest(self._prefix, max_tokens=1))
            await _copy_slots(server)
        except (ChatFailed, httpx2.HTTPError) as error:
            logger.info("The prompts' common beginning is not shared among slots: %s", error)


async def _copy_slots(server: LocalServer) -> None:
    async with httpx2.AsyncClient(
        base_url=server.url,
        headers=chat_access(server.url, server.api_key).headers,
        mounts=direct_mounts(),
        timeout=TIMEOUT_S,
    ) as client:
        used = await _slot_with_prefix(client)
        await _slot_action(client, used, "save")
        for slot in range(server.plan.slots):
            if slot != used:
                await _slot_action(client, slot, "restore")


async def _slot_with_prefix(client: httpx2.AsyncClient) -> int:
    slots = (await client.get("/slots")).raise_for_status().json()
    # Only a slot that was used says how many tokens it read.
    return int(max(slots, key=lambda slot: int(slot.get("n_prompt_tokens", 0)))["id"])


async def _slot_action(client: httpx2.AsyncClient, slot: int, action: str) -> None:
    response = await client.post(
        f"/slots/{slot}", params={"action": action}, json={"filename": PREFIX_FILE}
    )
    response.raise_for_status()
