"""Made-up tables and queries with the statistics of real text, from a seed.

Words follow Zipf's law, falling faster beyond rank 6,000 as in large corpora (Ferrer i Cancho and
Solé 2001, "Two regimes in the frequency of words"). The most frequent are English function words,
the rest are spelled from syllables, frequent ones shorter. A table has about 200 words of
description, 20 of names and 30 of context. Column names recur from table to table, as `id` does.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from polaris_search.records import Column, Description, EnrichedTable, Provenance, RawTable

Item = TypeVar("Item")

# fmt: off
FUNCTION_WORDS = (
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was", "with", "be",
    "by", "on", "not", "he", "his", "but", "at", "are", "this", "have", "from", "or", "had", "an",
    "they", "which", "one", "you", "were", "her", "all", "she", "there", "would", "their", "we",
    "him", "been", "has", "when", "who", "will",
)
ONSETS = (
    *"bcdfghlmnprstvw", "br", "ch", "cl", "cr", "dr", "fl", "gr", "pl", "sh", "st", "th", "tr",
)
NUCLEI = (*"aeiou", "ai", "ea", "io", "ou")
CODAS = ("", "", "", "", "n", "r", "s", "t", "l", "m", "nd", "st")
ENDINGS = ("", "", "", "", "s", "s", "ed", "ing", "er", "ly", "tion", "ment")
# fmt: on

VOCABULARY = 120_000
SECOND_REGIME = 6_000
N_COLUMNS = 30_000
DESCRIPTION_FIELDS = 6
DESCRIPTION_WORDS = 200


class Words:
    """Words by rank r: shares go with 1 / (r + 2.7), beyond SECOND_REGIME with 1 / r^2."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._spelling = self._spelled()
        ranks = np.arange(VOCABULARY) + 2.7
        shares = np.cumsum(np.minimum(1 / ranks, SECOND_REGIME / ranks**2))
        self._shares = shares / shares[-1]
        self._columns = [self._column() for _ in range(N_COLUMNS)]

    def draw(self, count: int, skip: int = 0) -> list[str]:
        """Return `count` words, without the `skip` most frequent ones."""
        low = self._shares[skip - 1] if skip else 0.0
        numbers = np.searchsorted(self._shares, self._random.uniform(low, 1, count))
        return [self._spelling[number] for number in numbers]

    def columns(self, count: int) -> list[str]:
        """Return `count` column names, also drawn by Zipf's law."""
        return self.pick(self._columns, count)

    def pick(self, items: Sequence[Item], count: int) -> list[Item]:
        """Return `count` of up to VOCABULARY items by Zipf's law, the first ones most often."""
        shares = self._shares[: len(items)]
        numbers = np.searchsorted(shares, self._random.uniform(0, shares[-1], count))
        return [items[number] for number in numbers]

    def number(self, low: int, high: int) -> int:
        """Return a whole number from low to high."""
        return int(self._random.integers(low, high + 1))

    def size(self, median: float, spread: float, most: int) -> int:
        """Return a whole number >= 1 as sizes fall: by a log-normal law, few ones very large."""
        return min(1 + int(self._random.lognormal(np.log(median), spread)), most)

    def chance(self, share: float) -> bool:
        """Return True in such a share of calls."""
        return bool(self._random.random() < share)

    def _column(self) -> str:
        return "_".join(self.draw(self.number(1, 3), skip=len(FUNCTION_WORDS)))

    def _spelled(self) -> list[str]:
        words = dict.fromkeys(FUNCTION_WORDS)
        while len(words) < VOCABULARY:
            syllables = 1 + self._random.binomial(2, 0.35 + 0.4 * len(words) / VOCABULARY)
            stem = "".join(self._one_of(ONSETS, NUCLEI, CODAS) for _ in range(syllables))
            words.setdefault(stem + self._one_of(ENDINGS))
        return list(words)

    def _one_of(self, *choices: tuple[str, ...]) -> str:
        return "".join(choice[int(self._random.random() * len(choice))] for choice in choices)


def tables(words: Words, count: int) -> Iterator[EnrichedTable]:
    """Yield the tables, ids ascending."""
    for number in range(count):
        yield _table(words, number)


def queries(words: Words, count: int) -> list[str]:
    """Return queries of 3 to 8 words, drawn as they occur in the tables' text."""
    return [" ".join(words.draw(words.number(3, 8))) for _ in range(count)]


def _table(words: Words, number: int) -> EnrichedTable:
    raw = RawTable(
        table_id=f"table-{number:06d}",
        name="".join(word.title() for word in words.draw(2, skip=len(FUNCTION_WORDS))),
        columns=tuple(map(Column, words.columns(words.number(6, 10)))),
        context={"title": " ".join(words.draw(10)), "notes": " ".join(words.draw(20))},
        source=f"source-{number % 10}",
        format=("csv", "parquet", "sql")[number % 3],
    )
    share = DESCRIPTION_WORDS // DESCRIPTION_FIELDS
    texts = [
        _sentence(words.draw(words.number(share - 10, share + 14)))
        for _ in range(DESCRIPTION_FIELDS)
    ]
    provenance = Provenance(input_hash=str(number), status="described")
    return EnrichedTable(raw, provenance, description=Description(*texts))


def _sentence(words: list[str]) -> str:
    return " ".join(words).capitalize() + "."
