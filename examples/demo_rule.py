"""The rule that picks the demo's tables: the most cryptic ones, spread over the sources.

Takes what stands in `tables/` and nothing else, so the choice can be repeated and checked without
the packages.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

TABLES = 12  # as many as a small model describes in a minute
PER_SOURCE = 3
MIN_COLUMNS = 5
MAX_COLUMNS = 25
MIN_PART_LETTERS = 3  # a column that is called `y` hides no word that could be found

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_WORD = re.compile(r"[^\W\d_]+")


def demo_tables(
    columns: Mapping[str, Sequence[str]], source: Mapping[str, str], queries: Mapping[str, str]
) -> list[str]:
    """Return the ids of the demo's tables, in order.

    A column is cryptic if some part of its name (split at case, digits and marks; three letters or
    more) is no word of any query. Of each source's tables that have 5 to 25 columns and queries of
    both kinds, the three with the largest share of cryptic columns are looked at, and of all these
    the twelve with the largest share are taken; of equal shares the one with more columns, then
    the first by table_id.

    Args:
        columns: table_id to column names.
        source: table_id to the package that the table comes from.
        queries: query_id to query text.
    """
    vocabulary = {word for text in queries.values() for word in _WORD.findall(text.casefold())}
    by_source: dict[str, list[tuple[float, int, str]]] = defaultdict(list)
    for table_id, names in columns.items():
        if MIN_COLUMNS <= len(names) <= MAX_COLUMNS and _has_both_kinds(table_id, queries):
            by_source[source[table_id]].append(
                (-cryptic_share(names, vocabulary), -len(names), table_id)
            )
    spread = [each for ranked in by_source.values() for each in sorted(ranked)[:PER_SOURCE]]
    return sorted(table_id for _, _, table_id in sorted(spread)[:TABLES])


def _has_both_kinds(table_id: str, queries: Mapping[str, str]) -> bool:
    has_column = any(query_id.startswith(f"column.{table_id}.") for query_id in queries)
    return has_column and f"title.{table_id}" in queries


def cryptic_share(names: Iterable[str], vocabulary: set[str]) -> float:
    """Return the share of names, 0 to 1, that have a part outside the vocabulary."""
    cryptic = [
        any(part.casefold() not in vocabulary for part in _long_parts(name)) for name in names
    ]
    return sum(cryptic) / len(cryptic)


def _long_parts(name: str) -> list[str]:
    return [part for part in _PART.findall(name) if len(part) >= MIN_PART_LETTERS]
