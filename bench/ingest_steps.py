"""What share of an ingest's processor time each of its steps takes, into the embedded store."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ingest.expand.lexical import LexicalExpander
from ingest.pipeline import ingest
from ingest.readers.sources import read_sources
from polaris_search.records import EnrichedTable, Expansion, RawTable, TableState
from polaris_search.store.embedded.store import EmbeddedStore
from polaris_search.store.protocol import WriteReport


class Stopwatch:
    """Seconds of processor of the running thread, by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        began_s = time.thread_time()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.thread_time() - began_s

    def each(self, name: str, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the items; making them counts for the step."""
        iterator = iter(items)
        while True:
            with self.step(name):
                item = next(iterator, None)
            if item is None:
                return
            yield item


class TimedExpander(LexicalExpander):
    def __init__(self, watch: Stopwatch) -> None:
        super().__init__()
        self._watch = watch

    def expand(self, table: RawTable) -> Expansion:
        with self._watch.step("expanding"):
            return super().expand(table)


class TimedStore(EmbeddedStore):
    def __init__(self, folder: Path, watch: Stopwatch) -> None:
        super().__init__(folder)
        self._watch = watch

    def states(self, table_ids: Sequence[str]) -> dict[str, TableState]:
        with self._watch.step("looking up"):
            return super().states(table_ids)

    def put(self, tables: Iterable[EnrichedTable]) -> WriteReport:
        with self._watch.step("storing"):
            return super().put(tables)


def print_steps(catalogue: Path, folder: Path) -> None:
    """Ingest the catalogue, and print the seconds of each step and of all."""
    watch = Stopwatch()
    began_s, processor_s = time.perf_counter(), time.process_time()
    with closing(TimedStore(folder, watch)) as store:
        items = watch.each("reading", read_sources([str(catalogue)]))
        report = ingest(items, store, TimedExpander(watch))
    seconds, all_s = time.perf_counter() - began_s, time.process_time() - processor_s
    watch.seconds["the rest"] = all_s - sum(watch.seconds.values())
    print(f"{report.stored:,} tables in {seconds:.1f} s, {all_s:.1f} s of processor:")
    for name, step_s in sorted(watch.seconds.items(), key=lambda item: -item[1]):
        per_table_us = step_s / report.seen * 1e6
        print(f"  {name}: {step_s / all_s:.0%}, {per_table_us:,.0f} microseconds a table")
