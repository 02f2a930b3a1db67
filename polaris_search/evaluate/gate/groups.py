"""Groups of held-out queries that are judged by themselves, since a mean would hide them. Pure.

Two kinds are the first to be unlearned: queries with words that hardly any other query holds, and
queries for tables that hardly any other query asks for.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

from polaris_search.evaluate.dataset import Dataset
from polaris_search.text.analysis import analyzer_named

SHARE = 1 / 3
LARGEST_SHARE = 1 / 2
"""A group that ties make larger than this is no minority, and is taken without them."""

RARE_WORDS = "queries of rare words"
RARE_TABLES = "queries for tables seldom asked for"


def table_of_each(dataset: Dataset, queries: Sequence[str]) -> dict[str, str]:
    """Return the table that each query mostly asks for: the one with the highest relevance.

    Among several it is the one that most of the queries ask for, so that queries that depend on
    each other rather stand together than apart; then the first by id. Queries without a relevant
    table are left out.
    """
    best = {query: _best(dataset.qrels[query]) for query in queries}
    asked = Counter(table for tables in best.values() for table in tables)
    return {
        query: min(tables, key=lambda table: (-asked[table], table))
        for query, tables in best.items()
        if tables
    }


def groups_of(dataset: Dataset, tables: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the groups of the queries in `tables`, by name; see table_of_each.

    How rare a word is, is counted in all queries of the data set, and how seldom a table is asked
    for, too.
    """
    found = {
        RARE_WORDS: _lowest({query: -rarity for query, rarity in _rarities(dataset, tables)}),
        RARE_TABLES: _lowest(_times_asked(dataset, tables)),
    }
    return {name: queries for name, queries in found.items() if queries}


def _best(judged: Mapping[str, float]) -> list[str]:
    highest = max(judged.values(), default=0.0)
    return [table for table, grade in judged.items() if grade == highest > 0]


def _rarities(dataset: Dataset, tables: Mapping[str, str]) -> list[tuple[str, float]]:
    """Return how rare the words of each query are on average, in nats."""
    stems = {query: set(analyzer_named("words")(text)) for query, text in dataset.queries.items()}
    held = Counter(stem for one in stems.values() for stem in one)
    return [
        (query, sum(log(len(stems) / held[stem]) for stem in stems[query]) / len(stems[query]))
        for query in tables
        if stems[query]
    ]


def _times_asked(dataset: Dataset, tables: Mapping[str, str]) -> dict[str, float]:
    asked = Counter(table_of_each(dataset, list(dataset.queries)).values())
    return {query: asked[table] for query, table in tables.items()}


def _lowest(values: Mapping[str, float]) -> tuple[str, ...]:
    """Return about the lowest third, in order, with all that tie with its last.

    If these make it most of all, it is returned without them.
    """
    if not values:
        return ()
    last = sorted(values.values())[max(0, round(SHARE * len(values)) - 1)]
    with_ties = tuple(key for key, value in values.items() if value <= last)
    if len(with_ties) <= LARGEST_SHARE * len(values):
        return with_ties
    return tuple(key for key, value in values.items() if value < last)
