"""How long to wait before a failed request is asked again: numbers only, no clock. Pure.

Waits grow and are random in part, so that many clients do not come back in step and a server still
has the time to start again. One that says how long to stay away is believed.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how late a request is asked again.

    `attempts` counts the first one. The wait before attempt n is `first_wait_s` * 2^(n-2), at most
    `longest_wait_s`, less a random part of up to a quarter: with the defaults all waits together
    take 34.5 s to 46 s. A share of 0.3 of failures fails eight times on end once in 15,000. Where
    the server says how long to wait, that is followed up to `longest_retry_after_s`, and the random
    part is all of our own wait.
    """

    attempts: int = 8
    first_wait_s: float = 2.0
    longest_wait_s: float = 8.0
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
        grown_s = min(self.first_wait_s * 2.0 ** (failed_attempts - 1), self.longest_wait_s)
        if retry_after_s is None:
            return grown_s * (1.0 - random() / 4.0)
        if retry_after_s > self.longest_retry_after_s:
            return None
        return retry_after_s + random() * grown_s


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
