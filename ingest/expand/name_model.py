"""How likely a word stands in a table's name, after which word, and what begins with which letters.

Readable names written by hand and the rarity of English words come in; knows no short form.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import product

from ingest.expand.weights import Weights

START = "<"
END = ">"
"""Stand before the first and after the last word of a name."""

Words = tuple[str, ...]

BEFORE_STRENGTH = 3.0
"""So many sightings of a word must there be for what follows it to count half."""
LISTED_COUNT = 0.5
"""What a word of the list counts that stands in no name."""
NOWHERE = 1e-9
_FUNCTION_WORDS = """
a an and are as at be but by for from had has have he her his i if in into is it its me more my no
not of on or our out she so such than that the their them then there these they this to up was we
were what when where which who will with would you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
FUNCTION_WORD_SHARE = 0.02
"""English prose is full of function words, names of tables are not."""
MAX_NEIGHBOURS = 4
MAX_PHRASE_WORDS = 5


class NameModel:
    """Chances of words in names. `weights` mixes neighbours, names of tables and English."""

    def __init__(
        self,
        lines: list[list[Words]],
        listed: Mapping[str, float],
        rarity: Mapping[str, float],
        weights: Weights,
    ) -> None:
        names = [name for line in lines for name in line]
        self._weights = weights
        self._rarity = rarity
        self._next: dict[str, Counter[str]] = defaultdict(Counter)
        self._count: Counter[str] = Counter(dict.fromkeys(listed, LISTED_COUNT))
        for name in names:
            for before, word in zip((START, *name), (*name, END), strict=True):
                self._next[before][word] += 1
            self._count.update(name)
        self._total = float(self._count.total())
        self._seen = {before: following.total() for before, following in self._next.items()}
        self._apart = self._scaled(1 - weights.neighbour_share)
        self._kept: dict[str, dict[str, float]] = {}
        self._alone: dict[str, float] = {}
        self.phrases = _by_initials(names)
        self.with_letter = self._by_letter()
        self._neighbours = self._neighbours_by_letter()

    def cost(self, before: str, word: str) -> float:
        """Return the cost of a word after another, START before the first, END after the last."""
        kept = self._kept.get(before)
        if kept is None:
            kept = self._kept[before] = {}
        cost = kept.get(word)
        if cost is None:
            cost = kept[word] = self._cost(before, word)
        return cost

    def alone(self, word: str) -> float:
        """Return the cost of a word whatever stands before it."""
        cost = self._alone.get(word)
        if cost is None:
            cost = self._alone[word] = self._scaled(self._chance(word))
        return cost

    def inside(self, words: Words) -> float:
        """Return the cost of the words after the first, each after the one before it."""
        return sum(map(self.cost, words, words[1:]))

    def after(self, before: str, letter: str) -> Words:
        """Return the words with a first letter that most often follow a word."""
        return self._neighbours.get((before, letter, 1), ())

    def before(self, after: str, letter: str) -> Words:
        """Return the words with a first letter that most often precede a word."""
        return self._neighbours.get((after, letter, 0), ())

    def stands_in_names(self, word: str) -> bool:
        """Whether the word is of the names or of the list."""
        return word in self._count

    def words(self) -> list[str]:
        """Return the words of names and list, likeliest first."""
        return sorted(self._count, key=lambda word: (-self._count[word], word))

    def _cost(self, before: str, word: str) -> float:
        following = self._next.get(before)
        if word == END:
            return self._end_cost(before)
        if not following:
            return self.alone(word)
        seen = following.get(word)
        if not seen:
            return self.alone(word) + self._apart
        share = self._weights.neighbour_share
        near = seen / (self._seen[before] + BEFORE_STRENGTH)
        return self._scaled(share * near + (1 - share) * self._chance(word))

    def _end_cost(self, last: str) -> float:
        ends = self._next[last][END] if last in self._next else 0
        return -self._weights.end * math.log((ends + 1.0) / (self._count[last] + 2.0))

    def _chance(self, word: str) -> float:
        share = self._weights.names_share
        rarity = self._rarity.get(word)
        english = 0.0 if rarity is None else math.exp(-rarity)
        if word in FUNCTION_WORDS:
            english *= FUNCTION_WORD_SHARE
        return share * self._count[word] / self._total + (1 - share) * english + NOWHERE

    def _scaled(self, chance: float) -> float:
        return -self._weights.word_scale * math.log(chance)

    def _by_letter(self) -> dict[str, Words]:
        letters: dict[str, list[str]] = defaultdict(list)
        for word in self.words():
            letters[word[0]].append(word)
        return {letter: tuple(words) for letter, words in letters.items()}

    def _neighbours_by_letter(self) -> dict[tuple[str, str, int], Words]:
        found: dict[tuple[str, str, int], list[tuple[int, str]]] = defaultdict(list)
        for before, following in self._next.items():
            for word, count in following.items():
                if before == START or word == END:
                    continue
                found[before, word[0], 1].append((-count, word))
                found[word, before[0], 0].append((-count, before))
        return {
            key: tuple(word for _, word in sorted(pairs)[:MAX_NEIGHBOURS])
            for key, pairs in found.items()
        }


def names_in(text: str) -> list[list[Words]]:
    """Return the names of each line of a text, parted by commas.

    A slash parts words of which one stands there, a number says how often a name is to count.
    """
    return [
        [name for item in line.split(",") for name in _expanded(item.split())]
        for line in text.splitlines()
        if line and not line.startswith("#")
    ]


def _expanded(slots: list[str]) -> Iterator[Words]:
    times = 1
    if slots[0].isdecimal():
        times, slots = int(slots[0]), slots[1:]
    for _ in range(times):
        yield from product(*(slot.split("/") for slot in slots))


def _by_initials(names: list[Words]) -> dict[str, tuple[Words, ...]]:
    """Return the names of several words by their initials, also by those of their telling words."""
    found: dict[str, dict[Words, None]] = defaultdict(dict)
    for name in names:
        if 1 < len(name) <= MAX_PHRASE_WORDS:
            found["".join(word[0] for word in name)][name] = None
            telling = "".join(word[0] for word in name if word not in FUNCTION_WORDS)
            if 1 < len(telling) < len(name):
                found[telling][name] = None
    return {initials: tuple(phrases) for initials, phrases in found.items()}
