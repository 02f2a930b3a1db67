"""Asks a describer about many tables, several at a time, while the caller stores the answers.

The describer's coroutines run in an event loop on a thread of its own, so that the server is kept
busy while the caller's thread, the only one that touches the store, waits for the disk.
"""

import asyncio
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from itertools import islice
from queue import Empty, SimpleQueue

from ingest.steps import DescribeOutcome, Describer
from polaris_search.errors import PolarisError
from polaris_search.records import EnrichedTable

Answer = tuple[EnrichedTable, DescribeOutcome]


def ask(
    describer: Describer, tables: Iterable[EnrichedTable], concurrency: int
) -> Generator[list[Answer], None, None]:
    """Yield the answers as they come, and close the describer; else as `Asking.answers`."""
    with opened(describer, concurrency) as asking, closing(asking.answers(tables)) as answers:
        yield from answers


@contextmanager
def opened(describer: Describer, concurrency: int) -> Iterator["Asking"]:
    """Ask the describer as often as wanted within the block; it is closed at its end."""
    with _event_loop(describer) as loop:
        yield Asking(describer, concurrency, loop)


class Asking:
    """A describer that is being asked: its coroutines run in `loop`, on another thread."""

    def __init__(
        self, describer: Describer, concurrency: int, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.describer = describer
        self._concurrency = concurrency
        self._loop = loop

    def answers(self, tables: Iterable[EnrichedTable]) -> Generator[list[Answer], None, None]:
        """Yield the answers as they come, in groups of those that came together, in any order.

        At most `concurrency` tables are asked about at a time, and as many more wait in memory so
        that the next starts at once. Close the generator to cancel what is under way.
        """
        waiting = iter(tables)
        finished: SimpleQueue[Future[Answer]] = SimpleQueue()
        slots = asyncio.Semaphore(self._concurrency)
        under_way: set[Future[Answer]] = set()
        try:
            while True:
                for table in islice(waiting, 2 * self._concurrency - len(under_way)):
                    under_way.add(asked := self._asked(table, slots))
                    asked.add_done_callback(finished.put)
                if not under_way:
                    return
                group = _those_finished(finished)
                under_way.difference_update(group)
                yield [future.result() for future in group]
        finally:
            for future in under_way:
                future.cancel()

    def _asked(self, table: EnrichedTable, slots: asyncio.Semaphore) -> Future[Answer]:
        return asyncio.run_coroutine_threadsafe(_answer(self.describer, table, slots), self._loop)


async def _answer(describer: Describer, table: EnrichedTable, slots: asyncio.Semaphore) -> Answer:
    async with slots:
        try:
            return table, await describer.describe(table.raw, table.expansion)
        except PolarisError as error:
            return table, DescribeOutcome(None, str(error))


def _those_finished(finished: "SimpleQueue[Future[Answer]]") -> list[Future[Answer]]:
    """Wait for one, and return it with all others that are finished by then."""
    group = [finished.get()]
    while True:
        try:
            group.append(finished.get_nowait())
        except Empty:
            return group


@contextmanager
def _event_loop(describer: Describer) -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="describe", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        asyncio.run_coroutine_threadsafe(_wind_up(describer), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _wind_up(describer: Describer) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await describer.close()
