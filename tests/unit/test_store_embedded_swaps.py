"""Searches while generations take each other's place: none fails, none sees half of one."""

import threading
from contextlib import closing, contextmanager

import pytest
from embedded_processes import ended, start
from generations import reindex, unheard
from tables import fill, found, table

from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.store.embedded.store import EmbeddedStore

N_TABLES = 120
N_SWAPS = 30

SEARCHER = """
import select
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
n_tables = int(sys.argv[1])
profile = profile_named("paper")
def search(words):
    result = store.search(plan_query(profile, words), 1000)
    assert len(result.hits) == result.total
    return result.total
seen, wrong = None, []
while not select.select([sys.stdin], [], [], 0)[0]:
    every, even = search("common"), search("even")
    if every != n_tables or even not in (0, n_tables):
        wrong.append((every, even))
    if even != seen:
        print("even" if even else "odd", flush=True)
        seen = even
print(wrong)
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def store(folder):
    """A store of N_TABLES tables that all have the word of an even generation."""
    with closing(EmbeddedStore(folder)) as opened:
        fill(opened, *(table(f"t{number:03}", "common even") for number in range(N_TABLES)))
        yield opened


def word_of(turn):
    return "odd" if turn % 2 else "even"


def worded(turn):
    """A transform that gives each table the word of a generation."""

    def transform(tables):
        for one in tables:
            yield table(one.table_id, one.raw.name.replace(word_of(turn - 1), word_of(turn)))

    return transform


@contextmanager
def searching(folder):
    """Four processes that search all the while; afterwards none has found anything wrong."""
    processes = [start(folder, SEARCHER, str(N_TABLES)) for _ in range(4)]
    try:
        all_see(processes, "even")
        yield processes
    finally:
        ends = [ended(process) for process in processes]
    assert [(code, output.splitlines()[-1], errors) for code, output, errors in ends] == [
        (0, "[]", "")
    ] * 4


def all_see(processes, word):
    """Wait until each process has found another generation, which is that of this word."""
    for process in processes:
        assert process.stdout.readline() == f"{word}\n", process.stderr.read()


def test_processes_that_search_see_each_generation_in_turn_and_never_half_of_one(store, folder):
    with searching(folder) as processes:
        for turn in range(1, N_SWAPS + 1):
            reindex(store, str(turn), worded(turn))
            store.generations.prune(1, unheard)
            all_see(processes, word_of(turn))


def test_searches_do_not_fail_when_the_old_generation_is_pruned_at_once(store, folder):
    with searching(folder):
        for turn in range(1, N_SWAPS + 1):
            reindex(store, str(turn), worded(turn))
            store.generations.prune(0, unheard)

    assert len(store.generations.listed()) == 1


def test_threads_of_one_store_meet_no_error_no_wrong_total_and_no_mixture(store):
    stop, wrong = threading.Event(), []
    common, even = (plan_query(profile_named("paper"), words) for words in ("common", "even"))

    def search():
        while not stop.is_set():
            counts = [store.search(plan, 1000).total for plan in (common, even)]
            if counts not in ([N_TABLES, N_TABLES], [N_TABLES, 0]):
                wrong.append(counts)

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for turn in range(1, N_SWAPS + 1):
            reindex(store, str(turn), worded(turn))
            store.generations.prune(0, unheard)
            assert len(found(store, word_of(turn), "paper", size=1000)) == N_TABLES
    finally:
        stop.set()
        for thread in threads:
            thread.join()

    assert wrong == []


def test_what_other_processes_write_and_delete_during_swaps_is_so_afterwards(store, folder):
    writer = """
    for number, _ in enumerate(sys.stdin):
        for turn in range(5):
            names = [f"{sys.argv[1]}-{number:02}-{turn}-{one}" for one in range(3)]
            assert store.put(table(name, "extra") for name in names).stored == 3
            assert store.delete(names[:1]) == 1
    """
    writers = [start(folder, writer, name) for name in ("w1", "w2")]
    try:
        with searching(folder):
            for turn in range(1, N_SWAPS + 1):
                for process in writers:
                    print("write", file=process.stdin, flush=True)
                reindex(store, str(turn), worded(turn))
                store.generations.prune(1, unheard)
    finally:
        ends = [ended(process) for process in writers]

    assert [(code, errors) for code, _, errors in ends] == [(0, "")] * 2
    written = [
        f"{name}-{number:02}-{turn}-{one}"
        for name in ("w1", "w2")
        for number in range(N_SWAPS)
        for turn in range(5)
        for one in (1, 2)
    ]
    assert list(store.table_ids()) == [f"t{number:03}" for number in range(N_TABLES)] + written
    store.refresh()
    assert found(store, "extra", "paper", size=1000) == written
