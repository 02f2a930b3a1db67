"""How long searches take, and how much of it is not the server's.

The server says of each search how long it `took`. What a caller waits for beyond that is the HTTP
exchange, and Python: planning the query, its body, the client library, reading the hits.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from watched import WatchedNode
from zipf_tables import Words, queries

from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.search.answer import search_tables
from polaris_search.store.protocol import TableStore

SIZE = 10
WARM_UP = 20
WHOLE_ANSWERS = 100
ROUNDED_OFF_MS = 0.5
"""The server tells whole milliseconds, rounded down: on average it took half of one more."""


def asked_of(words: Words, count: int) -> list[str]:
    """Return queries, every other one as text runs (3 to 8 words), and of rarer words (2 to 4)."""
    running = queries(words, count)
    rarer = [" ".join(words.draw(words.number(2, 4), skip=200)) for _ in range(count)]
    return [query for pair in zip(running, rarer, strict=True) for query in pair][:count]


@dataclass(frozen=True)
class SearchTimes:
    """Of each search, in milliseconds: all, the exchange with the server, what the server took."""

    whole: Sequence[float]
    exchange: Sequence[float]
    took: Sequence[float]
    answer: Sequence[float]

    @classmethod
    def of(cls, store: TableStore, profile: str, asked: Sequence[str]) -> "SearchTimes":
        """Ask the store all queries, one after the other; then some with names and reasons."""
        plan_as = profile_named(profile)
        for query in asked[-WARM_UP:]:
            store.search(plan_query(plan_as, query), SIZE)
        WatchedNode.exchanges.clear()
        whole = []
        for query in asked:
            start_s = time.perf_counter()
            store.search(plan_query(plan_as, query), SIZE)
            whole.append((time.perf_counter() - start_s) * 1000)
        exchanges = [*WatchedNode.exchanges]
        assert len(exchanges) == len(asked)  # one request a search
        answer = []
        for query in asked[:WHOLE_ANSWERS]:
            start_s = time.perf_counter()
            search_tables(store, query, plan_as, size=SIZE)
            answer.append((time.perf_counter() - start_s) * 1000)
        exchange = [seconds * 1000 for seconds, _ in exchanges]
        return cls(whole, exchange, [took + ROUNDED_OFF_MS for _, took in exchanges], answer)

    @property
    def client_share(self) -> float:
        """What a caller waits for beyond what the server took, as a share of that."""
        return sum(self.whole) / sum(self.took) - 1

    @property
    def python_ms(self) -> float:
        """The mean of what is neither the server's nor the exchange with it."""
        return (sum(self.whole) - sum(self.exchange)) / len(self.whole)

    @property
    def exchange_ms(self) -> float:
        """The mean of the exchange beyond what the server took."""
        return (sum(self.exchange) - sum(self.took)) / len(self.whole)

    def line(self, size: int, profile: str) -> str:
        p50, p95 = np.percentile(self.whole, [50, 95])
        (took,) = np.percentile(self.took, [50])
        answer50, answer95 = np.percentile(self.answer, [50, 95])
        return (
            f"{size:>9,} tables, {profile:<7}: p50 {p50:.1f} ms, p95 {p95:.1f} ms; the server's "
            f"took p50 {took:.1f} ms; beyond it {self.client_share:.0%}: exchange "
            f"{self.exchange_ms:.2f} ms, Python {self.python_ms:.2f} ms; with names and reasons "
            f"p50 {answer50:.1f} ms, p95 {answer95:.1f} ms"
        )
