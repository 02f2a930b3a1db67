"""Waiting for a server that went away, as in a restart, and asking again.

For work that may be repeated: a server that dies may have done what it did not answer.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from polaris_search.errors import PolarisError, ServiceUnreachable

Result = TypeVar("Result")

PAUSE_S = 0.5


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server that does not answer is waited for, counted from when it was asked."""

    seconds: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def persist(self, ask: Callable[[], Result]) -> Result:
        """Return what `ask` returns, asking again while the server is away.

        A server that is just starting may refuse for odd reasons, such as that it knows no user
        yet; so once it was away, any refusal is asked again.

        Raises:
            PolarisError: the last one, once the time is over; at once if the server answers.
        """
        until = self.clock() + self.seconds  # also what the client waited in vain counts
        try:
            return ask()
        except ServiceUnreachable as error:
            last: PolarisError = error
        while self.clock() < until:
            self.sleep(PAUSE_S)
            try:
                return ask()
            except PolarisError as error:
                last = error
        raise last
