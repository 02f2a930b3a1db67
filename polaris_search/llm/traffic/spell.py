"""What finished requests show of one number of requests at a time: how well a server does with it.

The measure is the generalised power, X^r / R with throughput X and seconds a request R (Kleinrock
1979, "Power and deterministic rules of thumb for probabilistic problems in computer
communications"). By Little's law X at level k is k times the work done in a second of a request's
life, so that a level is judged by finished requests alone, however long each of them is.
"""

from dataclasses import dataclass

ENOUGH_GAIN = 0.1
"""A level is worth its waits if doubling it brings 7 % more throughput, 2 ** 0.1 (r = 9)."""

SHORTEST_S = 1e-6
"""A reply out of a cache may take less than a clock can tell."""


@dataclass(slots=True)
class Spell:
    """`count` requests that lived under one `level` did `work` in `seconds` of their lives."""

    level: int
    count: float = 0.0
    work: float = 0.0
    seconds: float = 0.0

    @property
    def power(self) -> float:
        """Throughput for level ** ENOUGH_GAIN: greatest at the knee."""
        return self.level ** (1.0 - ENOUGH_GAIN) * self.work / self.seconds if self.seconds else 0.0

    def add(self, seconds: float, work: float) -> None:
        """Count one finished request."""
        self.count += 1
        self.seconds += max(seconds, SHORTEST_S)
        self.work += work

    def after(self, before: "Spell", weight: float) -> "Spell":
        """Return this spell with one `before` at the same level, which counts for `weight`."""
        return Spell(
            self.level,
            self.count + weight * before.count,
            self.work + weight * before.work,
            self.seconds + weight * before.seconds,
        )
