"""Two stores of the same tables, compared query by query: scores, order and totals."""

from collections.abc import Iterable
from dataclasses import dataclass

from polaris_search.profiles.model import measured_profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.store.protocol import Filters, ScoredTable, TableStore

SIZE = 100


@dataclass
class Comparison:
    """Counts over all queries; `not_close` counts scores apart by more than 2e-6, relative."""

    queries: int = 0
    scores: int = 0
    not_bit_equal: int = 0
    not_close: int = 0
    orders_differing: int = 0
    totals_differing: int = 0

    @property
    def is_exact(self) -> bool:
        return not (self.not_bit_equal or self.orders_differing or self.totals_differing)


def compare(
    ours: TableStore,
    theirs: TableStore,
    profile: str,
    queries: Iterable[str],
    filters: Filters | None = None,
) -> Comparison:
    seen = Comparison()
    for query in queries:
        plan = plan_query(measured_profile_named(profile), query)
        left = ours.search(plan, SIZE, filters)
        right = theirs.search(plan, SIZE, filters)
        seen.queries += 1
        seen.totals_differing += left.total != right.total
        count(seen, left.hits, right.hits)
    return seen


def count(seen: Comparison, left: tuple[ScoredTable, ...], right: tuple[ScoredTable, ...]) -> None:
    ranks = list(zip(left, right, strict=False))
    missing = abs(len(left) - len(right))
    seen.scores += len(ranks) + missing
    seen.not_bit_equal += missing + sum(a.score != b.score for a, b in ranks)
    seen.not_close += missing + sum(not is_close(a.score, b.score) for a, b in ranks)
    seen.orders_differing += [a.table_id for a in left] != [b.table_id for b in right]


def is_close(one: float, other: float) -> bool:
    return abs(one - other) <= 2e-6 * max(one, other)
