"""Sends streams of tables into a new generation as a renewal says, and counts what became of them.

Whatever a model is asked for is there before its table is written, so that each document is written
once: replaced ones would skew Elasticsearch's scores. Tables that wait for a model wait on disk.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from itertools import islice
from types import TracebackType
from typing import Self

from ingest.asking import Asking, opened
from ingest.decide import with_answer
from ingest.times import Clock, utc_text
from polaris_search.lifecycle.progress import ReindexProgress
from polaris_search.lifecycle.table_spool import TableSpool, table_spool
from polaris_search.lifecycle.tally import Counts, Kind, counts_of_answers, counts_of_kinds, sum_of
from polaris_search.lifecycle.transform import (
    Renewal,
    renewed_names,
    wanted,
    wants_model,
    with_description_of,
    with_names_of,
)
from polaris_search.records import EnrichedTable, RawTable
from polaris_search.store.protocol import Refused, TableStore

Given = tuple[RawTable, EnrichedTable | None]
"""A table as it is now, and what the live generation holds under its id."""

TABLES_PER_BATCH = 100


def as_they_are(tables: Iterable[EnrichedTable]) -> Iterator[Given]:
    """Yield each stored table as one that has not changed."""
    return ((table.raw, table) for table in tables)


class Transformer:
    """Applies one renewal; open while its block runs, for the models' connections.

    Attributes:
        renewal: what it makes anew.
        counts: what became of all tables so far.
    """

    def __init__(self, renewal: Renewal, progress: ReindexProgress, now: Clock) -> None:
        self.counts = Counts()
        self.renewal = renewal
        self._progress = progress
        self._now = now
        self._asking: Asking | None = None
        self._exits = ExitStack()

    def __enter__(self) -> Self:
        models = self.renewal.models
        if models.expander or models.describer:
            asking = opened(models, self.renewal.concurrency)
            self._asking = self._exits.enter_context(asking)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._exits.close()

    def copy(self, tables: Iterable[Given], staged: TableStore) -> tuple[Refused, ...]:
        """Write the tables into the new generation, where none of them is yet.

        Those that want no model go first; each of the others is written as soon as its answer is
        there, so that a kill costs only the answers that are under way.
        """
        with table_spool() as waiting:
            refused = staged.put(self._named(tables, None, waiting)).refused
            for group in self._described(waiting):
                refused += staged.put(group).refused
        return refused

    def again(self, tables: Iterable[EnrichedTable], staged: TableStore) -> Iterator[EnrichedTable]:
        """Yield live tables as `copy` would write them, asked about by this run only once.

        For tables that changed while the new generation was filled; `staged` holds it.
        """
        with table_spool() as waiting:
            yield from self._named(as_they_are(tables), staged, waiting)
            for group in self._described(waiting):
                yield from group

    def at_once(
        self, tables: Iterable[EnrichedTable], staged: TableStore
    ) -> Iterator[EnrichedTable]:
        """Yield the tables as `again` does, but without asking any model."""
        return self._named(as_they_are(tables), staged, None)

    def _named(
        self, tables: Iterable[Given], staged: TableStore | None, waiting: TableSpool | None
    ) -> Iterator[EnrichedTable]:
        """Yield the tables that are ready, their names renewed; the others go to `waiting`."""
        rest = iter(tables)
        while batch := list(islice(rest, TABLES_PER_BATCH)):
            there = staged.get([raw.table_id for raw, _ in batch]) if staged else {}
            at = utc_text(self._now())
            named = [renewed_names(raw, stored, self.renewal, at) for raw, stored in batch]
            kinds = [kind_of(*given, table) for given, table in zip(batch, named, strict=True)]
            self.counts = sum_of(self.counts, counts_of_kinds(kinds))
            for table in named:
                before = there.get(table.table_id)
                read = with_names_of(table, before, self.renewal)
                own = with_description_of(read, before, self.renewal)
                if own is None and waiting is not None and wants_model(read, before, self.renewal):
                    waiting.add(read)
                else:
                    yield own or read
            self._progress.copied(self.counts.tables)

    def _described(self, waiting: TableSpool) -> Iterator[list[EnrichedTable]]:
        asking = self._asking
        if not len(waiting) or asking is None:
            return
        self._progress.describing(self.counts.described + self.counts.failed + len(waiting))
        with closing(asking.answers(wanted(table, self.renewal) for table in waiting)) as answers:
            for group in answers:
                self.counts = sum_of(self.counts, counts_of_answers(group))
                at = utc_text(self._now())
                yield [with_answer(answer, asking.models, at) or answer.table for answer in group]
                self._progress.described(self.counts.described, self.counts.failed)


def kind_of(raw: RawTable, stored: EnrichedTable | None, table: EnrichedTable) -> Kind:
    """Return what became of the names of a table that is renewed to `table`."""
    if stored is None:
        return "new"
    if table is stored:
        return "kept"
    return "expanded" if raw == stored.raw else "changed"
