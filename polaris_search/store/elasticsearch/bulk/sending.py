"""One chunk of writes to the server, sent until each write was taken or refused for good.

Rides out a busy server, one that restarts, and the moment in which another index takes the place of
the one written to. Sending a write again is harmless: it names its document. Knows nothing of
tables, nor of the other chunks that are under way.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

from elastic_transport import TransportError
from elasticsearch import ApiError

from polaris_search.errors import PolarisError
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits, Chunk, halves, size
from polaris_search.store.elasticsearch.bulk.outcomes import (
    Answer,
    Unwritten,
    failed,
    refused,
    sorted_out,
)
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.failures import read_failure

ALONE_TRIES = 5
"""So often a document alone in its request is sent to a server that has no room for it: one that
is large for a small heap never finds room, and the other tables do."""

MOVED_TRIES = 5
"""With the waits in between about a second: ample for every node to hear where the alias leads."""

ANSWERED = ["items.*.status", "items.*.error"]
NO_PIPELINE = "_none"
"""The index's own pipeline is for other programs' documents; ours are as it would make them."""


class Stopped(Exception):
    """Another chunk's failure ended the sending."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How time passes: the clock, the waiting, and a number from 0 to 1 that spreads the waits."""

    clock_s: Callable[[], float] = time.monotonic
    wait: Callable[[Event, float], object] = Event.wait
    spread: Callable[[], float] = random.random


IN_REAL_TIME = Pace()


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of writes: how many were done, and those that were not, in their order."""

    done: int = 0
    unwritten: tuple[Unwritten, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one request carries, how often that was tried, and since when it gets nowhere.

    `tries` counts the larger requests too that held these writes, `tries_alone` those that held
    nothing else.
    """

    chunk: Chunk
    tries: int = 0
    tries_alone: int = 0
    stuck_since_s: float | None = None


class Sender:
    """Sends the chunks of one call; may be used by several threads at once.

    As soon as one `send` raises, the others raise Stopped instead of making another request.
    """

    def __init__(self, connection: Connection, alias: str, limits: BulkLimits, pace: Pace) -> None:
        self._connection = connection
        self._client = connection.at_once.options(max_retries=0)
        self._alias = alias
        self._limits = limits
        self._pace = pace
        self._stop = Event()
        self._away = False
        self._most_bytes: float = float("inf")

    def send(self, chunk: Chunk) -> Sent:
        """Return what became of each write.

        Raises:
            ServiceUnreachable: the server did not answer for as long as patience goes.
            StoreProblem: each further write would fail alike.
            Stopped: `stop` was called, or another `send` raised.
        """
        try:
            return self._sent(chunk)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Make no further request."""
        self._stop.set()

    def _sent(self, chunk: Chunk) -> Sent:
        done = 0
        unwritten: list[Unwritten] = []
        todo = [_Piece(chunk)]
        while todo:
            piece = todo.pop()
            if len(piece.chunk) > 1 and size(piece.chunk) > self._most_bytes:
                todo += _halved(piece)
                continue
            asked_s = self._pace.clock_s()
            answer = self._ask(piece.chunk)
            done += answer.done
            unwritten += answer.unwritten
            if answer.again:
                again, given_up = self._after(piece, answer, asked_s)
                todo += again
                unwritten += given_up
        return Sent(done, tuple(sorted(unwritten, key=lambda one: one.number)))

    def _ask(self, chunk: Chunk) -> Answer:
        if self._stop.is_set():
            raise Stopped
        lines: list[Any] = [write.lines for write in chunk]  # the client takes bytes as they are
        try:
            answer = self._client.bulk(
                operations=lines,
                index=self._alias,
                require_alias=True,
                pipeline=NO_PIPELINE,
                timeout=self._connection.server_wait,
                filter_path=ANSWERED,
            )
        except (ApiError, TransportError) as cause:
            what = failed(chunk, cause, self._away)
            if what is None:
                raise self._connection.failure(cause) from cause
            self._away = self._away or what.trouble == "away"
            return what
        told = sorted_out(chunk, answer["items"], self._connection.address)
        self._away = self._away and not told.done
        return told

    def _after(
        self, piece: _Piece, answer: Answer, asked_s: float
    ) -> tuple[list[_Piece], list[Unwritten]]:
        """Return what to send next, after a wait, and what is not worth sending again.

        Raises:
            PolarisError: what the answer says, if patience with it is at its end.
        """
        if answer.trouble == "too large":
            return self._smaller(piece)
        now_s = self._pace.clock_s()
        stuck_since_s = now_s if answer.done else (piece.stuck_since_s or asked_s)
        is_over = now_s - stuck_since_s >= self._limits.patience_s
        again = replace(
            piece,
            chunk=answer.again,
            tries=piece.tries + 1,
            tries_alone=piece.tries_alone + (len(piece.chunk) == 1),
            stuck_since_s=stuck_since_s,
        )
        if _is_hopeless(again, answer, is_over):
            return [], [self._refused(answer)]
        # A server that is starting says of each index that it is gone.
        is_gone = answer.trouble == "moved" and again.tries >= MOVED_TRIES and not self._away
        if is_over or is_gone:
            raise self._problem(answer) from answer.cause
        self._wait(again.tries)
        return (_halved(again) if answer.trouble == "busy" else [again]), []

    def _smaller(self, piece: _Piece) -> tuple[list[_Piece], list[Unwritten]]:
        """Return the piece for smaller requests, as all further ones of this call will be."""
        n_bytes = size(piece.chunk)
        if len(piece.chunk) > 1:
            self._most_bytes = max(map(size, halves(piece.chunk)))
            return [piece], []
        write = piece.chunk[0]
        return [], [Unwritten(write.number, write.table_id, 413, _too_large(n_bytes))]

    def _wait(self, tries: int) -> None:
        longest_s = min(self._limits.backoff_s * 2 ** (tries - 1), self._limits.longest_backoff_s)
        self._pace.wait(self._stop, longest_s * (1 + self._pace.spread()) / 2)

    def _refused(self, answer: Answer) -> Unwritten:
        address = self._connection.address
        return refused(answer.again[0], answer.status, answer.error or {}, address)

    def _problem(self, answer: Answer) -> PolarisError:
        if answer.cause is not None:
            return self._connection.failure(answer.cause)
        return read_failure(answer.error or {}, self._connection.address)


def _is_hopeless(piece: _Piece, answer: Answer, is_over: bool) -> bool:
    """Return whether the server says no to this one write, and will go on to."""
    if len(piece.chunk) > 1 or answer.error is None:
        return False
    return is_over or (answer.trouble == "busy" and piece.tries_alone >= ALONE_TRIES)


def _halved(piece: _Piece) -> list[_Piece]:
    if len(piece.chunk) == 1:
        return [piece]
    return [replace(piece, chunk=half) for half in halves(piece.chunk)]


def _too_large(n_bytes: int) -> str:
    return (
        f"Its document has {n_bytes / 1e6:.1f} MB, more than the server, or a proxy before it, "
        "takes in one request. Shorten its context or its columns' comments, or raise that limit."
    )
