"""A new generation's tables as their sources give them now, instead of as the live one has them.

Comes in: what the readers give. Goes out: each table with what the live generation holds under its
id, so that a table that is the same keeps its description. What an interrupted run brought over
already is passed over.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ingest.batches import batches
from ingest.dead_letters import DeadLetters
from ingest.decide import is_described_by, names_are_stored, wants_model_names
from ingest.rejected import Rejected
from ingest.report import MAX_SHOWN
from ingest.seen import SeenIds
from polaris_search.lifecycle.transform import Renewal
from polaris_search.lifecycle.transformer import Given
from polaris_search.lifecycle.verify import Judge, delete_all
from polaris_search.records import RawTable, TableState
from polaris_search.store.generations import Staged
from polaris_search.store.protocol import TableStore

MOST_REMOVED = 0.2
"""More than this share of the live tables may be missing from the sources only with --yes."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What the readers give.

    Attributes:
        names: the sources as a person named them.
        items: their tables and rejected rows, once.
        seen: holds every id of `items` once they are read.
        dead_letters: keeps the rejected rows; None keeps none.
    """

    names: tuple[str, ...]
    items: Iterable[RawTable | Rejected]
    seen: SeenIds
    dead_letters: DeadLetters | None = None


@dataclass(frozen=True, slots=True)
class SourcesRead:
    """What was read: rows not taken, the first MAX_SHOWN of them, and the file with all."""

    tables: int
    rejected: int
    first_rejected: tuple[Rejected, ...]
    dead_letters: Path | None
    notices: tuple[str, ...]


class SourcesReader:
    """Reads sources once, and counts."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._rejected = 0
        self._first: tuple[Rejected, ...] = ()

    def given(self, live: TableStore, staged: Staged | None, renewal: Renewal) -> Iterator[Given]:
        """Yield the tables that are not over yet, each with what the live generation holds."""
        there = staged.tables if staged is not None and staged.resumed else None
        for batch in batches(self._sources.items):
            self._bury(batch.rejected)
            states = there.states([table.table_id for table in batch.tables]) if there else {}
            rest = [
                table
                for table in batch.tables
                if not _is_over(table, states.get(table.table_id), renewal)
            ]
            stored = live.get([table.table_id for table in rest])
            yield from ((table, stored.get(table.table_id)) for table in rest)

    def read(self) -> SourcesRead:
        """Return what was read so far."""
        letters = self._sources.dead_letters
        return SourcesRead(
            tables=len(self._sources.seen),
            rejected=self._rejected,
            first_rejected=self._first,
            dead_letters=letters.path if letters else None,
            notices=(letters.notice,) if letters and letters.notice else (),
        )

    def remove_gone(self, staged: Staged) -> None:
        """Remove what an interrupted run brought over and the sources no longer have."""
        if staged.resumed:
            ids = staged.tables.table_ids()
            delete_all(staged.tables, (key for key in ids if key not in self._sources.seen))

    def judge(self, live: TableStore) -> Judge:
        """Return what says whether tables could be lost that nobody meant to lose."""

        def problem(missing: int, surplus: int) -> str | None:
            held = live.status().tables
            found = []
            if self._rejected:
                found.append(f"rejected rows: {self._rejected}")
            if missing > MOST_REMOVED * held:
                found.append(f"live tables that no source has: {missing} of {held}")
            if not found:
                return None
            return (
                f"Tables could be lost; {'; '.join(found)}. "
                "Check the sources, or confirm with --yes."
            )

        return problem

    def _bury(self, rejected: tuple[Rejected, ...]) -> None:
        self._rejected += len(rejected)
        self._first = (self._first + rejected)[:MAX_SHOWN]
        if self._sources.dead_letters:
            self._sources.dead_letters.add(rejected)


def _is_over(table: RawTable, state: TableState | None, renewal: Renewal) -> bool:
    """Return whether an interrupted run wrote the table as this one would."""
    expanders = renewal.expanders
    if state is None or expanders is None:
        return False
    if not names_are_stored(table, state, expanders) or wants_model_names(table, state, expanders):
        return False
    if renewal.describer is None or renewal.redescribe == "none":
        return True
    return is_described_by(state, renewal.describer)
