"""How long to wait before a failed request is asked again: numbers only, no clock. Pure.

Waits grow and are random ("full jitter"), so that many clients do not come back in step. A server
that says how long to stay away is believed.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how late a request is asked again.

    `attempts` counts the first one. The wait before attempt n is random between 0 and
    `first_wait_s` * 2^(n-2), at most `longest_wait_s`; a server's own word adds to it, and is
    followed up to `longest_retry_after_s`.
    """

    attempts: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0
    longest_retry_after_s: float = 300.0

    def wait_s(
        self, failed_attempts: int, retry_after_s: float | None, random: Callable[[], float]
    ) -> float | None:
        """Return the wait before the next attempt, in seconds; None where there is none.

        Args:
            failed_attempts: attempts so far, at least 1.
            retry_after_s: what the server asked for, None where it asked for nothing.
            random: gives numbers from 0 to 1.
        """
        if failed_attempts >= self.attempts:
            return None
        grown_s = self.first_wait_s * 2.0 ** (failed_attempts - 1)
        jitter = random() * min(grown_s, self.longest_wait_s)
        if retry_after_s is None:
            return jitter
        if retry_after_s > self.longest_retry_after_s:
            return None
        return retry_after_s + jitter


def retry_after_s(header: str | None, now: Callable[[], float] = time.time) -> float | None:
    """Return the seconds that a Retry-After header asks for, at least 0; None for none or nonsense.

    The header holds seconds or an HTTP date (RFC 9110, section 10.2.3). `now` is the wall clock.
    """
    if header is None:
        return None
    if header.strip().isascii() and header.strip().isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now())
    except ValueError:
        return None
