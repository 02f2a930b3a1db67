"""Searches, reads and writes while generations come and go: nothing empty, half, mixed or lost."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from fakes import FakeExpander
from generations import another
from lifecycles import roll_back, run
from tables import table

from polaris_search.lifecycle.transform import Renewal
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query

N_SEARCHERS = 8
N_READ = 100  # tables that Elasticsearch is asked for in one request
PAUSE_S = 0.02
"""Between two writes of one writer: SQLite gives the lock to whoever asks most often."""
PAPER = profile_named("paper")
WORDS = ["alpha", "bravo", "cargo", "delta", "ember", "fable", "grape", "hotel", "igloo", "jolly"]

SMALL = pytest.param(120, 3, 4, id="small")  # tables, reindexes, forced swaps
FULL = pytest.param(5_000, 20, 30, id="full", marks=pytest.mark.slow)


def base_tables(count):
    return [table(f"t{number:05}", "zebra", ["a", "b"]) for number in range(count)]


def marked_by(number):
    """Return what gives every table of a generation the same word of its own."""
    return Renewal(FakeExpander(str(number), WORDS[number % len(WORDS)]))


def fill_first_generation(store, count):
    store.put(base_tables(count))
    store.refresh()
    run(store, marked_by(0))


class Searcher:
    """Searches and reads until told to stop; `wrong` tells of each answer that is not whole."""

    def __init__(self, store, count, stop):
        self._store = store
        self._count = count
        self._stop = stop
        self._ids = [f"t{number:05}" for number in range(0, count, count // N_READ)][:N_READ]
        self.searches = 0
        self.wrong = []

    def __call__(self):
        with another(self._store) as store:
            while not self._stop.is_set():
                self._look(store)

    def _look(self, store):
        everything = store.search(plan_query(PAPER, "zebra"), 5)
        self._check(everything.total == self._count, f"{everything.total} zebras")
        for word in WORDS:
            total = store.search(plan_query(PAPER, word), 5).total
            self._check(total in (0, self._count), f"{total} of {word}")
        read = store.get(self._ids)
        words = {one.expansion.name.split()[0] for one in read.values()}
        self._check(len(words) == 1, f"read a mixture of {words}")
        self._check(len(read) == N_READ, f"read {len(read)} tables")
        self.searches += 1 + len(WORDS)

    def _check(self, is_so, problem):
        if not is_so:
            self.wrong.append(problem)


@pytest.mark.parametrize(("count", "reindexes", "swaps"), [SMALL, FULL])
def test_no_search_is_empty_half_mixed_or_an_error_while_generations_are_swapped(
    store, count, reindexes, swaps
):
    fill_first_generation(store, count)
    stop = threading.Event()
    searchers = [Searcher(store, count, stop) for _ in range(N_SEARCHERS)]

    with ThreadPoolExecutor(N_SEARCHERS) as pool:
        searching = [pool.submit(searcher) for searcher in searchers]
        try:
            for number in range(1, reindexes + 1):
                assert run(store, marked_by(number)).clean
                store.generations.prune(1, print)
            for _ in range(swaps):
                assert roll_back(store).clean
        finally:
            stop.set()
        for each in searching:
            each.result()  # raises what a search raised

    assert [problem for searcher in searchers for problem in searcher.wrong] == []
    assert all(searcher.searches for searcher in searchers)


class Writer:
    """Adds, changes and deletes tables until told to stop; knows what must be there then."""

    def __init__(self, store, number, stop):
        self._store = store
        self._number = number
        self._stop = stop
        self.there = {}
        self.gone = []

    def __call__(self):
        turn = 0
        with another(self._store) as store:
            while not self._stop.wait(PAUSE_S):
                self._write(store, turn)
                turn += 1

    def _write(self, store, turn):
        ids = [f"w{self._number}-{turn:05}-{n}" for n in range(3)]
        assert store.put([table(key, "first") for key in ids]).refused == ()
        assert store.put([table(ids[1], "second")]).stored == 1
        store.delete([ids[2]])  # of a table not over yet it may say that there was none
        self.there |= {ids[0]: "first", ids[1]: "second"}
        self.gone.append(ids[2])


@pytest.mark.parametrize(("count", "reindexes", "swaps"), [SMALL, FULL])
def test_everything_written_and_deleted_meanwhile_is_so_afterwards(store, count, reindexes, swaps):
    fill_first_generation(store, count)
    stop = threading.Event()
    writers = [Writer(store, number, stop) for number in range(3)]

    with ThreadPoolExecutor(len(writers)) as pool:
        writing = [pool.submit(writer) for writer in writers]
        try:
            for number in range(1, reindexes + 1):
                assert run(store, marked_by(number)).live
                store.generations.prune(1, print)
            for _ in range(swaps):
                assert roll_back(store).live
        finally:
            stop.set()
        for each in writing:
            each.result()

    stored = {one.table_id: one.raw.name for one in store.tables()}
    expected = {one.table_id: one.raw.name for one in base_tables(count)}
    for writer in writers:
        assert writer.there
        expected |= writer.there
    assert stored == expected
