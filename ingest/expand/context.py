"""What a table says about its own names: its words, the initials of its phrases, how plain it is.

A table and the tokens of its names come in, a TableContext goes out, which the reading of each of
its names is given.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ingest.expand.shortening import can_be_spoken
from ingest.expand.tokens import Token, split_name
from ingest.expand.vocabulary import Vocabulary, Words
from polaris_search.records import Column, RawTable

OWN_COST = 4.0
NAME_COST = 4.5
TEXT_COST = 4.8
SIBLING_COST = 5.5
"""Costs of a word in the column's comment, the table's name, its context, another of its names."""

NO_GAIN_COST = 7.0
"""Cost of a word that the table does not have; the difference is what having it gains."""

MAX_TEXT_WORDS = 2000
MAX_TEXT_CHARACTERS = 32_000
MIN_WORD_LETTERS = 4
COMMON_RARITY = 6.5
"""Words at least as common as this (that, with, have) say nothing about a table."""
MAX_INITIALS = 5

Tokens = tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class TableContext:
    """What a table says.

    `words`: first letter to word to cost. `acronyms`: initials to the words they stand for.
    `nouns`: the words of the table's name; `heads`: initial letter to the first that has it.
    `plainness`: the share of tokens that are words as they stand, 0 to 1. `mixed_case`: capitals
    mean something here.
    """

    plainness: float
    words: Mapping[str, Mapping[str, float]]
    acronyms: Mapping[str, Words]
    nouns: frozenset[str]
    heads: Mapping[str, str]
    mixed_case: bool

    def gain_of(self, word: str, own: Mapping[str, float]) -> float:
        """Return how much likelier a word is for what the table says of it, 0 for nothing.

        `own` holds the words of the column's own comment.
        """
        cost = own.get(word, self.words.get(word[0], {}).get(word, NO_GAIN_COST))
        return NO_GAIN_COST - cost


def table_context(table: RawTable, names: Sequence[Tokens], words: Vocabulary) -> TableContext:
    """Return what a table says; `names` are the tokens of its name, then of each column."""
    name, *columns = names
    tokens = [token for tokens in names for token in tokens if token.is_word]
    costs: dict[str, dict[str, float]] = {}
    texts = [table.context[kind] for kind in sorted(table.context)]
    texts += [column.comment for column in table.columns if column.comment]
    _put(
        costs, _telling((token.text for tokens in columns for token in tokens), words), SIBLING_COST
    )
    _put(costs, _telling_prose(texts, words), TEXT_COST)
    name_words = _telling((token.text for token in name), words)
    _put(costs, name_words, NAME_COST)
    return TableContext(
        plainness=_plainness(tokens, words),
        words=costs,
        acronyms=_acronyms(names, words),
        nouns=frozenset(name_words),
        heads={word[0]: word for word in reversed(name_words)},
        mixed_case=any(not token.upper for token in tokens),
    )


def with_name(context: TableContext, name: Words, words: Vocabulary) -> TableContext:
    """Return the context once more is known: what the table's own name means."""
    telling = _telling(name, words)
    costs = {letter: dict(found) for letter, found in context.words.items()}
    _put(costs, telling, NAME_COST)
    acronyms = dict(context.acronyms)
    _enter_runs(acronyms, tuple(telling))
    heads = {**context.heads, **{word[0]: word for word in reversed(telling)}}
    return replace(
        context, words=costs, acronyms=acronyms, nouns=context.nouns.union(telling), heads=heads
    )


def own_words(column: Column, words: Vocabulary) -> dict[str, float]:
    """Return the telling words of a column's comment, with costs: its name may be short for one."""
    if not column.comment:
        return {}
    return dict.fromkeys(_telling_prose([column.comment], words), OWN_COST)


def _telling_prose(texts: Sequence[str], words: Vocabulary) -> list[str]:
    """Return the telling words of prose, where an unknown word that can be spoken is a word too."""
    found = (token.text for text in texts for token in split_name(text[:MAX_TEXT_CHARACTERS]))
    first = list(islice(found, MAX_TEXT_WORDS))
    names = [word for word in first if _is_unlisted_word(word, words)]
    return names + _telling(first, words)


def _is_unlisted_word(word: str, words: Vocabulary) -> bool:
    unlisted = not words.is_plain(word) and word not in words.abbreviations
    return unlisted and word.isascii() and word.isalpha() and can_be_spoken(word)


def _telling(candidates: Iterable[str], words: Vocabulary) -> list[str]:
    return [_singular(word, words) for word in candidates if _is_telling(word, words)]


def _is_telling(word: str, words: Vocabulary) -> bool:
    if len(word) < MIN_WORD_LETTERS or word in words.abbreviations or not words.is_plain(word):
        return False
    return word in words.listed_cost or words.rarity[word] > COMMON_RARITY


def _singular(word: str, words: Vocabulary) -> str:
    """Return the singular of a plural, for a short form shows it when it stands for a plural."""
    if word in words.listed_cost or not word.endswith("s"):
        return word
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        stem = word.removesuffix(ending) + instead
        if word.endswith(ending) and stem in words.listed_cost:
            return stem
    return word[:-1] if words.is_plain(word[:-1]) else word


def _put(costs: dict[str, dict[str, float]], found: Iterable[str], cost: float) -> None:
    """Enter words at a cost; a cheaper place comes later and replaces it."""
    for word in found:
        costs.setdefault(word[0], {})[word] = cost


def _plainness(tokens: Sequence[Token], words: Vocabulary) -> float:
    long = [token.text for token in tokens if len(token.text) > 1]
    plain = sum(words.is_plain(text) for text in long)
    return plain / len(long) if long else 1.0


def _acronyms(names: Sequence[Tokens], words: Vocabulary) -> dict[str, Words]:
    """Return initials of neighbouring plain words: any run in the table's name, whole columns."""
    found: dict[str, Words] = {}
    for phrase in _plain_runs(names[0], words):
        _enter_runs(found, phrase)
    for tokens in names[1:]:
        for phrase in _plain_runs(tokens, words):
            if 2 < len(phrase) <= MAX_INITIALS:
                _enter(found, phrase)
    return found


def _enter_runs(found: dict[str, Words], phrase: Words) -> None:
    for start in range(len(phrase)):
        for end in range(start + 2, min(len(phrase), start + MAX_INITIALS) + 1):
            _enter(found, phrase[start:end])


def _enter(found: dict[str, Words], phrase: Words) -> None:
    found.setdefault("".join(word[0] for word in phrase), phrase)


def _plain_runs(tokens: Tokens, words: Vocabulary) -> list[Words]:
    runs: list[list[str]] = [[]]
    for token in tokens:
        if len(token.text) > 2 and token.is_word and words.is_plain(token.text):
            runs[-1].append(token.text)
        else:
            runs.append([])
    return [tuple(run) for run in runs if len(run) > 1]
