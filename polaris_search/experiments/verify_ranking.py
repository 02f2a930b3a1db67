"""The slow way, for comparison: an index for each gold table, asked as a person would ask it.

Stores a generation of the default corpus without the table, with its candidates as tables of their
own, searches it with the table's queries, and compares each mean with the closed form's.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from polaris_search.experiments.build_pairs import GAINS, BuiltPairs, PairChoices
from polaris_search.experiments.candidate_tables import CandidateTable, CandidateTables
from polaris_search.experiments.pairs_progress import UNWATCHED, PairsProgress
from polaris_search.profiles.plan import QueryPlan, plan_query
from polaris_search.records import EnrichedTable
from polaris_search.store.protocol import TableStore
from trainer.pairs import RankedTable
from trainer.ranking.rounds import by_mean

MOST_RESULTS = 10_000
"""As many as a server lists at most; a place behind that counts as not found here."""

OWN_NAME = "\x1fcandidate "
"""With a candidate's place it is the id that the candidate is stored under; no table has such."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What the comparison found.

    Attributes:
        tables: gold tables that were compared.
        means: candidates' means that were compared.
        largest_difference: of two means of one candidate; 0 is what it must be.
        other_orders: tables whose candidates come in another order.
    """

    tables: int
    means: int
    largest_difference: float
    other_orders: int


@dataclass(frozen=True, slots=True)
class SlowWay:
    """What is compared: a ranking, what it is of, how it was made, and where to do it again."""

    built: BuiltPairs
    tables: CandidateTables
    choices: PairChoices
    store: TableStore

    def means(self, table: RankedTable, asked: Sequence[str]) -> list[float]:
        """Return the mean of each of the table's candidates, from searches in new generations."""
        if self.choices.objective in GAINS:
            places = range(len(table.means))
            return [self._mean_gain(table.table_id, place, asked) for place in places]
        names = [f"{OWN_NAME}{place}" for place in range(len(table.means))]
        with self._generation(self._corpus(table.table_id, names)) as generation:
            columns = [_scores(generation, self._plan(text), names) for text in asked]
        return [sum(scores) / len(asked) for scores in zip(*columns, strict=True)]

    def _mean_gain(self, table_id: str, place: int, asked: Sequence[str]) -> float:
        gain = GAINS[self.choices.objective]
        corpus = (
            versions[place if one.raw.table_id == table_id else self._member(one)]
            for one in self.tables
            for versions in [self.tables.enriched(one)]
        )
        with self._generation(corpus) as generation:
            listed = [_listed(generation, self._plan(text), MOST_RESULTS) for text in asked]
        gains = [gain(ids.index(table_id) + 1 if table_id in ids else 0) for ids in listed]
        return sum(gains) / len(asked)

    def _corpus(self, table_id: str, names: Sequence[str]) -> Iterator[EnrichedTable]:
        for table in self.tables:
            versions = self.tables.enriched(table)
            if table.raw.table_id == table_id:
                for name, version in zip(names, versions, strict=True):
                    yield replace(version, raw=replace(version.raw, table_id=name))
            if table.raw.table_id != table_id or self.choices.keep_own:
                yield versions[self._member(table)]

    @contextmanager
    def _generation(self, tables: Iterable[EnrichedTable]) -> Iterator[TableStore]:
        with self.store.scratch() as scratch:
            scratch.put(tables)
            scratch.refresh()
            yield scratch

    def _member(self, table: CandidateTable) -> int:
        return self.built.members[table.raw.table_id]

    def _plan(self, text: str) -> QueryPlan:
        return plan_query(self.choices.searched, text)


def verify_ranking(
    slow_way: SlowWay, n_tables: int, progress: PairsProgress = UNWATCHED
) -> Verified:
    """Compare the ranking of `n_tables` random gold tables, or of all, with the slow way's."""
    ranked = slow_way.built.ranked
    chosen = random.Random(slow_way.choices.seed).sample(ranked, min(n_tables, len(ranked)))
    queries = slow_way.tables.queries
    relevant = {one.raw.table_id: one.queries for one in slow_way.tables}
    differences: list[float] = []
    other_orders = 0
    for number, table in enumerate(chosen, start=1):
        asked = [queries[place] for place in relevant[table.table_id]]
        served = slow_way.means(table, asked)
        differences += [abs(a - b) for a, b in zip(served, table.means, strict=True)]
        other_orders += by_mean(served) != by_mean(table.means)
        progress.verified(number, len(chosen))
    return Verified(len(chosen), len(differences), max(differences, default=0.0), other_orders)


def _scores(store: TableStore, plan: QueryPlan, names: Sequence[str]) -> list[float]:
    if plan.asks_nothing:
        return [0.0] * len(names)
    hits = store.search(plan, len(names), {"table_id": names}).hits
    found = {hit.table_id: hit.score for hit in hits}
    return [found.get(name, 0.0) for name in names]


def _listed(store: TableStore, plan: QueryPlan, size: int) -> list[str]:
    return [] if plan.asks_nothing else [hit.table_id for hit in store.search(plan, size).hits]
