"""Read all names of one table: each by itself, then again by what the others were read as.

A table's tokens come in, whole readings of each name go out. The same piece means the same in all
names of a table, mostly: each name votes for what its pieces mean.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from ingest.expand.candidates import Candidates
from ingest.expand.context import (
    MAX_CODE_LETTERS,
    NO_COMMENT,
    Comment,
    TableContext,
    Tokens,
    comment_of,
    table_context,
    with_name,
    with_read,
)
from ingest.expand.name_model import FUNCTION_WORDS
from ingest.expand.name_reading import Path, chances, words_of
from ingest.expand.reading import Reading
from ingest.expand.readings import Place, is_shown, readings
from ingest.expand.sequence import Places, whole_readings
from ingest.expand.tokens import Token
from ingest.expand.vocabulary import Words
from polaris_search.records import RawTable

MAX_OPEN_TOKENS = 40
"""Tokens of one name that are read; later ones stay as they are."""
UNLIKELY = 0.25
"""The chance below which nothing is guessed, and pairs of letters are left alone too."""
MIN_SURE_LETTERS = 3
SURE = 0.8
"""The chance from which the words of one name count in the reading of the others."""
MAX_BESIDE = 4
"""Readings of a neighbour that a lone letter is read by."""

Votes = Mapping[str, Mapping[Words, float]]
Choices = Sequence[Sequence[Reading]]


def read_table(
    table: RawTable, names: Sequence[Tokens], candidates: Candidates, *, spoken: bool
) -> list[list[Path]]:
    """Return the whole readings of the table's name and of each column's, likeliest first.

    `names` are the tokens of its name, then of each column. `spoken`: some of its names have
    blanks.
    """
    words, weights = candidates.words, candidates.weights
    reader = _Reader(candidates, spoken=spoken)
    context = table_context(table, names, words, candidates.topics, weights)
    named = reader.read(names[0], context, NO_COMMENT)
    context = with_name(context, words_of(named[0]), words, weights)
    owns = [NO_COMMENT, *(comment_of(column, words, weights) for column in table.columns)]
    first = [reader.read(tokens, context, own) for tokens, own in zip(names, owns, strict=True)]
    again = with_read(context, _sure_words(first), words, candidates.topics, weights)
    votes = _votes(names, first)
    letters = {word[0] for word in again.costs.keys() - context.costs.keys()}
    read = [
        reader.read(tokens, again, own, votes)
        if len(paths) > 1 and _is_told_more(paths[0], tokens, votes, letters)
        else paths
        for tokens, own, paths in zip(names, owns, first, strict=True)
    ]
    return [_unless_unlikely(paths, tokens) for tokens, paths in zip(names, read, strict=True)]


def _unless_unlikely(paths: list[Path], tokens: Tokens) -> list[Path]:
    """Return the whole readings, first the one that guesses nothing where the first is unlikely."""
    if len(paths) == 1 or chances(paths)[0] > UNLIKELY:
        return paths
    cost, taken = paths[0]
    left_alone = tuple(
        Reading((token.text,), 0.0, literal=True, free=True)
        if reading.guess or (len(token.text) < MIN_SURE_LETTERS and not token.meaning)
        else reading
        for token, reading in zip(tokens, taken, strict=True)
    )
    return [(cost, left_alone), *paths]


def _is_told_more(path: Path, tokens: Tokens, votes: Votes, letters: AbstractSet[str]) -> bool:
    """Whether other names speak for another reading, or have words that a guess could be."""
    return any(
        _is_outvoted(reading, votes.get(token.text))
        or ((reading.free or not reading.literal) and token.text[0] in letters)
        for token, reading in zip(tokens, path[1], strict=True)
    )


def _is_outvoted(reading: Reading, votes: Mapping[Words, float] | None) -> bool:
    return votes is not None and max(votes.values()) > votes.get(reading.words, 0.0)


class _Reader:
    """Reads single names."""

    def __init__(self, candidates: Candidates, *, spoken: bool) -> None:
        self._candidates = candidates
        self._spoken = spoken

    def read(
        self,
        tokens: Tokens,
        context: TableContext,
        own: Comment,
        votes: Votes | None = None,
    ) -> list[Path]:
        """Return the whole readings of a name, likeliest first."""
        read, left = tokens[:MAX_OPEN_TOKENS], tokens[MAX_OPEN_TOKENS:]
        phrase = any(token.text in FUNCTION_WORDS for token in read)
        choices = [
            readings(token, self._candidates, context, own, self._place(read, index, phrase=phrase))
            for index, token in enumerate(read)
        ]
        rest = tuple(Reading(token.meaning or (token.text,), 0.0) for token in left)
        if all(len(found) == 1 for found in choices):
            return [(0.0, tuple(found[0] for found in choices) + rest)]
        if votes:
            choices = [
                self._voted(found, votes.get(token.text))
                for token, found in zip(read, choices, strict=True)
            ]
        paths = whole_readings(choices, self._places(context, own))
        return [(cost, taken + rest) for cost, taken in paths] if rest else paths

    def _only_reading(self, token: Token, context: TableContext) -> Sequence[Reading]:
        """Return the reading of a plain word that can be nothing else, none for other tokens."""
        if not token.is_word or is_shown(token, context):
            return ()
        found = self._candidates.of(token.text)
        return found if len(found) == 1 and self._candidates.words.is_plain(token.text) else ()

    def _places(self, context: TableContext, own: Comment) -> Places:
        weights = self._candidates.weights
        return Places(
            self._candidates.names,
            {**context.costs, **own.costs} if own.costs else context.costs,
            context.nouns,
            context.pairs,
            context.topic.pairs,
            weights,
            {} if own.costs else context.kept,
        )

    def _voted(
        self, found: Sequence[Reading], votes: Mapping[Words, float] | None
    ) -> Sequence[Reading]:
        if not votes:
            return found
        gain = self._candidates.weights.vote
        return [
            reading.at(reading.cost - gain * votes.get(reading.words, 0.0)) for reading in found
        ]

    def _place(self, tokens: Tokens, index: int, *, phrase: bool) -> Place:
        token = tokens[index]
        last = index + 1 == len(tokens)
        alone = len(token.text) == 1 and token.is_word
        return Place(
            first=index == 0,
            last=last,
            spoken=self._spoken,
            after_digits=token.joined and tokens[index - 1].text.isdecimal(),
            before_digits=not last
            and tokens[index + 1].joined
            and tokens[index + 1].text.isdecimal(),
            code=len(tokens) == 1 and len(token.text) <= MAX_CODE_LETTERS,
            phrase=phrase,
            before=self._beside(tokens[index - 1], -1) if alone and index else (),
            after=self._beside(tokens[index + 1], 0) if alone and not last else (),
        )

    def _beside(self, token: Token, end: int) -> Words:
        """Return the words that a token's likeliest readings end or begin with."""
        if token.meaning:
            return (token.meaning[end],)
        if not token.is_word or len(token.text) == 1:
            return ()
        found = self._candidates.of(token.text)[:MAX_BESIDE]
        return tuple(reading.words[end] for reading in found)


def _votes(names: Sequence[Tokens], read: Sequence[list[Path]]) -> Votes:
    """Return what the names say of each piece that several have: the chance of each reading."""
    votes: dict[str, dict[Words, float]] = {}
    counts: dict[str, int] = {}
    for tokens, paths in zip(names, read, strict=True):
        if len(paths) == 1:
            continue
        for token in tokens:
            counts[token.text] = counts.get(token.text, 0) + 1
        for chance, (_, taken) in zip(chances(paths), paths, strict=True):
            for token, reading in zip(tokens, taken, strict=True):
                given = votes.setdefault(token.text, {})
                given[reading.words] = given.get(reading.words, 0.0) + chance
    return {
        text: {words: vote / (counts[text] + 1) for words, vote in given.items()}
        for text, given in votes.items()
        if counts[text] > 1
    }


def _sure_words(read: Sequence[list[Path]]) -> list[str]:
    """Return the words that were read where nothing else is likely."""
    return [
        word
        for paths in read
        if len(paths) > 1 and chances(paths)[0] > SURE
        for reading in paths[0][1]
        if not reading.literal
        for word in reading.words
    ]
