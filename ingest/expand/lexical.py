"""Expand a table's names to English without a model: word lists, the table's own words, a glossary.

A raw table comes in, an Expansion goes out; equal tables, word lists and glossaries give equal
expansions. No network, no randomness; what is remembered between tables only saves time.
"""

from collections.abc import Mapping
from functools import cached_property

from ingest.expand.candidates import Candidates
from ingest.expand.compounds import join_compounds
from ingest.expand.context import TableContext, Tokens, own_words, table_context, with_name
from ingest.expand.glossary import Glossary
from ingest.expand.readings import Place, readings
from ingest.expand.sequence import Phrases, likeliest
from ingest.expand.tokens import split_name
from ingest.expand.vocabulary import Vocabulary, Words, vocabulary
from polaris_search.records import Expansion, RawTable, content_hash

RULES_VERSION = "1"
"""Raise with every change of the rules that can change an expansion."""


class LexicalExpander:
    """The Expander that needs no model. One thread at a time."""

    name = "lexical"

    def __init__(self, glossary: Glossary | None = None) -> None:
        self._glossary = glossary or Glossary()

    @cached_property
    def version(self) -> str:
        """A hash over rules, word lists and glossary."""
        return content_hash(RULES_VERSION, self._words.fingerprint, self._glossary.fingerprint)

    def expand(self, table: RawTable) -> Expansion:
        """Return the English of the table's names in lower case; a plain name comes back split.

        A name without letters and digits gives an empty text.
        """
        name, *columns = (self._tokens(text) for text in (table.name, *_column_names(table)))
        spoken = any(map(_is_spoken, (table.name, *_column_names(table))))
        context = table_context(table, [name, *columns], self._words)
        name_words = self._expand(name, context, {}, spoken=spoken)
        context = with_name(context, name_words, self._words)
        expanded = (
            self._expand(tokens, context, own_words(column, self._words), spoken=spoken)
            for column, tokens in zip(table.columns, columns, strict=True)
        )
        return Expansion(" ".join(name_words), tuple(" ".join(words) for words in expanded))

    @cached_property
    def _words(self) -> Vocabulary:
        return vocabulary()

    @cached_property
    def _candidates(self) -> Candidates:
        return Candidates(self._words)

    def _tokens(self, name: str) -> Tokens:
        return join_compounds(self._glossary.apply(split_name(name)), self._words)

    def _expand(
        self, tokens: Tokens, context: TableContext, own: Mapping[str, float], *, spoken: bool
    ) -> Words:
        places = [_place(tokens, index, spoken=spoken) for index in range(len(tokens))]
        choices = [
            readings(token, self._candidates, context, own, place)
            for token, place in zip(tokens, places, strict=True)
        ]
        return likeliest(choices, Phrases(self._words.phrases, context.nouns))


def _is_spoken(name: str) -> bool:
    return any(map(str.isspace, name.strip()))


def _column_names(table: RawTable) -> list[str]:
    return [column.name for column in table.columns]


def _place(tokens: Tokens, index: int, *, spoken: bool) -> Place:
    last = index + 1 == len(tokens)
    return Place(
        first=index == 0,
        last=last,
        spoken=spoken,
        after_digits=tokens[index].joined and tokens[index - 1].text.isdecimal(),
        before_digits=not last and tokens[index + 1].joined and tokens[index + 1].text.isdecimal(),
    )
