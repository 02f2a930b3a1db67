"""A process that changes the generations, killed at each of its steps in turn."""

import os
from contextlib import closing

import pytest
from embedded_processes import ended, killed, start
from generations import copy, finish, marked, marks, reindex, roll_back, states, unheard
from tables import fill, found, table

from polaris_search.errors import AlreadyHeld
from polaris_search.store.embedded.store import EmbeddedStore

N_TABLES = 1200
CHANGED = [f"t{number:04}" for number in range(250)]

# A reindex that dies at the place that the name tells, while tables are changed and deleted.
RUN = """
from polaris_search.store.embedded import changes, dropping, rows, staging
changed = [f"t{{number:04}}" for number in range({changed})]
def write():
    fill(store, *(table(one, "changed zebra") for one in changed))
    store.delete(["t0300"])
def dying_at(number, tables):
    for one in tables:
        number -= 1
        if number == 0:
            die()
        yield one
def dying_after(module, name, calls=1):
    function = getattr(module, name)
    def wrapped(*args, **kwargs):
        nonlocal calls
        result = function(*args, **kwargs)
        calls -= 1
        if calls == 0:
            die()
        return result
    setattr(module, name, wrapped)
with store.generations.stage("recipe", unheard) as staged:
    {steps}
"""
BEFORE_LIVE = {
    "as it is staged": "die()",
    "while the first batch is copied": "staged.tables.put(dying_at(300, staged.uncopied()))",
    "while a later batch is copied": "staged.tables.put(dying_at(1100, staged.uncopied()))",
    "inside the transaction of a batch": "dying_after(rows, 'advance', 2); copy(staged)",
    "once all is copied": "copy(staged); die()",
    "while changes are transformed": (
        "copy(staged); write(); staged.catch_up(lambda tables: dying_at(30, tables))"
    ),
    "inside the transaction of changes": (
        "copy(staged); write(); dying_after(changes, 'forget', 2); staged.catch_up(as_given)"
    ),
    "once it is caught up": "copy(staged); write(); staged.catch_up(as_given); die()",
    "once its index is built": "copy(staged); found(staged.tables, 'zebra'); write(); die()",
    "as it is compared": "copy(staged); write(); staged.missing_or_surplus(); die()",
    "inside the transaction of going live": (
        "copy(staged); write(); dying_after(staging, 'make_live'); staged.go_live()"
    ),
    "as it is dropped": "copy(staged); dying_after(dropping, 'mark_dropped'); staged.drop()",
    "once it is marked as dropped": "copy(staged); dying_after(dropping, '_in_slices'); "
    "staged.drop()",
}


def reindex_killed(folder, steps):
    killed(folder, RUN.format(changed=len(CHANGED), steps=steps))


@pytest.fixture
def folder(tmp_path):
    with closing(EmbeddedStore(tmp_path / "store")) as store:
        fill(store, *(table(f"t{number:04}", "zebra") for number in range(N_TABLES)))
    return tmp_path / "store"


@pytest.mark.parametrize("step", BEFORE_LIVE)
def test_killed_before_it_is_live_the_old_one_serves_and_a_rerun_finishes(folder, step):
    reindex_killed(folder, BEFORE_LIVE[step])

    with closing(EmbeddedStore(folder)) as store:
        (old,) = [name for name, state in states(store).items() if state == "live"]
        assert len(found(store, "zebra", "paper", size=5000)) == store.status().tables
        before = {one.table_id: one.raw.name for one in store.tables()}
        assert set(before.values()) <= {"zebra", "changed zebra"}
        with store.generations.stage("recipe", unheard) as staged:
            copy(staged, marked("again"))
            finish(staged)
        assert {one.table_id: one.raw.name for one in store.tables()} == before
        assert states(store) == {staged.name: "live", old: "kept"}
        assert len(found(store, "zebra", "paper", size=5000)) == len(before)
        store.generations.prune(0, unheard)
        assert_nothing_else_is_left(store, folder, len(before))


def test_killed_once_it_is_live_the_new_one_serves_and_has_everything(folder):
    reindex_killed(folder, "copy(staged, marked('new')); write(); staged.go_live(); die()")

    with closing(EmbeddedStore(folder)) as store:
        by = marks(store)
        assert {one for one, mark in by.items() if mark is None} == set(CHANGED)
        assert len(by) == N_TABLES - 1
        assert len(found(store, "changed", "paper", size=5000)) == len(CHANGED)
        with store.generations.stage("next", unheard) as staged:
            assert not staged.resumed
        store.generations.prune(0, unheard)
        assert_nothing_else_is_left(store, folder, N_TABLES - 1)


def test_what_was_copied_before_the_kill_is_not_copied_again(folder):
    reindex_killed(folder, "staged.tables.put(dying_at(1100, staged.uncopied()))")

    with (
        closing(EmbeddedStore(folder)) as store,
        store.generations.stage("recipe", unheard) as staged,
    ):
        assert staged.resumed
        assert copy(staged) == [f"t{number:04}" for number in range(1000, N_TABLES)]


@pytest.mark.parametrize("slices", [1, 2, 3])  # before the first, before the second, after both
def test_a_half_dropped_generation_is_not_seen_and_the_next_one_who_prunes_removes_it(
    folder, slices
):
    with closing(EmbeddedStore(folder)) as store:
        old = store.status().generation
        new = reindex(store, transform=marked("new"))
        fill(store, table("more", "zebra"))

    killed(
        folder,
        f"""
        from polaris_search.store.embedded import dropping
        remove = dropping._in_slices
        def dying(database, statement, number):
            writing, calls = database.writing, 0
            def counted():
                nonlocal calls
                calls += 1
                if calls == {slices}:
                    die()
                return writing()
            database.writing = counted
            remove(database, statement, number)
            die()
        dropping._in_slices = dying
        store.generations.prune(0, unheard)
        """,
    )

    with closing(EmbeddedStore(folder)) as store:
        assert states(store) == {new: "live"}
        assert len(found(store, "zebra", "paper", size=5000)) == N_TABLES + 1
        assert store.generations.prune(0, unheard) == ()
        assert old not in states(store)
        assert_nothing_else_is_left(store, folder, N_TABLES + 1)


def test_killed_while_a_kept_generation_is_reopened_it_stays_kept(folder):
    with closing(EmbeddedStore(folder)) as store:
        old = store.status().generation
        new = reindex(store, transform=marked("new"))

    killed(
        folder,
        f"""
        with store.generations.reopen({old!r}, unheard) as reopened:
            fill(store, table("meanwhile"))
            die()
        """,
    )

    with closing(EmbeddedStore(folder)) as store:
        assert states(store) == {new: "live", old: "kept"}
        fill(store, table("later"))
        roll_back(store, old)
        assert len(marks(store)) == N_TABLES
        assert store._database.rows("SELECT * FROM changes") == []


def test_what_a_killed_process_began_of_a_scratch_generation_is_pruned(folder):
    killed(folder, 'with store.scratch() as scratch:\n    fill(scratch, table("s")); die()')
    killed(
        folder,
        """
        from polaris_search.store.embedded import scratch
        lock = scratch.try_lock
        def dying(path):
            lock(path)
            die()
        scratch.try_lock = dying
        scratch.create_scratch(store._database)
        """,
    )

    with closing(EmbeddedStore(folder)) as store:
        (name,) = store.generations.prune(0, unheard)
        assert name.startswith("scratch-")
        assert_nothing_else_is_left(store, folder, N_TABLES)


def test_the_lease_of_a_killed_process_is_taken_over_at_once_and_a_living_one_is_named(folder):
    holding = start(
        folder,
        """
        with store.generations.stage("recipe", unheard):
            print("held", flush=True)
            sys.stdin.read()
        """,
    )
    assert holding.stdout.readline() == "held\n"
    with closing(EmbeddedStore(folder)) as store:
        with pytest.raises(AlreadyHeld, match=rf"changing the generations: process {holding.pid} "):
            store.generations.prune(0, unheard)

        holding.kill()
        holding.wait()
        with store.generations.stage("recipe", unheard) as staged:
            assert staged.resumed
            with pytest.raises(AlreadyHeld, match=f"process {os.getpid()} on"):
                store.generations.prune(0, unheard)
    assert ended(holding)[2] == ""


def assert_nothing_else_is_left(store, folder, n_tables):
    """One generation with its rows and index files; nothing logged or held."""
    count = store._database.row
    assert count("SELECT COUNT(*) FROM generations") == (1,)
    assert count("SELECT COUNT(*) FROM tables") == (n_tables,)
    assert count("SELECT COUNT(*) FROM changes") == (0,)
    assert count("SELECT COUNT(*) FROM leases") == (0,)
    (content, refreshed) = count("SELECT content, refreshed_content FROM generations")
    files = {path.name[:32] for path in folder.glob("index/*")}
    assert files <= {content[:32], refreshed[:32]}
    locks = {path.name for path in folder.glob("locks/*")}
    assert locks <= {"create.lock", "generations.lock", "index.lock"}
