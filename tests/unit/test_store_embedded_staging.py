"""Generations beside the live one in a folder: what is logged, kept, built and left free."""

import sqlite3
import tracemalloc
from contextlib import closing
from itertools import islice

import pytest
from generations import as_given, copy, finish, marked, reindex, roll_back, unheard, words
from tables import fill, found, table

from polaris_search.errors import StoreProblem
from polaris_search.store.embedded.database import FILE_NAME
from polaris_search.store.embedded.generations import GenerationGone
from polaris_search.store.embedded.store import EmbeddedStore
from polaris_search.store.generations import CaughtUp


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def store(folder):
    with closing(EmbeddedStore(folder)) as opened:
        yield opened


def logged(store):
    return [table_id for (table_id,) in store._database.rows("SELECT table_id FROM changes")]


def index_state(folder):
    return {
        path.name: (path.stat().st_mtime_ns, path.stat().st_ino) for path in folder.glob("index/*")
    }


# What is logged


def test_nothing_is_logged_while_no_generation_is_staged(store):
    fill(store, table("a"))
    store.delete(["a"])
    reindex(store)
    fill(store, table("a"))

    assert logged(store) == []


def test_a_table_written_a_hundred_times_is_logged_once_and_last(store):
    fill(store, table("a"), table("b"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        for number in range(100):
            store.put([table("a", f"v{number}")])
            store.delete(["b"])
            store.put([table("b", f"v{number}")])

        assert logged(store) == ["a", "b"]
        assert staged.catch_up(as_given) == CaughtUp(2, 0)
        assert logged(store) == []
        assert words(staged.tables) == {"a": "v99", "b": "v99"}


def test_a_table_put_again_as_it_is_stored_is_not_logged(store):
    fill(store, table("a"))

    with store.generations.stage("r", unheard):
        fill(store, table("a"))
        store.delete(["never"])

        assert logged(store) == []


def test_what_is_written_to_other_generations_is_not_logged(store):
    fill(store, table("a"))

    with store.generations.stage("r", unheard) as staged, store.scratch() as scratch:
        copy(staged)
        staged.tables.put([table("a", "changed")])
        fill(scratch, table("s"))

        assert logged(store) == []


def test_a_change_that_comes_while_its_table_is_transformed_comes_with_the_next_call(store):
    fill(store, table("a", "old"))

    def disturbed(tables):
        for one in tables:
            store.put([table("a", "newer")])
            yield one

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        store.put([table("a", "new")])

        assert staged.catch_up(disturbed) == CaughtUp(1, 0)
        assert words(staged.tables) == {"a": "new"}
        assert staged.catch_up(as_given) == CaughtUp(1, 0)
        assert words(staged.tables) == {"a": "newer"}


def test_a_table_that_changes_before_its_turn_is_left_to_catching_up(store):
    fill(store, *(table(f"t{number:03}", "old") for number in range(250)))

    with store.generations.stage("r", unheard) as staged:
        tables = staged.uncopied()
        first = list(islice(tables, 5))
        store.put([table("t200", "changed"), table("zzz", "new")])
        rest = list(tables)

        ids = [one.table_id for one in first + rest]
        assert ids == [f"t{number:03}" for number in range(250) if number != 200]
        staged.tables.put(first + rest)
        assert staged.catch_up(as_given) == CaughtUp(2, 0)
        assert staged.missing_or_surplus() == (0, 0)


def test_going_live_brings_over_what_is_left_as_it_is(store):
    fill(store, *(table(f"t{number:04}", "old") for number in range(1200)))

    with store.generations.stage("r", unheard) as staged:
        copy(staged, marked("copied"))
        store.put(table(f"t{number:04}", "late") for number in range(1100))
        store.delete([f"t{number:04}" for number in range(1000, 1150)])
        staged.go_live()

        assert list(words(store).values()) == ["late"] * 1000 + ["old"] * 50
        assert store.status().tables == 1050
        assert found(store, "late", "paper", size=5000) == [f"t{n:04}" for n in range(1000)]


def test_the_content_of_a_generation_is_that_of_its_tables_whatever_the_way_they_came(store):
    fill(store, table("a", "old"), table("b", "old"), table("gone"))
    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        store.put([table("a", "new"), table("c", "new")])
        staged.catch_up(as_given)
        store.delete(["gone"])
        store.put([table("c", "newer")])
        finish(staged)

    with store.scratch() as scratch:
        fill(scratch, table("a", "new"), table("b", "old"), table("c", "newer"))
        content = "SELECT content, tables FROM generations WHERE name = ?"
        assert store._database.row(content, (staged.name,)) == store._database.row(
            content, (scratch.status().generation,)
        )


# Index files


def test_what_a_search_of_the_staged_generation_built_serves_the_first_search_once_live(
    store, folder
):
    fill(store, table("a", "zebra"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged, marked("new"))
        staged.tables.refresh()
        assert found(staged.tables, "zebra") == ["a"]
        before = index_state(folder)
        staged.go_live()

        assert found(store, "zebra") == ["a"]
        assert index_state(folder) == before


def test_the_files_of_a_kept_generation_are_kept_for_the_way_back(store, folder):
    fill(store, table("a", "zebra"))
    first = store.status().generation
    assert found(store, "zebra") == ["a"]
    files = index_state(folder)
    reindex(store, transform=marked("new"))
    assert found(store, "zebra") == ["a"]

    roll_back(store, first)
    assert found(store, "zebra") == ["a"]

    assert files.items() <= index_state(folder).items()


def test_the_files_of_a_dropped_generation_are_removed(store, folder):
    fill(store, table("a", "zebra"))
    assert found(store, "zebra") == ["a"]
    before = index_state(folder)

    with store.generations.stage("r", unheard) as staged:
        copy(staged, marked("new"))
        assert found(staged.tables, "zebra") == ["a"]
        assert index_state(folder) != before
        staged.drop()

    assert index_state(folder) == before


# What others may do meanwhile


def test_no_transaction_is_open_while_tables_are_copied_and_caught_up(store, folder):
    fill(store, *(table(f"t{number:03}") for number in range(250)))
    seen = []

    def watched(tables):
        for one in tables:
            with closing(sqlite3.connect(folder / FILE_NAME)) as other:
                # 0: neither a reader nor a writer kept the log from being emptied
                seen.append(other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
            yield one

    with store.generations.stage("r", unheard) as staged:
        copy(staged, watched)
        store.put(table(f"t{number:03}", "changed") for number in range(150))
        staged.catch_up(watched)

    assert seen == [0] * 400


def test_copying_holds_a_page_in_memory_not_the_store(store):
    fill(store, *(table(f"t{number:04}", "word " * 1000) for number in range(2000)))  # 10 MB

    with store.generations.stage("r", unheard) as staged:
        tracemalloc.start()
        for _ in staged.uncopied():
            pass
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert peak < 3_000_000


def test_listing_tables_of_a_generation_that_is_pruned_meanwhile_ends_with_an_error(store):
    fill(store, *(table(f"t{number:03}") for number in range(250)))
    tables = store.tables()
    assert next(tables).table_id == "t000"
    reindex(store)
    store.generations.prune(0, unheard)

    with pytest.raises(GenerationGone, match="dropped. Run the command again"):
        list(tables)


def test_listing_tables_goes_on_over_a_swap_in_the_generation_it_began_in(store):
    fill(store, *(table(f"t{number:03}", "old") for number in range(250)))
    tables = store.tables()
    first = next(tables)
    reindex(store)
    fill(store, *(table(f"t{number:03}", "new") for number in range(250)))

    assert {one.raw.name for one in [first, *tables]} == {"old"}


def test_a_staged_generation_that_was_dropped_takes_no_more_tables(store):
    fill(store, table("a"))

    with store.generations.stage("r", unheard) as staged:
        staged.drop()
        with pytest.raises(GenerationGone):
            staged.tables.put([table("b")])
        with pytest.raises(GenerationGone):
            staged.go_live()

    assert words(store) == {"a": "t"}
    assert store._database.row("SELECT COUNT(*) FROM tables") == (1,)


def test_a_database_in_which_no_generation_is_live_is_named_as_such(store):
    fill(store, table("a"))
    with store._database.writing() as connection:
        connection.execute("DELETE FROM live")

    with pytest.raises(StoreProblem, match="that it is live. Put polaris.sqlite back"):
        found(store, "a")
