"""Which server a request goes to, and when: the least busy of those that are up and have room.

A request waits here until there is one. It is turned away only where every server is down for
longer than a request may take, or for a reason that does not pass.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.traffic.server import ChatServer, Turn


class TooLate(Exception):
    """No server was free before the request's deadline."""


class Balance:
    """Hands out turns at the servers.

    Args:
        servers: all serve the same model.
        most: turns at a time, all servers together.
        patience_s: how long servers may be down before requests wait for them no more.
        clock: seconds that only go forward.
        sleep: waits so many of them.
    """

    def __init__(
        self,
        servers: Sequence[ChatServer],
        *,
        most: int,
        patience_s: float,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.servers = servers
        self._most = most
        self._patience_s = patience_s
        self._clock = clock
        self._sleep = sleep
        self._new: deque[asyncio.Event] = deque()
        self._returning: deque[asyncio.Event] = deque()

    async def turn(self, avoided: Collection[ChatServer], deadline: float | None) -> Turn:
        """Return a turn at the server with the fewest requests under way, at once or later.

        Call `ended` when it is over.

        Args:
            avoided: servers that are asked only where no other one is free.
            deadline: when the request must be answered; None for its first attempt. Requests that
                come back are served before new ones, else each in the order of its coming.

        Raises:
            TooLate: the deadline comes first.
            ServiceUnreachable: no server is to be waited for.
        """
        line = self._new if deadline is None else self._returning
        called = asyncio.Event()
        line.append(called)
        try:
            while (server := self._server_for(called, avoided, deadline)) is None:
                await self._call(called, self._wait_s(called, deadline))
        finally:
            line.remove(called)
            self._call_next()
        return server.turn()

    def ended(self) -> None:
        """Hear that a turn is over: who comes next looks again."""
        self._call_next()

    def another_is_up(self, avoided: Collection[ChatServer]) -> bool:
        """Whether a server that is not avoided takes requests."""
        now = self._clock()
        return any(server.is_up(now) for server in self.servers if server not in avoided)

    def _server_for(
        self, called: asyncio.Event, avoided: Collection[ChatServer], deadline: float | None
    ) -> ChatServer | None:
        if not self._is_next(called):
            return None
        now = self._clock()
        if all(server.is_given_up(now, self._patience_s) for server in self.servers):
            raise asked_no_more(self.servers)
        if sum(server.outstanding for server in self.servers) >= self._most:
            return None
        free = [server for server in self.servers if server.has_room(now)]
        wanted = [server for server in free if server not in avoided] or free
        # Among equals the one asked less often, or the first would get all of a slow trickle.
        return min(wanted, key=lambda server: (server.outstanding, server.turns), default=None)

    def _is_next(self, called: asyncio.Event) -> bool:
        """Whether it is first in its line, and of the new ones only if none has come back."""
        line = self._returning or self._new
        return line[0] is called

    def _wait_s(self, called: asyncio.Event, deadline: float | None) -> float | None:
        """Return after how many seconds to look again though no turn has ended; None for never."""
        if not self._is_next(called):
            return None
        now = self._clock()
        times = [at for server in self.servers if (at := server.up_at(now)) is not None]
        all_down = len(times) == len(self.servers)
        if deadline is not None and (now >= deadline or (all_down and min(times) >= deadline)):
            raise TooLate
        return max(0.0, min(times) - now) if times else None

    async def _call(self, called: asyncio.Event, seconds: float | None) -> None:
        """Return when called, or after so many seconds."""
        called.clear()
        if seconds is None:
            await called.wait()
            return
        heard = asyncio.ensure_future(called.wait())
        slept = asyncio.ensure_future(self._sleep(seconds))
        try:
            await asyncio.wait({heard, slept}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            heard.cancel()
            slept.cancel()

    def _call_next(self) -> None:
        line = self._returning or self._new
        if line:
            line[0].set()


def asked_no_more(servers: Sequence[ChatServer]) -> ServiceUnreachable:
    """Return the error of a request that no server is asked for."""
    reasons = {s.circuit.failure.reason: None for s in servers if s.circuit.failure}
    who = "The chat server" if len(servers) == 1 else "Every chat server"
    return ServiceUnreachable(
        f"{who} failed too often on end and is asked no more until it had a rest. "
        f"The last failure: {' '.join(reasons)} "
        "`polaris-admin doctor` says how it is; run the command again when it is well."
    )
