"""Leases: what only one process of all at a time may do, whichever machine it runs on.

A lease is a document that its holder renews; it carries no time, so that clocks of two machines
are never compared. A holder on this machine whose process is gone is replaced at once, one
elsewhere once its document did not change for a while of our own clock.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from polaris_search.errors import AlreadyHeld, HolderLost, PolarisError
from polaris_search.store.elasticsearch.generations.lease_documents import (
    Claim,
    Held,
    LeaseDocuments,
)
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.generations import Notify
from polaris_search.store.holder import Holder, this_process


@dataclass(frozen=True, slots=True)
class LeaseTimes:
    """How long things take, in seconds.

    A holder renews every `renew_s`, and for `trusted_s` after it did so it need not ask whether the
    lease is still its own: that is less than the `silent_s` without a renewal after which another
    takes the lease over, so that no two ever believe to hold it.
    """

    renew_s: float = 10.0
    trusted_s: float = 20.0
    silent_s: float = 30.0
    look_s: float = 1.0


DEFAULT_TIMES = LeaseTimes()

_HELD_HERE: set[str] = set()
"""Tokens of the leases that this process holds. Another one in its name is a lease that it could
not give back, because the server was away."""


class Lease:
    """A lease that this process holds, renewed by a thread of its own until `release`."""

    def __init__(
        self,
        documents: LeaseDocuments,
        name: str,
        held: Held,
        asked_at: float,
        clock: Callable[[], float],
        times: LeaseTimes,
    ) -> None:
        self._documents = documents
        self._name = name
        self._held = held
        self._sure_at = asked_at
        self._clock = clock
        self._times = times
        self._lost: HolderLost | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()
        _HELD_HERE.add(held.claim.token)
        self._thread = threading.Thread(target=self._renew_until_done, daemon=True)
        self._thread.start()

    def confirm(self) -> None:
        """Return if the lease is this process's and stays so for some seconds.

        Raises:
            HolderLost: another process took it over.
            ServiceUnreachable: it was not renewed lately, and the server does not answer.
        """
        with self._lock:
            self._check_not_lost()
            if self._clock() - self._sure_at > self._times.trusted_s:
                self._renew()

    def renew(self) -> None:
        """Ask the server whether the lease is still this process's, and renew it; see `confirm`."""
        with self._lock:
            self._check_not_lost()
            self._renew()

    def release(self) -> None:
        """Give the lease back; one that was lost meanwhile is left to its new holder."""
        self._done.set()
        self._thread.join()
        _HELD_HERE.discard(self._held.claim.token)
        if self._lost is None:
            self._documents.remove(self._name, self._held)

    def _check_not_lost(self) -> None:
        if self._lost is not None:
            raise self._lost

    def _renew_until_done(self) -> None:
        while not self._done.wait(self._times.renew_s):
            # Nobody waits for this, so a server that is away is asked again the next time; the next
            # step of the work finds out by itself.
            with self._lock, suppress(PolarisError):
                self._check_not_lost()
                self._renew(at_once=True)

    def _renew(self, *, at_once: bool = False) -> None:
        asked_at = self._clock()
        claim = replace(self._held.claim, renewals=self._held.claim.renewals + 1)
        renewed = self._documents.replace(self._name, claim, self._held, at_once=at_once)
        if renewed is None:
            renewed = self._documents.read(self._name, at_once=at_once)
            if renewed is None or renewed.claim.token != claim.token:
                by = renewed.claim.holder.name if renewed else "somebody who has ended"
                self._lost = HolderLost(claim.task, by)
                raise self._lost
            # else an earlier renewal was done, and its answer got lost
        self._held = renewed
        self._sure_at = asked_at


class Leases:
    """The leases kept in one index, which is made when the first is taken.

    Args:
        connection: the server.
        index: the index that holds them.
        holder: says which process asks.
        clock: seconds that only go forward.
        sleep: waits for some seconds.
        times: how long things take.
    """

    def __init__(
        self,
        connection: Connection,
        index: str,
        holder: Callable[[], Holder] = this_process,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        times: LeaseTimes = DEFAULT_TIMES,
    ) -> None:
        self._documents = LeaseDocuments(connection, index)
        self._holder = holder
        self._clock = clock
        self._sleep = sleep
        self._times = times

    @contextmanager
    def lease(self, name: str, task: str, notify: Notify) -> Iterator[Lease]:
        """Hold the lease of this name while the block runs.

        Args:
            name: which lease.
            task: what it is for, in words that follow "the lease for".
            notify: hears that and why this waits.

        Raises:
            AlreadyHeld: another process holds it and is alive.
        """
        self._documents.ensure_index()
        taken = self._acquired(name, Claim(task, secrets.token_hex(8), self._holder()), notify)
        try:
            yield taken
        finally:
            with suppress(PolarisError):  # it ends by itself where the server is away
                taken.release()

    def _acquired(self, name: str, claim: Claim, notify: Notify) -> Lease:
        while True:
            asked_at = self._clock()
            held = self._documents.create(name, claim)
            if held is None:
                asked_at, held = self._inherited(name, claim, notify)
            if held is not None:
                return Lease(self._documents, name, held, asked_at, self._clock, self._times)

    def _inherited(self, name: str, claim: Claim, notify: Notify) -> tuple[float, Held | None]:
        """Return a lease that was somebody's, and when that was asked for; None: look again."""
        asked_at = self._clock()
        held = self._documents.read(name)
        if held is None or held.claim.token == claim.token:  # made, and the answer got lost
            return asked_at, held
        if not self._may_be_replaced(name, held, notify):
            return asked_at, None
        asked_at = self._clock()
        return asked_at, self._documents.replace(name, claim, held)

    def _may_be_replaced(self, name: str, held: Held, notify: Notify) -> bool:
        """Return whether the holder is gone; False where the lease was given back meanwhile.

        Raises:
            AlreadyHeld: it is alive.
        """
        holder, task = held.claim.holder, held.claim.task
        if holder.is_gone() or _is_left_over(held):
            return True
        if holder.is_gone() is False:
            raise AlreadyHeld(task, holder.name)
        notify(
            f"{holder.name} holds the lease for {task}, and this machine cannot see whether it "
            f"still runs. Waiting {self._times.silent_s:g} s for a sign of life."
        )
        until = self._clock() + self._times.silent_s
        while self._clock() < until:
            self._sleep(self._times.look_s)
            now = self._documents.read(name)
            if now is None:
                return False
            if now != held:
                raise AlreadyHeld(task, now.claim.holder.name)
        notify(f"{holder.name} gave none; its lease is taken over.")
        return True


def _is_left_over(held: Held) -> bool:
    """Return whether this process wrote a lease that it does not hold any more."""
    here, holder = this_process(), held.claim.holder
    ours = (holder.machine, holder.pid, holder.started) == (here.machine, here.pid, here.started)
    return ours and held.claim.token not in _HELD_HERE
