"""The tables, their versions and the queries they should be found by, as numbers. Pure.

A version is a table with one of its candidate descriptions, or without one. Versions of all tables
are numbered one table after the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trainer.ranking.clauses import IntArray


@dataclass(frozen=True, slots=True)
class Numbered:
    """Which versions and queries belong to which table.

    Attributes:
        first: the first version of each table, and behind the last table the number of versions.
        gold: the tables that have queries and at least one candidate, ascending.
        cell_gold, cell_query, cell_version: for each (gold table, query, candidate), a cell, table
            by table, query by query: the table's place in `gold`, the query, and the version.
        pairs: where the cells of each (gold table, query) begin, and behind the last their number.
        pairs_of: where the pairs of each gold table begin, and behind the last their number.
    """

    first: IntArray
    gold: IntArray
    cell_gold: IntArray
    cell_query: IntArray
    cell_version: IntArray
    pairs: IntArray
    pairs_of: IntArray

    def candidates(self, place: int) -> int:
        """Return how many candidates the gold table at this place has."""
        table = self.gold[place]
        return int(self.first[table + 1] - self.first[table])


def numbered(n_versions: Sequence[int], relevant: Sequence[Sequence[int]]) -> Numbered:
    """Return the numbering.

    Args:
        n_versions: versions of each table, >= 1.
        relevant: the queries that each table should be found by; none where it is not to be ranked.
    """
    first = np.concatenate(([0], np.cumsum(np.asarray(n_versions, dtype=np.int64))))
    gold = np.array([table for table, queries in enumerate(relevant) if queries], dtype=np.int64)
    n_queries = np.array([len(relevant[table]) for table in gold], dtype=np.int64)
    queries = np.array([query for table in gold for query in relevant[table]], dtype=np.int64)
    pair_gold = np.repeat(np.arange(len(gold)), n_queries)
    n_cells = (first[gold + 1] - first[gold])[pair_gold]
    starts = np.concatenate(([0], np.cumsum(n_cells)))
    cell_pair = np.repeat(np.arange(len(queries)), n_cells)
    within = np.arange(len(cell_pair)) - starts[cell_pair]
    cell_gold = pair_gold[cell_pair]
    return Numbered(
        first=first,
        gold=gold,
        cell_gold=cell_gold,
        cell_query=queries[cell_pair],
        cell_version=first[gold[cell_gold]] + within,
        pairs=starts,
        pairs_of=np.concatenate(([0], np.cumsum(n_queries))),
    )
