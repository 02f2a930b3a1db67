"""Which of a table's names a model is asked about, and what the table's names are by its answers.

A table and the lexical readings of its names come in. Equal names of a table are one question.
Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import ceil

from ingest.expand.lexical import LexicalExpander
from ingest.expand.name_reading import NameReading, Words
from ingest.expand_llm.asked_name import AskedName
from ingest.expand_llm.design import Design
from ingest.expand_llm.prompt import Subject, subject_of_columns, subject_of_name
from polaris_search.records import RawTable

COLUMNS_A_CALL = 10
"""The paper's (appendix A.1)."""
MAX_COLUMNS_SHOWN = 25
"""Of a table whose own name is asked about: the paper's (appendix A.1)."""
MAX_ASKED = 1_000
"""Different names of one table: 100 requests. A wider table is generated, and its names count
up; what it has beyond these stays lexical."""

Answers = Mapping[AskedName, Words]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask about one table.

    Attributes:
        table: the table.
        readings: what the lexical expander reads: its name, then each column.
        columns: the different names to ask about, in order.
        places: for each column of the table, the index of its name in `columns`, None for those
            that stay lexical.
        name: the table's own name, None where it is not asked about.
        left_out: columns that would have been asked about but for MAX_ASKED.
    """

    table: RawTable
    readings: Sequence[NameReading]
    columns: tuple[AskedName, ...]
    places: tuple[int | None, ...]
    name: AskedName | None
    left_out: int

    @property
    def asked(self) -> int:
        """How many columns of the table are asked about."""
        return len(self.places) - self.sure

    @property
    def sure(self) -> int:
        """How many columns are left to the lexical reading."""
        return self.places.count(None)

    @property
    def has_questions(self) -> bool:
        """Whether there is anything to ask."""
        return bool(self.columns) or self.name is not None

    def without_questions(self) -> "Plan":
        """Return the plan that leaves every name to the lexical reading."""
        return replace(self, columns=(), places=(None,) * len(self.places), name=None)

    @property
    def calls_for_all(self) -> int:
        """How many requests it would take to ask about every name of the table."""
        return ceil(len(self.places) / COLUMNS_A_CALL) + bool(self.table.name.strip())

    def columns_subject(self) -> Subject:
        """Return what the table is about, for who is asked about its columns."""
        pairs = zip(self.readings[1:], self.places, strict=True)
        beside = (" ".join(reading.words) for reading, place in pairs if place is None)
        return subject_of_columns(self.table, _shown(beside))

    def column_texts(self, answers: Answers) -> tuple[str, ...]:
        """Return what each column means by the answers, and by the lexical reading elsewhere."""
        pairs = zip(self.readings[1:], self.places, strict=True)
        words = (
            reading.words if place is None else answers.get(self.columns[place], reading.words)
            for reading, place in pairs
        )
        return tuple(map(" ".join, words))

    def name_subject(self, column_texts: Iterable[str]) -> Subject:
        """Return what the table is about, for who is asked about its own name."""
        return subject_of_name(self.table, _shown(column_texts))


def plan_of(
    table: RawTable,
    readings: Sequence[NameReading],
    design: Design,
    lexical: LexicalExpander,
    sure_from: float | None,
) -> Plan:
    """Return what to ask about a table.

    Args:
        table: the table.
        readings: of its name, then of each column.
        design: how it will be asked.
        lexical: who read them; tells the tokens of a name.
        sure_from: readings at least this confident are not asked about; None: all are.
    """

    def wanted(text: str, reading: NameReading, comment: str = "") -> AskedName | None:
        if sure_from is not None and reading.confidence >= sure_from:
            return None
        name = AskedName(text, lexical.tokens(text), reading, comment)
        return name if name.open_tokens and design.can_ask(name) else None

    wanted_of = [
        wanted(column.name, reading, column.comment or "")
        for column, reading in zip(table.columns, readings[1:], strict=True)
    ]
    different: dict[tuple[str, str], AskedName] = {}
    for name in filter(None, wanted_of):
        different.setdefault((name.text, name.comment), name)
    numbers = {key: number for number, key in enumerate(islice(different, MAX_ASKED))}
    places = tuple(
        None if name is None else numbers.get((name.text, name.comment)) for name in wanted_of
    )
    return Plan(
        table=table,
        readings=readings,
        columns=tuple(islice(different.values(), MAX_ASKED)),
        places=places,
        name=wanted(table.name, readings[0]),
        left_out=places.count(None) - wanted_of.count(None),
    )


def batches(names: Sequence[AskedName]) -> list[Sequence[AskedName]]:
    """Return the names in the portions of one request each."""
    return [names[start : start + COLUMNS_A_CALL] for start in range(0, len(names), COLUMNS_A_CALL)]


def _shown(texts: Iterable[str]) -> Iterable[str]:
    return islice(texts, MAX_COLUMNS_SHOWN)
