"""Which kind of table a table is, by the words of its names that few kinds have.

Names of kinds of tables come in, one list for each kind; for a table's words the kind goes out that
they speak for, with the words and the neighbours of its names.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

Words = tuple[str, ...]

MAX_KINDS = 6
"""A word of more kinds of tables says nothing."""
MIN_SCORE = 0.8
"""What the words of a kind must sum up to: a word counts 1 over the kinds that have it."""


@dataclass(frozen=True, slots=True)
class Topic:
    """The words that names of one kind of table are made of, and which of them are neighbours."""

    words: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()


NO_TOPIC = Topic()


class Topics:
    """Kinds of tables."""

    def __init__(self, kinds: Iterable[Iterable[Words]]) -> None:
        self._topics: list[Topic] = []
        self._kinds: dict[str, list[int]] = defaultdict(list)
        for number, names in enumerate(kinds):
            listed = list(names)
            words = frozenset(word for name in listed for word in name)
            pairs = frozenset(pair for name in listed for pair in pairwise(name))
            self._topics.append(Topic(words, pairs))
            for word in words:
                self._kinds[word].append(number)

    def of(self, words: Iterable[str]) -> Topic:
        """Return what the words speak for most, nothing where they are few or of many kinds."""
        scores: dict[int, float] = {}
        for word in words:
            kinds = self._kinds.get(word, ())
            if len(kinds) <= MAX_KINDS:
                for kind in kinds:
                    scores[kind] = scores.get(kind, 0.0) + 1 / len(kinds)
        if not scores:
            return NO_TOPIC
        score, kind = max((score, -kind) for kind, score in scores.items())
        return self._topics[-kind] if score >= MIN_SCORE else NO_TOPIC
