"""What became of a bulk request: which writes were done, which were refused, which to send again.

Comes in as the client's answer or exception, goes out as an Answer. Knows neither how often nor how
long something is tried. Pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from elastic_transport import SerializationError, TransportError
from elasticsearch import ApiError

from polaris_search.store.elasticsearch.bulk.chunks import Chunk, Write
from polaris_search.store.elasticsearch.server.failures import error_type, item_failure, item_reason

Trouble = Literal["busy", "away", "moved", "too large"]
"""Why writes are worth sending again.

busy: the server has no room for them just now.
away: the server, or the shard, does not answer, or something says so in its place.
moved: the index takes no writes or is gone, as one is that another just took the place of; the
    alias leads to that one.
too large: the request has more bytes than the server, or a proxy before it, takes.
"""

_AWAY = (502, 503, 504)
_RETIRED = "index write (api)"
"""The block that an index gets once another one took its place under the alias."""


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A write that was refused for good: the server's status, and why as a sentence."""

    number: int
    table_id: str
    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request gave.

    Attributes:
        done: how many writes the server did.
        unwritten: those that it refused for good.
        again: those to send again, for the reason `trouble`.
        status: what the server says of the first of `again`, 0 where it did not answer.
        error: what it says of it beside; None where that is not of a single write.
        cause: what the client raised, where the whole request failed.
    """

    done: int = 0
    unwritten: tuple[Unwritten, ...] = ()
    again: Chunk = ()
    trouble: Trouble | None = None
    status: int = 0
    error: Mapping[str, Any] | None = None
    cause: ApiError | TransportError | None = None


def failed(chunk: Chunk, cause: ApiError | TransportError, was_away: bool) -> Answer | None:
    """Return what to do about a request that failed as a whole, None if it is of no use to repeat.

    Args:
        chunk: what it carried.
        cause: what the client raised.
        was_away: whether the server was away just before. One that is starting may refuse for odd
            reasons, such as that it knows no user yet.
    """
    if isinstance(cause, TransportError):
        foreign = isinstance(cause, SerializationError)
        return (
            None if foreign and not was_away else Answer(again=chunk, trouble="away", cause=cause)
        )
    status, kind = cause.status_code, error_type(cause.body)
    if status == 413:
        return Answer(again=chunk, trouble="too large", status=status, cause=cause)
    if status == 429 and kind != "cluster_block_exception":
        error = {"type": kind} if kind else None
        return Answer(again=chunk, trouble="busy", status=status, error=error, cause=cause)
    if was_away or status in _AWAY:
        return Answer(again=chunk, trouble="away", status=status, cause=cause)
    return None


def sorted_out(chunk: Chunk, items: Sequence[Mapping[str, Any]], address: str) -> Answer:
    """Return what the items of an answer say of the chunk's writes. Both are in one order.

    Deleting what is not there counts as refused, with status 404.

    Raises:
        StoreProblem: an item was refused as each further write would be.
    """
    unwritten: list[Unwritten] = []
    again: list[tuple[Write, Trouble, int, Mapping[str, Any]]] = []
    for write, item in zip(chunk, items, strict=True):
        (outcome,) = item.values()
        status, error = outcome["status"], outcome.get("error") or {}
        trouble = _item_trouble(status, error)
        if trouble is not None:
            again.append((write, trouble, status, error))
        elif status >= 300:
            unwritten.append(refused(write, status, error, address))
    done = len(chunk) - len(unwritten) - len(again)
    if not again:
        return Answer(done, tuple(unwritten))
    _, trouble, status, error = again[0]
    writes = tuple(write for write, *_ in again)
    return Answer(done, tuple(unwritten), writes, trouble, status, error)


def refused(write: Write, status: int, error: Mapping[str, Any], address: str) -> Unwritten:
    """Return that and why a write is refused for good.

    Raises:
        StoreProblem: the error says nothing of this write: each further one would fail alike.
    """
    problem = item_failure(error, address) if error else None
    if problem is not None:
        raise problem
    reason = item_reason(error) if error else "It is not there."
    return Unwritten(write.number, write.table_id, status, reason)


def _item_trouble(status: int, error: Mapping[str, Any]) -> Trouble | None:
    kind = error.get("type")
    if kind == "index_not_found_exception" or _RETIRED in str(error.get("reason")):
        return "moved"
    if status >= 500:
        return "away"
    return "busy" if status == 429 and kind != "cluster_block_exception" else None
