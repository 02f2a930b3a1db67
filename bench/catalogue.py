"""Made-up tables shaped as in the catalogue of a large organisation, from a seed.

Most names are abbreviations, with their expansions beside; the number of columns falls by a
log-normal law (median 10, one table in a thousand above 120); most columns have a type, some a
comment; every table has a title, most have notes; a description, where there is one, has about 200
words. The words are those of zipf_tables.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from zipf_tables import DESCRIPTION_FIELDS, DESCRIPTION_WORDS, FUNCTION_WORDS, N_COLUMNS, Words

from polaris_search.records import (
    Column,
    Description,
    EnrichedTable,
    Expansion,
    Provenance,
    RawTable,
)

TYPES = ("varchar", "integer", "numeric", "date", "timestamp", "boolean")
N_TABLE_NAMES = 60_000
MEDIAN_COLUMNS, SPREAD, MOST_COLUMNS = 10, 0.8, 400
SHARE_ABBREVIATED, SHARE_TYPED, SHARE_COMMENTED, SHARE_NOTED = 0.6, 0.8, 0.2, 0.7
VOWELS = "aeiou"


@dataclass(frozen=True)
class Name:
    """A name as a source gives it, and its English."""

    given: str
    english: str


class Catalogue:
    """Tables one after the other; two catalogues of the same seed and share give the same.

    Args:
        seed: of all that is drawn.
        described: share of the tables that have a description.
        words: what names and texts are made of; None: made-up words from the seed.
    """

    def __init__(self, seed: int, described: float = 1.0, words: Words | None = None) -> None:
        self.words = words or Words(seed)
        self._described = described
        self._columns = [self._name(self.words.number(1, 3)) for _ in range(N_COLUMNS)]
        self._tables = [self._name(self.words.number(2, 3)) for _ in range(N_TABLE_NAMES)]
        self._made = 0

    def tables(self, count: int) -> Iterator[EnrichedTable]:
        """Yield so many further tables, ids ascending over all calls."""
        for _ in range(count):
            self._made += 1
            yield self._table(self._made - 1)

    def _table(self, number: int) -> EnrichedTable:
        words = self.words
        (name,) = words.pick(self._tables, 1)
        columns = words.pick(self._columns, words.size(MEDIAN_COLUMNS, SPREAD, MOST_COLUMNS))
        context = {"title": " ".join(words.draw(10))}
        if words.chance(SHARE_NOTED):
            context["notes"] = " ".join(words.draw(words.size(20, 0.7, 400)))
        raw = RawTable(
            table_id=f"db{number % 997}.table_{number:09d}",
            name=name.given,
            columns=tuple(map(self._column, columns)),
            context=context,
            source=f"source-{number % 10}",
            database=f"db{number % 997}",
            format=("csv", "parquet", "sql")[number % 3],
        )
        expansion = Expansion(name.english, tuple(column.english for column in columns))
        input_hash = f"{number:064x}"
        if not words.chance(self._described):
            return EnrichedTable(raw, Provenance(input_hash, "lexical"), expansion)
        provenance = Provenance(input_hash, "lexical", model="made-up", status="described")
        description = Description(*(self._text() for _ in range(DESCRIPTION_FIELDS)))
        return EnrichedTable(raw, provenance, expansion, description)

    def _column(self, name: Name) -> Column:
        type_ = TYPES[len(name.given) % len(TYPES)] if self.words.chance(SHARE_TYPED) else None
        comment = " ".join(self.words.draw(6)) if self.words.chance(SHARE_COMMENTED) else None
        return Column(name.given, type_, comment)

    def _text(self) -> str:
        share = DESCRIPTION_WORDS // DESCRIPTION_FIELDS
        words = self.words.draw(self.words.number(share - 10, share + 14))
        return " ".join(words).capitalize() + "."

    def _name(self, n_words: int) -> Name:
        words = self.words.draw(n_words, skip=len(FUNCTION_WORDS))
        abbreviated = self.words.chance(SHARE_ABBREVIATED)
        parts = [_abbreviated(word) if abbreviated else word for word in words]
        style = self.words.number(1, 3)
        given = "_".join(parts) if style > 1 else "".join(part.title() for part in parts)
        return Name(given.upper() if style == 3 else given, " ".join(words))


def _abbreviated(word: str) -> str:
    """Return the word as `customer` becomes `cstm`."""
    consonants = [letter for letter in word[1:] if letter not in VOWELS]
    return (word[0] + "".join(consonants))[:4]
