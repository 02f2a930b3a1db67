"""What a token may mean whatever table it stands in: a word, a listed short form, a guess, a cut.

A token's text and the word lists come in, readings with costs go out, the same for every table, so
that they are worked out once for each token.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ingest.expand.segment import segment
from ingest.expand.shortening import VOWELS, can_be_spoken, shortening_cost, skeleton
from ingest.expand.vocabulary import Abbreviation, Vocabulary, Words

WORD_COST = 8.0
MEANING_COST = 8.0
NEXT_MEANING_COST = 0.9
"""A hand-written meaning: the first one, and what each further one costs more."""
ALSO_WORD_COST = 2.0
PAIR_COST = 1.0
INITIALISM_COST = 4.0
"""What a meaning costs more of a word, of a pair of letters, and of initials of several words."""

LISTED_GUESS_COST = 3.0
ENGLISH_GUESS_COST = 4.0
"""What it costs more to guess a word of the tables' list, and another English word."""
MAX_GUESSES = 6
MAX_SHORT_LETTERS = 12
ENGLISH_MIN_LETTERS = 4
ENGLISH_MAX_RARITY = 12.0

LITERAL_COST = 8.0
LITERAL_LETTER_COST = 2.0
SPOKEN_LETTER_COST = 1.6
"""An unknown token left alone: dearer the longer it is, less so if it can be spoken like a name."""
MAX_KEPT_TOKENS = 100_000
"""Tokens whose readings are remembered; bounds the memory of an ingest of millions."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The words that a token may stand for. `literal`: it stands for itself.

    `guess`: by its letters alone, from a list of words.
    """

    words: Words
    cost: float
    literal: bool = False
    guess: bool = False


class Candidates:
    """The readings of tokens by the word lists `words`, remembered."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words
        self._kept: dict[str, tuple[Reading, ...]] = {}

    def of(self, text: str) -> tuple[Reading, ...]:
        """Return the readings of a lower-case token of letters a to z, the literal one first."""
        kept = self._kept.get(text)
        if kept is None:
            if len(self._kept) >= MAX_KEPT_TOKENS:
                self._kept.clear()
            kept = self._kept[text] = tuple(self._readings(text))
        return kept

    def _readings(self, text: str) -> Iterator[Reading]:
        plain = self.words.is_plain(text)
        yield Reading((text,), WORD_COST if plain else literal_cost(text), literal=True)
        listed = list(_listed_meanings(text, self.words))
        yield from listed
        if not plain and not listed and len(text) > 2:
            yield from self._guesses(text)
            cut = segment(text, self.words)
            if cut:
                yield Reading(cut.words, cut.cost)

    def _guesses(self, text: str) -> list[Reading]:
        """Return the likeliest words that an unknown token may be short for."""
        if len(text) > MAX_SHORT_LETTERS:
            return []
        guesses = [*self._listed_guesses(text), *self._english_guesses(text)]
        return sorted(guesses, key=lambda reading: (reading.cost, reading.words))[:MAX_GUESSES]

    def _listed_guesses(self, text: str) -> Iterator[Reading]:
        for word in self.words.listed.get(text[0], ()):
            cost = shortening_cost(text, word)
            if cost is not None:
                yield Reading((word,), self.words.cost(word) + LISTED_GUESS_COST + cost, guess=True)

    def _english_guesses(self, text: str) -> Iterator[Reading]:
        if len(text) < ENGLISH_MIN_LETTERS:
            return
        for word in (*self._with_beginning(text), *self._english_skeletons.get(text, ())):
            cost = shortening_cost(text, word)
            if cost is not None and word not in self.words.listed_cost:
                yield Reading(
                    (word,), self.words.cost(word) + ENGLISH_GUESS_COST + cost, guess=True
                )

    def _with_beginning(self, text: str) -> list[str]:
        words = self._english_words
        end = bisect_left(words, text + "{")  # "{" comes after "z"
        return words[bisect_left(words, text) : end]

    @cached_property
    def _english_words(self) -> list[str]:
        """The common English words, sorted."""
        rarity = self.words.rarity
        return sorted(word for word, cost in rarity.items() if cost <= ENGLISH_MAX_RARITY)

    @cached_property
    def _english_skeletons(self) -> dict[str, list[str]]:
        skeletons: dict[str, list[str]] = {}
        for word in self._english_words:
            skeletons.setdefault(skeleton(word), []).append(word)
        return skeletons


def literal_cost(text: str) -> float:
    """Return the cost of leaving an unknown token as it is."""
    letter_cost = SPOKEN_LETTER_COST if can_be_spoken(text) else LITERAL_LETTER_COST
    return LITERAL_COST + letter_cost * len(text)


def _listed_meanings(text: str, words: Vocabulary) -> Iterator[Reading]:
    abbreviation = words.abbreviations.get(text)
    plural = False
    if abbreviation is None and len(text) > 3 and text.endswith("s") and not words.is_plain(text):
        abbreviation, plural = words.abbreviations.get(text[:-1]), True
    if abbreviation is None:
        return
    for rank, meaning in enumerate(abbreviation.meanings):
        cost = NEXT_MEANING_COST * rank + _meaning_cost(text, meaning, abbreviation)
        yield Reading(_plural(meaning) if plural else meaning, cost)


def _meaning_cost(text: str, meaning: Words, abbreviation: Abbreviation) -> float:
    cost = MEANING_COST
    if abbreviation.also_word:
        cost += ALSO_WORD_COST
    if len(text) == 2:
        cost += PAIR_COST
    if len(text) <= 3 and len(meaning) > 1:
        cost += INITIALISM_COST
    return cost


def _plural(meaning: Words) -> Words:
    word = meaning[-1]
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return (*meaning[:-1], word[:-1] + "ies")
    ending = "" if word.endswith("s") else "es" if word.endswith(("x", "ch", "sh")) else "s"
    return (*meaning[:-1], word + ending)
