"""Stand-ins for the parts of the product that are slow, random or far away."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from ingest.estimate import Estimate
from ingest.steps import DescribeOutcome, ExpandOutcome
from polaris_search.records import Description, EnrichedTable, Expansion, RawTable, TableState
from polaris_search.store.protocol import Refused, WriteReport


class FakeStore:
    """Keeps tables in a dict; `written` holds the ids of every put, `refuses` those it won't take.

    It searches nothing: a test of searching uses the embedded store.
    """

    def __init__(self, refuses: Iterable[str] = ()) -> None:
        self.kept: dict[str, EnrichedTable] = {}
        self.written: list[list[str]] = []
        self.refreshed = 0
        self._refuses = set(refuses)

    def put(self, tables: Iterable[EnrichedTable]) -> WriteReport:
        given = list(tables)
        good = [table for table in given if table.table_id not in self._refuses]
        self.kept |= {table.table_id: table for table in good}
        self.written.append([table.table_id for table in good])
        refused = [
            Refused(table.table_id, "The table is too odd. Make it even.")
            for table in given
            if table.table_id in self._refuses
        ]
        return WriteReport(len(good), tuple(refused))

    def refresh(self) -> None:
        self.refreshed += 1

    def get(self, table_ids: Sequence[str]) -> dict[str, EnrichedTable]:
        return {key: self.kept[key] for key in table_ids if key in self.kept}

    def states(self, table_ids: Sequence[str]) -> dict[str, TableState]:
        return {
            key: TableState(table.provenance.input_hash, table.provenance.status)
            for key, table in self.get(table_ids).items()
        }

    def delete(self, table_ids: Sequence[str]) -> int:
        return sum(self.kept.pop(key, None) is not None for key in table_ids)

    def table_ids(self):
        yield from sorted(self.kept)

    def tables(self):
        yield from (self.kept[key] for key in sorted(self.kept))


class FakeExpander:
    """Expands each name to `word` and the name; `asked` holds the ids it was asked about."""

    name = "fake"

    def __init__(self, version: str = "1", word: str = "english") -> None:
        self.version = version
        self.asked: list[str] = []
        self._word = word

    def expand(self, table: RawTable) -> Expansion | None:
        self.asked.append(table.table_id)
        columns = tuple(f"{self._word} {column.name}" for column in table.columns)
        return Expansion(f"{self._word} {table.name}", columns)


class FakeModelExpander:
    """Names each table by a model, `start` being the version of the expander that it starts from.

    It asks one call a table and one for each ten columns. `asked` holds the ids it was asked about,
    `failing` maps an id, or "*" for all, to the reason why it fails. `notices` come with each
    expansion.
    """

    def __init__(
        self,
        start: str = "1",
        own: str = "a",
        word: str = "model",
        failing: dict[str, str] | None = None,
        notices: tuple[str, ...] = (),
        name: str = "llm",
    ) -> None:
        self.name = name
        self.version = f"{start}-{own}"
        self.asked: list[str] = []
        self.closed = 0
        self._word = word
        self._failing = failing or {}
        self._notices = notices

    async def expand(self, table: RawTable) -> ExpandOutcome:
        self.asked.append(table.table_id)
        await asyncio.sleep(0)
        reason = self._failing.get(table.table_id, self._failing.get("*"))
        if reason:
            return ExpandOutcome(None, reason, asked=len(table.columns), prompt_tokens=7)
        columns = tuple(f"{self._word} {column.name}" for column in table.columns)
        return ExpandOutcome(
            Expansion(f"{self._word} {table.name}", columns),
            asked=len(columns),
            sure=0,
            calls=2,
            saved_calls=1,
            prompt_tokens=7,
            completion_tokens=3,
            notices=self._notices,
        )

    def estimate(self, table: RawTable) -> Estimate:
        return Estimate(1, 2, 30, 7, 3)

    async def close(self) -> None:
        self.closed += 1


class FakeDescriber:
    """Describes each table by its own version and the names it was given.

    `asked` holds the ids in the order they were asked about, `at_once` the most that were asked
    about at a time. `failing` maps an id, or "*" for all, to the reason why it fails. `notices`
    come with each description.
    """

    model = "fake-model"
    adapter = None
    prompt_version = "prompt-1"

    def __init__(
        self,
        version: str = "1",
        failing: dict[str, str] | None = None,
        notices: tuple[str, ...] = (),
    ) -> None:
        self._notices = notices
        self.version = version
        self.asked: list[str] = []
        self.estimated: list[tuple[str, str | None]] = []
        self.at_once = 0
        self.closed = 0
        self._failing = failing or {}
        self._open = 0

    async def describe(self, table: RawTable, expansion: Expansion | None) -> DescribeOutcome:
        self.asked.append(table.table_id)
        self._open += 1
        self.at_once = max(self.at_once, self._open)
        await asyncio.sleep(0)  # lets the others in, as waiting for a server does
        self._open -= 1
        reason = self._failing.get(table.table_id, self._failing.get("*"))
        if reason:
            return DescribeOutcome(None, reason, prompt_tokens=10)
        overview = f"{expansion.name if expansion else table.name} by {self.version}"
        return DescribeOutcome(
            Description(overview, "", "", "", "", ""),
            prompt_tokens=10,
            completion_tokens=5,
            notices=self._notices,
        )

    def estimate(self, table: RawTable, expansion: Expansion | None) -> Estimate:
        self.estimated.append((table.table_id, expansion.name if expansion else None))
        return Estimate(1, 1, 100, 4, 7)

    async def close(self) -> None:
        self.closed += 1


class FakeClock:
    """A clock that starts at 2026-11-30 02:00 UTC and goes on by `step_s` at every look."""

    def __init__(self, step_s: float = 1.0) -> None:
        self._next = datetime(2026, 11, 30, 2, tzinfo=UTC)
        self._step = timedelta(seconds=step_s)

    def __call__(self) -> datetime:
        now = self._next
        self._next += self._step
        return now
