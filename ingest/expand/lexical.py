"""Expand a table's names to English without a model: word lists, the table's own words, a glossary.

A raw table comes in, an Expansion goes out; equal tables, word lists and glossaries give equal
expansions. No network, no randomness; what is remembered between tables only saves time.
"""

from functools import cached_property

from ingest.expand.candidates import Candidates
from ingest.expand.compounds import join_compounds
from ingest.expand.confidence import confidence, plain_share
from ingest.expand.context import Tokens
from ingest.expand.glossary import Glossary
from ingest.expand.name_model import NameModel
from ingest.expand.name_reading import NameReading, Path, name_reading
from ingest.expand.table_reading import read_table
from ingest.expand.tokens import Token, split_name
from ingest.expand.vocabulary import vocabulary
from ingest.expand.weights import Weights, fitted_weights
from polaris_search.records import Expansion, RawTable, content_hash

RULES_VERSION = "2"
"""Raise with every change of the rules that can change an expansion."""


SIGN = "#"
NUMBER = Token(SIGN, upper=False, joined=False, meaning=("number",))
NUMBER_OF = Token(SIGN, upper=False, joined=False, meaning=("number", "of"))
"""What a leading sign says: `# of orders`, `#_Orders`."""


class LexicalExpander:
    """The Expander that needs no model. One thread at a time."""

    name = "lexical"

    def __init__(self, glossary: Glossary | None = None, weights: Weights | None = None) -> None:
        self._glossary = glossary or Glossary()
        self._weights = weights or fitted_weights()
        self._words = vocabulary()
        words = self._words
        self._names = NameModel(words.names, words.listed_cost, words.rarity, self._weights)
        self._candidates = Candidates(words, self._names, self._weights)

    @cached_property
    def version(self) -> str:
        """A hash over rules, word lists and glossary."""
        return content_hash(RULES_VERSION, self._words.fingerprint, self._glossary.fingerprint)

    def expand(self, table: RawTable) -> Expansion:
        """Return the English of the table's names in lower case; a plain name comes back split.

        A name without letters and digits gives an empty text.
        """
        name, *columns = (" ".join(reading.words) for reading in self.read(table))
        return Expansion(name, tuple(columns))

    def read(self, table: RawTable) -> tuple[NameReading, ...]:
        """Return how the table's name is read, then each column's in order."""
        read = self.whole_readings(table)
        plain = plain_share(read)
        return tuple(name_reading(paths, confidence(paths, plain, self._weights)) for paths in read)

    def whole_readings(self, table: RawTable) -> list[list[Path]]:
        """Return the whole readings of the table's name, then of each column's, likeliest first."""
        texts = (table.name, *(column.name for column in table.columns))
        names = [self.tokens(text) for text in texts]
        spoken = any(map(_is_spoken, texts))
        return read_table(table, names, self._candidates, spoken=spoken)

    def tokens(self, name: str) -> Tokens:
        """Return a name's tokens as they are read, those that the glossary explains with it."""
        tokens = join_compounds(self._glossary.apply(split_name(name)), self._words)
        if not tokens or not name.lstrip().startswith(SIGN):
            return tokens
        return (NUMBER if tokens[0].text == "of" else NUMBER_OF, *tokens)


def _is_spoken(name: str) -> bool:
    return any(map(str.isspace, name.strip()))
