"""A circuit breaker: after enough requests lost on end a server is asked no more.

It counts requests, not attempts: one is lost when it has used up its attempts, or was refused in a
way that meets every request alike. A single answer resets the count; once open it stays open,
because what is left undone is done by the next run.
"""

from dataclasses import dataclass

SMALLEST_LIMIT = 3


@dataclass(slots=True)
class Circuit:
    """Counts requests lost on end.

    Args:
        limit: so many open it. Requests under way at the same time are lost at the same time, so
            it is no less than the requests at a time.
    """

    limit: int = SMALLEST_LIMIT
    _lost: int = 0
    _reason: str | None = None

    @property
    def reason(self) -> str | None:
        """Why the server is to be asked no more, a sentence; None while it is to be asked."""
        return self._reason

    def worked(self) -> None:
        """Hear that a request was answered."""
        self._lost = 0

    def lost(self, why: str) -> None:
        """Hear that a request was lost, and why, a sentence."""
        self._lost += 1
        if self._reason is None and self._lost >= self.limit:
            self._reason = why
