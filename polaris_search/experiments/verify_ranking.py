"""The slow way, for comparison: an index for each gold table, asked as a person would ask it.

Stores a generation of the default corpus without the table, with its candidates as tables of their
own, searches it with the table's queries, and compares each mean with the closed form's.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from polaris_search.experiments.build_pairs import BuiltPairs, PairChoices
from polaris_search.experiments.candidate_tables import CandidateTable, CandidateTables
from polaris_search.profiles.model import Profile
from polaris_search.profiles.plan import plan_query
from polaris_search.records import EnrichedTable
from polaris_search.store.protocol import TableStore

OWN_SUFFIX = "\x1fcandidate "
"""Between a table's id and a candidate's place: no catalogue has a table of such an id."""


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


def verify_ranking(
    built: BuiltPairs,
    tables: CandidateTables,
    choices: PairChoices,
    store: TableStore,
    n_tables: int,
    done: Callable[[int, int], None] = lambda done, total: None,
) -> Verified:
    """Compare the ranking of `n_tables` random gold tables with what the store says.

    Args:
        built: the ranking.
        tables: what it is of.
        choices: how it was made.
        store: gives a generation for each table, and drops it.
        n_tables: as many as that, or all if there are fewer.
        done: hears how many of how many are compared.
    """
    chosen = random.Random(choices.seed).sample(built.ranked, min(n_tables, len(built.ranked)))
    relevant = {one.raw.table_id: one.queries for one in tables}
    differences: list[float] = []
    other_orders = 0
    for number, table in enumerate(chosen, start=1):
        asked = [tables.queries[place] for place in relevant[table.table_id]]
        served = _served_means(
            table.table_id, len(table.means), asked, built, tables, choices, store
        )
        differences += [abs(a - b) for a, b in zip(served, table.means, strict=True)]
        other_orders += _order(served) != _order(table.means)
        done(number, len(chosen))
    return Verified(len(chosen), len(differences), max(differences, default=0.0), other_orders)


def _served_means(
    table_id: str,
    n_candidates: int,
    asked: Sequence[str],
    built: BuiltPairs,
    tables: CandidateTables,
    choices: PairChoices,
    store: TableStore,
) -> list[float]:
    names = [f"{table_id}{OWN_SUFFIX}{place}" for place in range(n_candidates)]
    with store.scratch() as scratch:
        scratch.put(_corpus(table_id, names, built, tables, keep_own=choices.keep_own))
        scratch.refresh()
        sums = [0.0] * n_candidates
        for text in asked:
            scores = _scores(scratch, choices.searched, text, names)
            sums = [total + score for total, score in zip(sums, scores, strict=True)]
    return [total / len(asked) for total in sums]


def _scores(store: TableStore, profile: Profile, text: str, names: Sequence[str]) -> list[float]:
    plan = plan_query(profile, text)
    if plan.asks_nothing:
        return [0.0] * len(names)
    hits = store.search(plan, len(names), {"table_id": names}).hits
    found = {hit.table_id: hit.score for hit in hits}
    return [found.get(name, 0.0) for name in names]


def _corpus(
    table_id: str,
    names: Sequence[str],
    built: BuiltPairs,
    tables: CandidateTables,
    *,
    keep_own: bool,
) -> Iterator[EnrichedTable]:
    for table in tables:
        versions = tables.enriched(table)
        if table.raw.table_id == table_id:
            for name, version in zip(names, versions, strict=True):
                yield replace(version, raw=replace(version.raw, table_id=name))
        if table.raw.table_id != table_id or keep_own:
            yield versions[_member(table, built)]


def _member(table: CandidateTable, built: BuiltPairs) -> int:
    return built.members[table.raw.table_id]


def _order(means: Sequence[float]) -> list[int]:
    return sorted(range(len(means)), key=lambda place: (-means[place], place))
