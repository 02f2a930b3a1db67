"""One HTTP exchange with the server, and what becomes of it where the server is away for a while.

A server that answered before and went away, as in a restart, is waited for; one that is only just
starting is not believed when it says that an index is missing. Knows nothing of what is asked.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, Union

from elastic_transport import (
    ConnectionError,
    ConnectionTimeout,
    HttpHeaders,
    NodeConfig,
    TlsError,
    Urllib3HttpNode,
)
from elastic_transport.client_utils import DEFAULT, DefaultType

if TYPE_CHECKING:
    from elastic_transport._node import NodeApiResponse  # the package exports it nowhere else

Outcome: TypeAlias = Union["NodeApiResponse", ConnectionError]
Timeout: TypeAlias = DefaultType | float | None

PRODUCT_HEADER = "x-elastic-product"
AWAY_STATUSES = (502, 503, 504)
UNKNOWN_USER = 401
PAUSE_S = 0.25
MAX_PAUSE_S = 4.0
OVERLOADED_STATUS = 429
SHORT_OF_MEMORY = b'"circuit_breaking_exception"'
"""It passes as the server's other requests end; a full disk, of the same status, does not."""
UNSERVED = (b"no_shard_available_action_exception", b"missing shards")
"""An index that another process has just made says so until its shard has started, and one whose
primary moves to another node until it is there."""
UNSERVED_ITEM = (b'"type":"no_shard_available_action_exception"',)
UNSERVED_S = 5.0


class QuietNode(Urllib3HttpNode):
    """A node that leaves out the server's Warning headers.

    They tell developers of deprecations; the client would print them at whoever runs a command.
    """

    def perform_request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: HttpHeaders | None = None,
        request_timeout: Timeout = DEFAULT,
    ) -> "NodeApiResponse":
        """Return the server's answer without its Warning headers."""
        response = super().perform_request(method, target, body, headers, request_timeout)
        response.meta.headers.pop("warning", None)
        return response


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    target: str
    body: bytes | None
    headers: HttpHeaders | None
    timeout: Timeout

    @property
    def patience_s(self) -> float:
        """How long the answer may be waited for."""
        return self.timeout if isinstance(self.timeout, int | float) else 0.0

    def counting(self) -> "_Request | None":
        """Return the request that counts what the same name leads to, None if it names nothing."""
        name = self.target.partition("?")[0].split("/")[1]
        if not name or name.startswith("_"):
            return None
        return _Request("GET", f"/{name}/_count", None, self.headers, self.timeout)


class PatientNode(QuietNode):
    """A node that asks again where a server that answered before does not any more.

    It does so for as long as one answer may take, counted from when the server was found away; in
    that time refusals are asked again too, for a server that is starting knows no user (401) and
    has no shards (503) yet. A server that never answered is not waited for: whoever mistypes an
    address learns it at once. A shard that is not served, or memory that is short, may pass by
    itself: that is waited for as well, for a while.

    A server that is starting says that nothing is there of whatever it is asked for, until it has
    read what it knows. So that is believed only once it can count, which it refuses (503) before.

    What is asked must bear being asked twice: a server that dies may have done what it did not
    answer. `clock` and `sleep` may be replaced.
    """

    def __init__(self, config: NodeConfig) -> None:
        super().__init__(config)
        self.clock: Callable[[], float] = time.monotonic
        self.sleep: Callable[[float], None] = time.sleep
        self._has_answered = False
        self._knows_its_indices = False
        self._away_until = float("-inf")
        self._given_up_at = float("-inf")

    def perform_request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: HttpHeaders | None = None,
        request_timeout: Timeout = DEFAULT,
    ) -> "NodeApiResponse":
        """Return the server's answer; see the class for what is asked again.

        Raises:
            TransportError: the server did not answer, or is not back in time.
        """
        request = _Request(method, target, body, headers, request_timeout)
        outcome = self._doubted(request, self._sent(request))
        if self._went_away(outcome):
            outcome = self._once_back(request)
        elif _may_pass_s(request, outcome):
            outcome = self._once_passed(request, outcome)
        if isinstance(outcome, ConnectionError):
            raise outcome
        self._has_answered = self._has_answered or outcome.meta.status not in AWAY_STATUSES
        return outcome

    def _sent(self, request: _Request) -> Outcome:
        try:
            return super().perform_request(
                request.method, request.target, request.body, request.headers, request.timeout
            )
        except (TlsError, ConnectionTimeout):
            raise
        except ConnectionError as error:
            return error

    def _doubted(self, request: _Request, outcome: Outcome) -> Outcome:
        """Return the outcome, or that of counting where "missing" is not to be believed."""
        if not _says_there_is_nothing(outcome):
            return outcome
        unready = self._unready(request)
        return outcome if unready is None else unready

    def _unready(self, request: _Request) -> Outcome | None:
        """Return what a server says that does not know its indices yet, None if it does."""
        counting = request.counting()
        if self._knows_its_indices or counting is None:
            return None
        counted = self._sent(counting)
        if _status(counted) in (None, UNKNOWN_USER, *AWAY_STATUSES):
            return counted
        self._knows_its_indices = True
        return None

    def _went_away(self, outcome: Outcome) -> bool:
        if not self._has_answered:
            return False
        if isinstance(outcome, ConnectionError):
            return True
        status = outcome.meta.status
        # Elasticsearch's own 503 may last, as where a disk is lost; a proxy's says: it is away.
        own = PRODUCT_HEADER in outcome.meta.headers
        if status in AWAY_STATUSES and not own:
            return True
        was_away = self.clock() < self._away_until
        return was_away and status in (UNKNOWN_USER, *AWAY_STATUSES)

    def _once_back(self, request: _Request) -> Outcome:
        """Return the answer of a server that is there again, or the last outcome in the time."""
        self._knows_its_indices = False
        self._away_until = self.clock() + request.patience_s
        pause_s = 0.0  # the first time: a connection that was kept open may just have been too old
        while True:
            self.sleep(pause_s)
            outcome = self._unready(request) or self._sent(request)
            if not self._went_away(outcome):
                return outcome
            if self.clock() >= self._away_until:
                self._has_answered = False  # from here on it is not waited for any more
                return outcome
            pause_s = PAUSE_S

    def _once_passed(self, request: _Request, outcome: Outcome) -> Outcome:
        """Return the answer of a server that is well again, or the last outcome in the time."""
        began = self.clock()
        if began - self._given_up_at < request.patience_s:
            return outcome  # the client asks again by itself what was waited for in vain
        pause_s = PAUSE_S
        while self.clock() + pause_s <= began + _may_pass_s(request, outcome):
            self.sleep(pause_s)
            outcome = self._sent(request)
            pause_s = min(2 * pause_s, MAX_PAUSE_S)
        if _may_pass_s(request, outcome):
            self._given_up_at = self.clock()
        return outcome


def _may_pass_s(request: _Request, outcome: Outcome) -> float:
    """Return how long a trouble is waited for that may pass by itself, 0 where there is none."""
    if _is_overloaded(request, outcome):
        return request.patience_s
    return min(UNSERVED_S, request.patience_s) if _is_unserved(request, outcome) else 0.0


def _is_overloaded(request: _Request, outcome: Outcome) -> bool:
    """Return whether a server is short of memory. Whoever writes in bulk looks at that himself."""
    if _status(outcome) != OVERLOADED_STATUS or isinstance(outcome, ConnectionError):
        return False
    is_bulk = request.target.partition("?")[0].endswith("/_bulk")
    return not is_bulk and SHORT_OF_MEMORY in outcome.body


def _is_unserved(request: _Request, outcome: Outcome) -> bool:
    if isinstance(outcome, ConnectionError):
        return False
    # An answer to _mget is 200, and says so of the documents that it could not get.
    is_mget = request.target.partition("?")[0].endswith("/_mget")
    signs = UNSERVED if outcome.meta.status in AWAY_STATUSES else UNSERVED_ITEM * is_mget
    return any(sign in outcome.body for sign in signs)


def _says_there_is_nothing(outcome: Outcome) -> bool:
    if isinstance(outcome, ConnectionError):
        return False
    return outcome.meta.status == 404 or outcome.body.strip() == b"{}"


def _status(outcome: Outcome) -> int | None:
    return None if isinstance(outcome, ConnectionError) else outcome.meta.status
