"""Leases: what only one process of all at a time may do, whichever machine it runs on.

A lease is a document that its holder renews; it carries no time, so that clocks of two machines
are never compared. A holder on this machine whose process is gone is replaced at once, one
elsewhere once its document did not change for a while of our own clock.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Any

from elasticsearch import BadRequestError, ConflictError, NotFoundError

from polaris_search.errors import AlreadyHeld, HolderLost, PolarisError
from polaris_search.store.elasticsearch.connection import Connection
from polaris_search.store.elasticsearch.existence import is_there
from polaris_search.store.elasticsearch.failures import error_type, is_missing_index
from polaris_search.store.generations import Notify
from polaris_search.store.holder import Holder, this_process

SETTINGS = {"number_of_shards": 1, "auto_expand_replicas": "0-1"}
MAPPING = {
    "dynamic": "strict",
    "properties": {
        "task": {"type": "keyword"},
        "token": {"type": "keyword"},
        "renewals": {"type": "long"},
        "holder": {"type": "object", "enabled": False},
    },
}


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


@dataclass(frozen=True, slots=True)
class _Held:
    """A lease's document as it is on the server."""

    holder: Holder
    token: str
    renewals: int
    seq_no: int
    primary_term: int


class Lease:
    """A lease that this process holds, renewed by a thread of its own until `release`."""

    def __init__(
        self, leases: "Leases", name: str, task: str, token: str, held: _Held, asked_at: float
    ) -> None:
        self._leases = leases
        self._name = name
        self._task = task
        self._token = token
        self._held = held
        self._sure_at = asked_at
        self._lost: HolderLost | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._renew_until_done, daemon=True)
        self._thread.start()

    def confirm(self) -> None:
        """Return if the lease is this process's and stays so for some seconds.

        Raises:
            HolderLost: another process took it over.
            ServiceUnreachable: it was not renewed lately, and the server does not answer.
        """
        with self._lock:
            if self._lost is not None:
                raise self._lost
            if self._leases.clock() - self._sure_at > self._leases.times.trusted_s:
                self._renew()

    def renew(self) -> None:
        """Ask the server whether the lease is still this process's, and renew it; see `confirm`."""
        with self._lock:
            if self._lost is not None:
                raise self._lost
            self._renew()

    def release(self) -> None:
        """Give the lease back; one that was lost meanwhile is left to its new holder."""
        self._done.set()
        self._thread.join()
        with self._lock:
            if self._lost is None:
                self._leases.remove(self._name, self._held)

    def _renew_until_done(self) -> None:
        while not self._done.wait(self._leases.times.renew_s):
            with suppress(PolarisError):  # the next step of the work finds out by itself
                self.renew()

    def _renew(self) -> None:
        asked_at = self._leases.clock()
        renewed = self._leases.replace(self._name, self._task, self._token, self._held)
        if renewed is None:
            held = self._leases.read(self._name)
            if held is None or held.token != self._token:
                by = "somebody who has ended" if held is None else held.holder.name
                self._lost = HolderLost(self._task, by)
                raise self._lost
            renewed = held  # an earlier renewal was done, and its answer got lost
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
        self.clock = clock
        self.times = times
        self._connection = connection
        self._index = index
        self._holder = holder
        self._sleep = sleep

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
        taken = self._acquired(name, task, notify)
        try:
            yield taken
        finally:
            with suppress(PolarisError):  # it ends by itself where the server is away
                taken.release()

    def replace(self, name: str, task: str, token: str, held: _Held) -> _Held | None:
        """Return the lease's document as this process wrote it over `held`; None if it changed."""
        holder = self._holder()
        renewals = held.renewals + 1
        with self._connection.answering():
            try:
                answer = self._connection.client.index(
                    index=self._index,
                    id=name,
                    document=_document(task, token, renewals, holder),
                    if_seq_no=held.seq_no,
                    if_primary_term=held.primary_term,
                )
            except ConflictError:
                return None
            except NotFoundError as error:
                if is_missing_index(error):
                    return None
                raise
        return _Held(holder, token, renewals, answer["_seq_no"], answer["_primary_term"])

    def read(self, name: str) -> _Held | None:
        """Return the lease's document, None where nobody holds the lease."""
        with self._connection.answering():
            answer = self._connection.client.options(ignore_status=404).get(
                index=self._index, id=name
            )
        if not answer.get("found"):
            return None
        source: Mapping[str, Any] = answer["_source"]
        return _Held(
            Holder(**source["holder"]),
            source["token"],
            source["renewals"],
            answer["_seq_no"],
            answer["_primary_term"],
        )

    def remove(self, name: str, held: _Held) -> None:
        """Remove the lease's document unless it changed."""
        with self._connection.answering():
            self._connection.client.options(ignore_status=(404, 409)).delete(
                index=self._index,
                id=name,
                if_seq_no=held.seq_no,
                if_primary_term=held.primary_term,
            )

    def _acquired(self, name: str, task: str, notify: Notify) -> Lease:
        token = secrets.token_hex(8)
        self._ensure_index()
        while True:
            asked_at = self.clock()
            mine = self._created(name, task, token)
            if mine is None:
                held = self.read(name)
                if held is None:  # given back since
                    continue
                if held.token == token:  # made by a request whose answer got lost
                    mine = held
                elif self._may_be_replaced(name, task, held, notify):
                    asked_at = self.clock()
                    mine = self.replace(name, task, token, held)
            if mine is not None:
                return Lease(self, name, task, token, mine, asked_at)

    def _may_be_replaced(self, name: str, task: str, held: _Held, notify: Notify) -> bool:
        """Return whether the holder is gone; False also where the lease was given back.

        Raises:
            AlreadyHeld: it is alive.
        """
        gone = held.holder.is_gone()
        if gone is not None:
            if gone:
                return True
            raise AlreadyHeld(task, held.holder.name)
        notify(
            f"{held.holder.name} holds the lease for {task}, and this machine cannot see whether "
            f"it still runs. Waiting {self.times.silent_s:g} s for a sign of life."
        )
        until = self.clock() + self.times.silent_s
        while self.clock() < until:
            self._sleep(self.times.look_s)
            now = self.read(name)
            if now is None:
                return False
            if now != held:
                raise AlreadyHeld(task, now.holder.name)
        notify(f"{held.holder.name} gave none; its lease is taken over.")
        return True

    def _created(self, name: str, task: str, token: str) -> _Held | None:
        holder = self._holder()
        with self._connection.answering():
            try:
                answer = self._connection.client.create(
                    index=self._index, id=name, document=_document(task, token, 0, holder)
                )
            except ConflictError:
                return None
        return _Held(holder, token, 0, answer["_seq_no"], answer["_primary_term"])

    def _ensure_index(self) -> None:
        create_once(self._connection, self._index, SETTINGS, MAPPING)


def create_once(
    connection: Connection, index: str, settings: Mapping[str, Any], mapping: Mapping[str, Any]
) -> None:
    """Create the index unless it is there."""
    with connection.answering():
        try:
            if not is_there(connection.client, index):
                connection.client.indices.create(index=index, settings=settings, mappings=mapping)
        except BadRequestError as error:
            if error_type(error.body) != "resource_already_exists_exception":
                raise


def _document(task: str, token: str, renewals: int, holder: Holder) -> dict[str, Any]:
    return {"task": task, "token": token, "renewals": renewals, "holder": asdict(holder)}
