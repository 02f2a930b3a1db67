"""A circuit breaker: after enough failures on end a server is asked no more.

It counts attempts, over all requests. A single reply of any use resets the count; once open it
stays open, because what is left undone is done by the next run.
"""

from dataclasses import dataclass
from typing import Literal

Failure = Literal["unreachable", "failing"]


@dataclass(slots=True)
class Circuit:
    """Counts failed attempts on end. A busy server (HTTP 429) is no failure: do not report it.

    Args:
        unreachable_limit: refused, broken or timed-out connections on end that open the circuit.
        failing_limit: failures of any kind on end that open it.
    """

    unreachable_limit: int = 10
    failing_limit: int = 40
    _unreachable: int = 0
    _failing: int = 0
    _open: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the server is to be asked no more."""
        return self._open

    def worked(self) -> None:
        """Hear that an attempt was answered."""
        self._unreachable = self._failing = 0

    def failed(self, failure: Failure) -> None:
        """Hear that an attempt failed."""
        self._failing += 1
        self._unreachable = self._unreachable + 1 if failure == "unreachable" else 0
        self._open = (
            self._open
            or self._unreachable >= self.unreachable_limit
            or self._failing >= self.failing_limit
        )
