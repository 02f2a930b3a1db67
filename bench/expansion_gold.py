"""Gold files of name expansion as tables, and names made short by rules from readable ones.

A folder of SET.csv files comes in, GoldSets go out; the rules of SET.synonyms.json and
SET.stopwords.json count. Which names are read how is not known here.
"""

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ingest.expand.shortening import skeleton
from polaris_search.evaluate.expansion import (
    GoldRow,
    GoldRules,
    gold_variants,
    name_words,
    read_gold,
    read_rules,
    singular,
)
from polaris_search.records import Column, RawTable

ID_SEPARATOR = "#"
"""Parts the database from the table in a table_name that is an id and no name."""

T = TypeVar("T")


@dataclass(frozen=True)
class GoldSet:
    """A gold file: its rows, its tables and for each table the places of its rows."""

    name: str
    rows: Sequence[GoldRow]
    tables: Sequence[RawTable]
    places: Sequence[Sequence[int]]
    accepted: Sequence[frozenset[tuple[str, ...]]]
    rules: GoldRules

    def in_order(self, by_table: Iterable[Sequence[T]]) -> list[T]:
        """Return what was found for each column of each table, in the order of the rows."""
        found = {
            place: one
            for places, columns in zip(self.places, by_table, strict=True)
            for place, one in zip(places, columns, strict=True)
        }
        return [found[place] for place in range(len(self.rows))]

    def is_right(self, place: int, expansion: str) -> bool:
        """Whether an expansion of a row is an exact match, as `evaluate-expansion` counts it."""
        words = tuple(word for word in name_words(expansion) if word not in self.rules.stop_words)
        accepted = self.accepted[place]
        return words in accepted or tuple(map(singular, words)) in accepted


def read_sets(folder: Path) -> list[GoldSet]:
    """Return the gold sets of a folder, by name."""
    return [
        gold_set(path.stem, read_gold(path), read_rules(path))
        for path in sorted(folder.glob("*.csv"))
    ]


def gold_set(name: str, rows: Sequence[GoldRow], rules: GoldRules) -> GoldSet:
    """Return rows as a set: those of one table_name are one table, an id gives no name."""
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.table_name, []).append(place)
    tables = [
        RawTable(
            table_name.strip() or "nameless",
            "" if ID_SEPARATOR in table_name else table_name,
            tuple(Column(rows[place].column_name) for place in columns),
        )
        for table_name, columns in places.items()
    ]
    accepted = [frozenset(gold_variants(row.expansion, rules)) for row in rows]
    return GoldSet(name, rows, tables, list(places.values()), accepted, rules)


def shortened(gold: GoldSet, databases: Iterable[str], seed: int) -> GoldSet:
    """Return the readable names of some databases of a set, made short by rules.

    A word is kept, cut, stripped of vowels, or reduced to some of its consonants or its initial,
    mostly the same way in the whole table; a table's names are joined in one style.
    """
    wanted = set(databases)
    made = random.Random(seed)
    rows: list[GoldRow] = []
    for table, places in zip(gold.tables, gold.places, strict=True):
        if table.table_id.partition(ID_SEPARATOR)[0] not in wanted:
            continue
        join = made.choice(_STYLES)
        shorts: dict[str, str] = {}
        for place in places:
            words = re.findall("[a-z]+|[0-9]+", gold.rows[place].expansion.lower())
            if words:
                column = join(_short_name(words, shorts, made))
                rows.append(GoldRow(table.table_id, column, " ".join(words)))
    return gold_set(f"{gold.name}, shortened", rows, GoldRules())


def _short_name(words: Sequence[str], shorts: dict[str, str], made: random.Random) -> list[str]:
    if 2 < len(words) < 5 and made.random() < 0.12:
        return ["".join(word[0] for word in words)]
    for word in words:
        if word not in shorts or made.random() < 0.2:
            shorts[word] = _short(word, made)
    return [shorts[word] for word in words]


def _short(word: str, made: random.Random) -> str:
    if len(word) <= 3 or made.random() < 0.22:
        return word
    way = made.random()
    bones = skeleton(word)
    if way < 0.34:
        return bones[: made.choice((3, 4, 5))] if len(bones) > 2 else word[:3]
    if way < 0.72:
        return word[: made.choice((3, 3, 4, 4, 5))]
    if way < 0.88 and len(bones) > 1:
        kept = sorted(
            made.sample(range(1, len(bones)), min(made.choice((1, 2, 2, 3)), len(bones) - 1))
        )
        return bones[0] + "".join(bones[place] for place in kept)
    return word[0]


def _snake(words: Sequence[str]) -> str:
    return "_".join(words)


def _camel(words: Sequence[str]) -> str:
    return "".join(word.capitalize() for word in words)


def _capitals(words: Sequence[str]) -> str:
    return "_".join(words).upper()


_STYLES = (_snake, _snake, _camel, _camel, _capitals)
