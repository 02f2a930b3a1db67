"""How fast something goes and how long it still takes. Pure; the clock is passed in."""

from collections import deque
from collections.abc import Callable

Clock = Callable[[], float]
"""Seconds from any start."""

WINDOW_S = 60.0
"""The rate is that of the last minute: a run that goes on where it stopped is quick at first."""
SAMPLE_S = 1.0
LEAST_S = 2.0
"""Nothing is said of a rate that was watched for a shorter time."""


class Pace:
    """The pace of one count that grows, `done` at first."""

    def __init__(self, clock: Clock, done: int = 0) -> None:
        self._clock = clock
        self._samples = deque([(clock(), done)])
        self._done = done

    def at(self, done: int) -> None:
        """Note how far it is."""
        now = self._clock()
        self._done = done
        if now - self._samples[-1][0] >= SAMPLE_S:
            self._samples.append((now, done))
        while len(self._samples) > 1 and now - self._samples[1][0] >= WINDOW_S:
            self._samples.popleft()

    @property
    def rate(self) -> float | None:
        """How many a second in the last minute; None as long as that cannot be told."""
        then, done_then = self._samples[0]
        seconds = self._clock() - then
        return (self._done - done_then) / seconds if seconds >= LEAST_S else None

    def left_s(self, total: int | None) -> float | None:
        """Return how many seconds it takes to `total`; None where that cannot be told."""
        rate = self.rate
        if total is None or not rate:
            return None
        return max(0, total - self._done) / rate


def said_of(rate: float | None, left_s: float | None) -> str:
    """Return both in words, empty where neither is known: `410 a second, about 12 min left`."""
    parts = []
    if rate is not None:
        parts.append(f"{rate:,.0f} a second" if rate >= 10 else f"{60 * rate:,.0f} a minute")
    if left_s is not None:
        parts.append(f"about {_duration(left_s)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
