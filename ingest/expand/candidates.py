"""What a token may mean whatever table it stands in: a word, a listed short form, a guess, a cut.

A token's text and the word lists come in, readings with costs go out, the same for every table, so
that they are worked out once for each token.
"""

from collections.abc import Iterator

from ingest.expand.name_model import NameModel
from ingest.expand.reading import Reading
from ingest.expand.segment import segment
from ingest.expand.shortening import VOWELS, can_be_spoken, shortening_cost
from ingest.expand.topics import Topics
from ingest.expand.vocabulary import Abbreviation, Vocabulary, Words
from ingest.expand.weights import Weights
from ingest.expand.word_index import WordIndex

MAX_GUESSES = 8
MAX_SHORT_LETTERS = 12
MAX_INITIALS = 5
MAX_PHRASES = 4
ENGLISH_MIN_LETTERS = 4
ENGLISH_MAX_RARITY = 13.0
MAX_LETTER_WORDS = 12
MAX_KEPT = 8
"""Readings kept of a token, the likeliest."""
MAX_KEPT_TOKENS = 100_000
"""Tokens whose readings are remembered; bounds the memory of an ingest of millions."""


class Candidates:
    """The readings of tokens by the word lists, remembered."""

    def __init__(self, words: Vocabulary, names: NameModel, weights: Weights) -> None:
        self.words = words
        self.names = names
        self.topics = Topics(words.names)
        self.weights = weights
        self._index = WordIndex(_words_to_guess(words, names))
        self._kept: dict[str, tuple[Reading, ...]] = {}
        self._shortenings: dict[tuple[str, str], float | None] = {}

    def of(self, text: str) -> tuple[Reading, ...]:
        """Return the readings of a lower-case token of letters a to z, the literal one first."""
        kept = self._kept.get(text)
        if kept is None:
            if len(self._kept) >= MAX_KEPT_TOKENS:
                self._kept.clear()
                self._shortenings.clear()
            kept = self._kept[text] = tuple(self._readings(text))
        return kept

    def shortening(self, short: str, word: str) -> float | None:
        """Return what it costs that `short` stands for `word` by its letters, None if it cannot."""
        key = short, word
        if key not in self._shortenings:
            cost = shortening_cost(short, word)
            scale = self.weights.shortening
            self._shortenings[key] = None if cost is None else scale * cost
        return self._shortenings[key]

    def letter(self, word: str) -> Reading:
        """Return the reading of a lone letter as a word that its neighbours or its table have."""
        return Reading((word,), self.weights.letter, guess=True, letter=True)

    def _readings(self, text: str) -> Iterator[Reading]:
        plain = self.words.is_plain(text)
        yield self.literal(text)
        if len(text) == 1:
            cost = self.weights.letter + self.weights.letter_apart
            for word in self.names.with_letter.get(text, ())[:MAX_LETTER_WORDS]:
                yield Reading((word,), cost, guess=True, letter=True)
            return
        listed = list(self._listed(text))
        if plain:
            yield from listed
            return
        others = [
            *listed,
            *self._initials(text),
            *self._guesses(text, self.weights.beside_listed if listed else 0.0),
        ]
        if not listed and len(text) > 2:
            others += segment(text, self.words, self.names, self.weights)
            others += self._glued_letter(text)
        yield from self._likeliest(others)

    def literal(self, text: str) -> Reading:
        """Return the reading of a token as itself."""
        if self.words.is_plain(text):
            return Reading((text,), self.weights.spelled_out, literal=True)
        return Reading((text,), literal_cost(text, self.weights), literal=True, free=True)

    def _listed(self, text: str) -> Iterator[Reading]:
        """Yield the meanings that the list gives, likeliest first; of the singular for a plural."""
        abbreviation = self.words.abbreviations.get(text)
        plural = False
        if abbreviation is None and len(text) > 3 and text.endswith("s"):
            if self.words.is_plain(text):
                return
            abbreviation, plural = self.words.abbreviations.get(text[:-1]), True
        if abbreviation is None:
            return
        for rank, meaning in enumerate(abbreviation.meanings):
            words = _plural(meaning) if plural else meaning
            cost = self._listed_cost(text, rank, abbreviation)
            yield Reading(words, cost + self.names.inside(words))

    def _listed_cost(self, text: str, rank: int, abbreviation: Abbreviation) -> float:
        weights = self.weights
        cost = weights.listed + weights.listed_rank * rank
        if abbreviation.also_word:
            cost += weights.listed_word
        if len(text) == 2:
            cost += weights.listed_pair
        return cost

    def _guesses(self, text: str, beside_listed: float) -> Iterator[Reading]:
        """Yield the words that a token may be short for by its letters.

        `beside_listed`: what they cost more where the list has meanings too.
        """
        if len(text) > MAX_SHORT_LETTERS:
            return
        for word in self._index.holding(text):
            cost = self.shortening(text, word)
            if cost is None:
                continue
            cost += self.weights.guess + beside_listed
            if len(text) == 2:
                cost += self.weights.guess_pair
            if not self.names.stands_in_names(word):
                if len(text) < ENGLISH_MIN_LETTERS - 1:
                    continue
                cost += self.weights.english_guess
            yield Reading((word,), cost, guess=True)

    def _initials(self, text: str) -> Iterator[Reading]:
        """Yield the phrases that a token may be the initials of."""
        if len(text) > MAX_INITIALS:
            return
        for phrase in self.names.phrases.get(text, ()):
            yield Reading(phrase, self.weights.initials + self.names.inside(phrase), guess=True)
        if len(text) < 3:
            return
        for phrase in self.names.phrases.get(text[1:], ())[:MAX_PHRASES]:
            for word in self.names.before(phrase[0], text[0]):
                words = (word, *phrase)
                cost = self.weights.initials + self.weights.chained_initials
                yield Reading(words, cost + self.names.inside(words), guess=True)

    def _glued_letter(self, text: str) -> Iterator[Reading]:
        """Yield the readings of a token as an initial and a known rest: `pname`, `stuid`."""
        rest = text[1:]
        if len(rest) < 2 or not (self.words.is_plain(rest) or rest in self.words.abbreviations):
            return
        for reading in self.of(rest)[:3]:
            if reading.free:
                continue
            for word in self.names.before(reading.words[0], text[0]):
                cost = self.weights.letter + self.weights.glued_letter + reading.cost
                cost += self.names.cost(word, reading.words[0])
                yield Reading((word, *reading.words), cost, guess=True)

    def _likeliest(self, readings: list[Reading]) -> list[Reading]:
        def cost(reading: Reading) -> tuple[float, Words]:
            return reading.cost + self.names.alone(reading.words[0]), reading.words

        seen: set[Words] = set()
        kept: list[Reading] = []
        for reading in sorted(readings, key=cost):
            if reading.words not in seen:
                seen.add(reading.words)
                kept.append(reading)
        return kept[:MAX_KEPT]


def literal_cost(text: str, weights: Weights) -> float:
    """Return the cost of leaving an unknown token as it is, its place included."""
    if len(text) == 1:
        return weights.literal_mark
    letter = weights.spoken_letter if can_be_spoken(text) else weights.literal_letter
    return weights.literal + letter * len(text)


def _words_to_guess(words: Vocabulary, names: NameModel) -> list[str]:
    known = names.words()
    seen = set(known)
    return known + [
        word
        for word, rarity in words.rarity.items()
        if rarity <= ENGLISH_MAX_RARITY and len(word) >= ENGLISH_MIN_LETTERS and word not in seen
    ]


def _plural(meaning: Words) -> Words:
    word = meaning[-1]
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return (*meaning[:-1], word[:-1] + "ies")
    ending = "" if word.endswith("s") else "es" if word.endswith(("x", "ch", "sh")) else "s"
    return (*meaning[:-1], word + ending)
