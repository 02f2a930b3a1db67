"""Asks models about many tables, several at a time, while the caller stores the answers.

The models' coroutines run in an event loop on a thread of its own, so that their server is kept
busy while the caller's thread, the only one that touches the store, waits for the disk.
"""

import asyncio
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from itertools import islice
from queue import Empty, SimpleQueue

from ingest.answer import Answer, Models, Wanted
from ingest.steps import DescribeOutcome, Describer, ExpandOutcome, ModelExpander
from polaris_search.errors import PolarisError
from polaris_search.records import Expansion, RawTable


def ask(
    models: Models, tables: Iterable[Wanted], concurrency: int
) -> Generator[list[Answer], None, None]:
    """Yield the answers as they come, and close the models; else as `Asking.answers`."""
    with opened(models, concurrency) as asking, closing(asking.answers(tables)) as answers:
        yield from answers


@contextmanager
def opened(models: Models, concurrency: int) -> Iterator["Asking"]:
    """Ask the models as often as wanted within the block; they are closed at its end."""
    with _event_loop(models) as loop:
        yield Asking(models, concurrency, loop)


class Asking:
    """Models that are being asked: their coroutines run in `loop`, on another thread."""

    def __init__(self, models: Models, concurrency: int, loop: asyncio.AbstractEventLoop) -> None:
        self.models = models
        self._concurrency = concurrency
        self._loop = loop

    def answers(self, tables: Iterable[Wanted]) -> Generator[list[Answer], None, None]:
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
                for wanted in islice(waiting, 2 * self._concurrency - len(under_way)):
                    under_way.add(asked := self._asked(wanted, slots))
                    asked.add_done_callback(finished.put)
                if not under_way:
                    return
                group = _those_finished(finished)
                under_way.difference_update(group)
                yield [future.result() for future in group]
        finally:
            for future in under_way:
                future.cancel()

    def _asked(self, wanted: Wanted, slots: asyncio.Semaphore) -> Future[Answer]:
        return asyncio.run_coroutine_threadsafe(_answer(self.models, wanted, slots), self._loop)


async def _answer(models: Models, wanted: Wanted, slots: asyncio.Semaphore) -> Answer:
    table = wanted.table
    async with slots:
        names = None
        if wanted.names and models.expander:
            names = await _expanded(models.expander, table.raw)
        expansion = names.expansion if names and names.expansion else table.expansion
        description = None
        if models.describer and (wanted.description or expansion != table.expansion):
            description = await _described(models.describer, table.raw, expansion)
        return Answer(table, names, description)


async def _expanded(expander: ModelExpander, table: RawTable) -> ExpandOutcome:
    try:
        return await expander.expand(table)
    except PolarisError as error:
        return ExpandOutcome(None, str(error))


async def _described(
    describer: Describer, table: RawTable, expansion: Expansion | None
) -> DescribeOutcome:
    try:
        return await describer.describe(table, expansion)
    except PolarisError as error:
        return DescribeOutcome(None, str(error))


def _those_finished(finished: "SimpleQueue[Future[Answer]]") -> list[Future[Answer]]:
    """Wait for one, and return it with all others that are finished by then."""
    group = [finished.get()]
    while True:
        try:
            group.append(finished.get_nowait())
        except Empty:
            return group


@contextmanager
def _event_loop(models: Models) -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="models", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        asyncio.run_coroutine_threadsafe(_wind_up(models), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _wind_up(models: Models) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await models.close()
