"""What asking a chat model has taken: requests, tokens, seconds, counted as they come. Pure."""

import math
from dataclasses import dataclass, field

from polaris_search.llm.model import ChatReply, Usage

SHORTEST_S = 0.001
STEP = 1.02
"""Latencies are counted in classes 2 % wide, so that a million of them take no room."""


@dataclass(slots=True)
class Latencies:
    """A histogram of seconds, from which any quantile is read to within 1 %."""

    _counts: dict[int, int] = field(default_factory=dict)

    def add(self, seconds: float) -> None:
        """Count one."""
        step = round(math.log(max(seconds, SHORTEST_S) / SHORTEST_S, STEP))
        self._counts[step] = self._counts.get(step, 0) + 1

    def quantile(self, share: float) -> float | None:
        """Return the seconds that `share` of all took at most; None where there were none."""
        wanted = math.ceil(share * sum(self._counts.values()))
        for step in sorted(self._counts):
            wanted -= self._counts[step]
            if wanted <= 0:
                return SHORTEST_S * float(STEP**step)
        return None


@dataclass(slots=True)
class Meter:
    """Counts what becomes of requests and attempts."""

    _requests: int = 0
    _failed: int = 0
    _retries: int = 0
    _refused: int = 0
    _prompt_tokens: int = 0
    _cached_prompt_tokens: int | None = None
    _completion_tokens: int = 0
    _outstanding: int = 0
    _most: int = 0
    _busy_s: float = 0.0
    _busy_since: float = 0.0
    _latencies: Latencies = field(default_factory=Latencies)

    def began(self, now: float, *, again: bool) -> None:
        """An attempt begins; `again` for one that is not its request's first."""
        if self._outstanding == 0:
            self._busy_since = now
        self._retries += again
        self._outstanding += 1
        self._most = max(self._most, self._outstanding)

    def ended(self, now: float) -> None:
        """An attempt is over, whatever came of it."""
        self._outstanding -= 1
        if self._outstanding == 0:
            self._busy_s += now - self._busy_since

    def refused(self) -> None:
        """A busy server turned an attempt away."""
        self._refused += 1

    def answered(self, reply: ChatReply, seconds: float) -> None:
        """A request was answered; its last attempt took so long."""
        self._requests += 1
        self._latencies.add(seconds)
        self._prompt_tokens += reply.prompt_tokens
        self._completion_tokens += reply.written_tokens
        if reply.cached_prompt_tokens is not None:
            self._cached_prompt_tokens = (
                self._cached_prompt_tokens or 0
            ) + reply.cached_prompt_tokens

    def failed(self) -> None:
        """A request ended without a reply."""
        self._requests += 1
        self._failed += 1

    def usage(self, now: float) -> Usage:
        """Return the counts so far."""
        under_way_s = now - self._busy_since if self._outstanding else 0.0
        return Usage(
            requests=self._requests,
            failed=self._failed,
            retries=self._retries,
            refused=self._refused,
            prompt_tokens=self._prompt_tokens,
            cached_prompt_tokens=self._cached_prompt_tokens,
            completion_tokens=self._completion_tokens,
            latency_p50_s=self._latencies.quantile(0.5),
            latency_p95_s=self._latencies.quantile(0.95),
            most_at_a_time=self._most,
            busy_s=self._busy_s + under_way_s,
        )
