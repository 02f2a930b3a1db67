"""The word lists: how rare English words are, what names are made of, what is short for what.

Read once from the files in `data/`; values only. Costs are -ln of a probability, so that costs of
independent choices add up and the smaller sum is the likelier reading.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ingest.expand.name_model import names_in
from polaris_search.records import content_hash

Words = tuple[str, ...]

HEAD_COST = 6.5
LISTED_COST = 8.5
"""Costs of the words of words.txt, its first field and the others; other words cost more."""
UNLISTED_COST = 9.5

_TWO_LETTERS = "of to in by at is no on or up id it as be do go if we us he me my so an pm am"
SHORT_WORDS = frozenset(_TWO_LETTERS.split())
"""The words of two letters; other pairs of letters are short for something or nothing."""


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A short form's meanings, most usual first.

    `also_word`: it is a word of its own, so that the table must speak for a meaning.
    `only_last`: it has the meanings only as the last word of a name.
    """

    meanings: tuple[Words, ...]
    also_word: bool = False
    only_last: bool = False


@dataclass(frozen=True)
class Vocabulary:
    """All word lists. `listed` holds the words of tables by first letter, the usual ones first.

    `names`: whole names as people would write them, those of one kind of table together.
    """

    rarity: Mapping[str, float]
    listed_cost: Mapping[str, float]
    listed: Mapping[str, Words]
    abbreviations: Mapping[str, Abbreviation]
    names: list[list[Words]]
    fingerprint: str

    def is_plain(self, word: str) -> bool:
        """Whether it is an English word, or one of tables, and not merely short for something."""
        abbreviation = self.abbreviations.get(word)
        if abbreviation:
            return abbreviation.also_word and (len(word) != 2 or word in SHORT_WORDS)
        if len(word) == 2:
            return word in SHORT_WORDS
        return word in self.rarity or word in self.listed_cost

    def cost(self, word: str) -> float:
        """Return the cost of a known word as a part of a table's name."""
        listed = self.listed_cost.get(word)
        return max(UNLISTED_COST, self.rarity[word]) if listed is None else listed


@cache
def vocabulary() -> Vocabulary:
    """Return the shipped word lists."""
    texts = {
        name: files("ingest.expand.data").joinpath(name).read_text(encoding="utf-8")
        for name in ("english.txt", "words.txt", "abbreviations.txt", "names.txt", "weights.txt")
    }
    abbreviations = dict(_abbreviations(texts["abbreviations.txt"]))
    listed_cost = _listed_costs(texts["words.txt"], abbreviations)
    return Vocabulary(
        rarity=_rarities(texts["english.txt"]),
        listed_cost=listed_cost,
        listed=_by_first_letter(listed_cost),
        abbreviations=abbreviations,
        names=names_in(texts["names.txt"]),
        fingerprint=content_hash(*texts.values()),
    )


def _rarities(text: str) -> dict[str, float]:
    rarities: dict[str, float] = {}
    for line in _lines(text):
        cost, _, words = line.partition(" ")
        rarities.update(dict.fromkeys(words.split(), float(cost)))
    return rarities


def _listed_costs(text: str, abbreviations: Mapping[str, Abbreviation]) -> dict[str, float]:
    """Return the cost of the words that tables are made of: heads, the other fields, meanings."""
    heads, _, others = text.partition("\n# --- things")
    costs = dict.fromkeys(_words(heads), HEAD_COST)
    for word in _words("#" + others):
        costs.setdefault(word, LISTED_COST)
    for abbreviation in abbreviations.values():
        for meaning in abbreviation.meanings:
            if len(meaning) == 1:
                costs.setdefault(meaning[0], LISTED_COST)
    return costs


def _by_first_letter(costs: Mapping[str, float]) -> dict[str, Words]:
    by_letter: dict[str, list[str]] = {}
    for word in sorted(costs, key=lambda word: (costs[word], word)):
        by_letter.setdefault(word[0], []).append(word)
    return {letter: tuple(words) for letter, words in by_letter.items()}


def _abbreviations(text: str) -> Iterator[tuple[str, Abbreviation]]:
    for line in _lines(text):
        short, _, meanings = line.partition(":")
        yield (
            short.rstrip("?$"),
            Abbreviation(
                tuple(tuple(meaning.split()) for meaning in meanings.split("|")),
                also_word=short.endswith("?"),
                only_last=short.endswith("$"),
            ),
        )


def _words(text: str) -> list[str]:
    return [word for line in _lines(text) for word in line.split()]


def _lines(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line and not line.startswith("#"))
