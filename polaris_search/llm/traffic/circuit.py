"""A circuit breaker: after enough failures on end a server is left alone, and then tried again.

Closed, everything goes through. Open, nothing does until a pause is over; then one request goes,
alone: its answer closes the breaker, its failure opens it for twice as long (Nygard 2007, "Release
It!", chapter 5). It knows no clock: `now` comes in, in seconds of any clock that only goes forward.
"""

from dataclasses import dataclass

LIMIT = 5
"""Failures on end that open a breaker; some weigh more than one."""
TIMEOUT_WEIGHT = 2
"""Each has cost a whole timeout."""
REFUSAL_WEIGHT = 2
"""What meets every request alike passes seldom by itself."""
FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 60.0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a server is left alone. A `lasting` one is not waited for: it seldom passes by itself."""

    reason: str
    weight: int = 1
    lasting: bool = False


@dataclass(slots=True)
class Circuit:
    """The breaker of one server."""

    limit: int = LIMIT
    _weight: int = 0
    _failure: Failure | None = None
    _failing_since: float | None = None
    _opens_at: float | None = None
    """When one request may try again; None while the breaker is closed."""
    _pause_s: float = 0.0
    _is_tried: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the server is left alone, but for one request that tries it."""
        return self._opens_at is not None

    @property
    def failure(self) -> Failure | None:
        """The last failure, None where the last request was answered."""
        return self._failure

    @property
    def opens_at(self) -> float | None:
        """When a request may try again; None where the breaker is closed or one tries it now."""
        return None if self._is_tried else self._opens_at

    def failing_for_s(self, now: float) -> float:
        """Return since how long there has been no answer, in seconds; 0 where there was none due.

        Counted from the first failure after the last answer.
        """
        return 0.0 if self._failing_since is None else now - self._failing_since

    def admits(self, now: float) -> bool:
        """Whether a request may go to the server now."""
        return self._opens_at is None or (now >= self._opens_at and not self._is_tried)

    def began(self) -> bool:
        """Note that a request goes; return whether it is the one that tries an open breaker."""
        self._is_tried = self.is_open
        return self._is_tried

    def worked(self) -> bool:
        """Hear that the server answered; return whether that closed the breaker."""
        was_open = self.is_open
        self._weight, self._pause_s = 0, 0.0
        self._failure = self._failing_since = self._opens_at = None
        self._is_tried = False
        return was_open

    def lost(self, failure: Failure, now: float, *, tried: bool = False) -> None:
        """Hear that an attempt failed; `tried` is what `began` returned for it.

        Attempts that began before the breaker opened do not open it for longer.
        """
        self._failure = failure
        if self._failing_since is None:
            self._failing_since = now
        self._weight += failure.weight
        if tried or (not self.is_open and self._weight >= self.limit):
            self._open(now)

    def abandoned(self, *, tried: bool) -> None:
        """Hear that an attempt was given up by who asked: it says nothing of the server."""
        if tried:
            self._is_tried = False

    def _open(self, now: float) -> None:
        self._is_tried = False
        self._pause_s = min(LONGEST_PAUSE_S, 2 * self._pause_s or FIRST_PAUSE_S)
        self._opens_at = now + self._pause_s
