"""What a table says about its own names: its words, the initials of its phrases, how plain it is.

A table and the tokens of its names come in, a TableContext goes out, which the reading of each of
its names is given.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice, pairwise

from ingest.expand.definitions import defined_in
from ingest.expand.opposites import opposites
from ingest.expand.shortening import can_be_spoken
from ingest.expand.tokens import Token, split_name
from ingest.expand.topics import Topic, Topics
from ingest.expand.vocabulary import Vocabulary, Words
from ingest.expand.weights import Weights
from polaris_search.records import Column, RawTable

MAX_TEXT_WORDS = 2000
MAX_TEXT_CHARACTERS = 32_000
MIN_WORD_LETTERS = 4
COMMON_RARITY = 6.5
"""Words at least as common as this (that, with, have) say nothing about a table."""
MAX_INITIALS = 5
MAX_CODE_LETTERS = 3
MIN_NAME_LETTERS = 3

Tokens = tuple[Token, ...]


@dataclass(frozen=True)
class TableContext:
    """What a table says.

    `plain`: how much its names speak for leaving short forms alone, 0 to 1. `against_words`: what
    a word left alone costs more where most names are short forms.
    `costs`: its words to what they cost in its names. `acronyms`: initials to the words they stand
    for; `defined`: those that its texts explain. `opposites`: prefixes and their words. `nouns`:
    the telling words of the table's name; `name`: all but the shortest. `pairs`: neighbours in its
    plain names. `topic`: what tables of its kind have. `mixed_case`: capitals mean something here.
    `kept`: what places cost, once known.
    """

    plain: float
    against_words: float
    costs: Mapping[str, float]
    acronyms: Mapping[str, Words]
    defined: Mapping[str, Words]
    opposites: Mapping[str, str]
    nouns: Words
    name: Words
    pairs: frozenset[tuple[str, str]]
    topic: Topic
    mixed_case: bool
    kept: dict[tuple[str, str], float] = field(default_factory=dict)

    @cached_property
    def by_letter(self) -> Mapping[str, list[str]]:
        """The words of the table by first letter."""
        return _by_letter(self.costs)

    @cached_property
    def heads(self) -> Mapping[str, str]:
        """The first word of the table's name that begins with a letter, by letter."""
        return {word[0]: word for word in reversed((*self.nouns, *self.name))}


def table_context(
    table: RawTable,
    names: Sequence[Tokens],
    words: Vocabulary,
    topics: Topics,
    weights: Weights,
) -> TableContext:
    """Return what a table says; `names` are the tokens of its name, then of each column."""
    name, *columns = names
    texts = [table.context[kind] for kind in sorted(table.context)]
    texts += [column.comment for column in table.columns if column.comment]
    siblings = _telling((token.text for token in chain.from_iterable(columns)), words)
    nouns = _telling((token.text for token in name), words)
    runs = [run for tokens in columns for run in _plain_runs(tokens, words)]
    topic = topics.of({*siblings, *nouns})
    costs = dict.fromkeys(topic.words, weights.topic_word)
    costs.update(dict.fromkeys(siblings, weights.sibling_word))
    costs.update(dict.fromkeys(_telling_prose(texts, words), weights.text_word))
    costs.update(dict.fromkeys(nouns, weights.name_word))
    plainness = _plainness(names, words)
    plain = max(0.0, plainness - weights.plain_from) / (1 - weights.plain_from)
    return TableContext(
        plain=plain,
        against_words=weights.abbreviated_table * max(0.0, 1 - 2 * plainness),
        costs=costs,
        acronyms=_acronyms(_plain_runs(name, words), runs),
        defined=defined_in(texts),
        opposites=opposites(columns),
        nouns=tuple(dict.fromkeys(nouns)),
        name=(),
        pairs=frozenset(pair for run in runs for pair in pairwise(run)),
        topic=topic,
        mixed_case=any(not token.upper for tokens in names for token in tokens if token.is_word),
    )


def with_name(
    context: TableContext, name: Words, words: Vocabulary, weights: Weights
) -> TableContext:
    """Return the context once more is known: what the table's own name means."""
    nouns = _telling(name, words)
    whole = [word for word in name if len(word) >= MIN_NAME_LETTERS and word.isalpha()]
    acronyms = dict(context.acronyms)
    _enter_runs(acronyms, tuple(nouns))
    return replace(
        context,
        costs={**context.costs, **dict.fromkeys((*whole, *nouns), weights.name_word)},
        acronyms=acronyms,
        nouns=tuple(dict.fromkeys((*context.nouns, *nouns))),
        name=tuple(whole),
        kept={},
    )


def with_read(
    context: TableContext,
    read: Iterable[str],
    words: Vocabulary,
    topics: Topics,
    weights: Weights,
) -> TableContext:
    """Return the context once more is known: words that other names of the table stand for."""
    siblings = dict.fromkeys(_telling(read, words), weights.sibling_word)
    known = {word: cost for word, cost in context.costs.items() if word not in context.topic.words}
    topic = topics.of({*siblings, *known})
    costs = {**dict.fromkeys(topic.words, weights.topic_word), **siblings, **known}
    return replace(context, costs=costs, topic=topic, kept={})


@dataclass(frozen=True, slots=True)
class Comment:
    """What a column's own comment says: its telling words with their costs, and the comment."""

    costs: Mapping[str, float]
    text: str = ""


NO_COMMENT = Comment({})


def comment_of(column: Column, words: Vocabulary, weights: Weights) -> Comment:
    """Return what a column's comment says: its name may be short for words of it."""
    if not column.comment:
        return NO_COMMENT
    costs = dict.fromkeys(_telling_prose([column.comment], words), weights.own_word)
    return Comment(costs, column.comment)


def _by_letter(costs: Mapping[str, float]) -> dict[str, list[str]]:
    letters: dict[str, list[str]] = {}
    for word in costs:
        letters.setdefault(word[0], []).append(word)
    return letters


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


def _plainness(names: Sequence[Tokens], words: Vocabulary) -> float:
    """Return the share of tokens that are words as they stand, 0 to 1.

    A short name of one token is left out: codes stand among names that are written in full. So is
    `id`, which stands everywhere.
    """
    telling = [
        token.text
        for tokens in names
        for token in tokens
        if token.is_word
        and token.text != "id"
        and (len(tokens) > 1 or len(token.text) > MAX_CODE_LETTERS)
    ]
    return sum(map(words.is_plain, telling)) / len(telling) if telling else 1.0


def _acronyms(name: Sequence[Words], columns: Sequence[Words]) -> dict[str, Words]:
    """Return initials of neighbouring plain words: any run in the table's name, whole columns."""
    found: dict[str, Words] = {}
    for phrase in name:
        _enter_runs(found, phrase)
    for phrase in columns:
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
