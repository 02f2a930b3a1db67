"""One name that a model may be asked about: its tokens, those that are open, what is read of it.

A name and its lexical reading come in. A token is open where a model may say what it means; what
the glossary says, numbers, other scripts and plain words are not for a model to change. Pure.
"""

from dataclasses import dataclass
from functools import cached_property

from ingest.expand.name_reading import NameReading, Words
from ingest.expand.tokens import Token
from ingest.expand.vocabulary import vocabulary


@dataclass(frozen=True)
class AskedName:
    """A name as given, its tokens in order, the lexical reading of it, and its comment."""

    text: str
    tokens: tuple[Token, ...]
    reading: NameReading
    comment: str = ""

    @cached_property
    def open_tokens(self) -> tuple[str, ...]:
        """The tokens whose meaning is a question, in order."""
        return tuple(token.text for token in self.tokens if is_open(token))

    def with_meanings(self, meanings: tuple[Words, ...]) -> Words:
        """Return the whole name's words; `meanings` runs parallel to `open_tokens`."""
        given = iter(meanings)
        words: list[str] = []
        for token in self.tokens:
            words += next(given) if is_open(token) else token.meaning or (token.text,)
        return tuple(words)


def is_open(token: Token) -> bool:
    """Return whether a model may say what the token means."""
    if not token.is_word:
        return False
    words = vocabulary()
    is_initial = len(token.text) == 1
    return is_initial or token.text in words.abbreviations or not words.is_plain(token.text)
