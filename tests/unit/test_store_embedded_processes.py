"""Several processes at one folder, and processes that are killed in the middle."""

from contextlib import closing

import pytest
from embedded_processes import ended, killed, run, start
from tables import fill, found, table

from polaris_search.store.embedded.store import EmbeddedStore


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


def test_a_writer_killed_between_batches_leaves_whole_tables_and_can_go_on(folder):
    killed(
        folder,
        """
        def tables():
            for number in range(2000):
                if number == 1234:
                    die()
                yield table(f"t{number:04}", f"zebra{number}", overview="long " * 50)
        store.put(tables())
        """,
    )

    with closing(EmbeddedStore(folder)) as store:
        left = list(store.tables())
        assert [one.table_id for one in left] == [f"t{number:04}" for number in range(1000)]
        assert all(one == full(number) for number, one in enumerate(left))
        fill(store, *(full(number) for number in range(2000)))
        assert found(store, "zebra1999", "paper") == ["t1999"]
        assert store.status().tables == 2000


def test_a_writer_killed_inside_a_transaction_changes_nothing(folder):
    with closing(EmbeddedStore(folder)) as store:
        fill(store, table("a", "zebra"))

    killed(
        folder,
        """
        from polaris_search.store.embedded import rows
        with store._database.writing() as connection:
            rows.write(connection, 1, [rows.encoded(table("a", "lion")), rows.encoded(table("b"))])
            die()
        """,
    )

    with closing(EmbeddedStore(folder)) as store:
        assert list(store.table_ids()) == ["a"]
        assert found(store, "zebra") == ["a"]


def test_a_builder_killed_halfway_leaves_nothing_that_is_believed(folder):
    with closing(EmbeddedStore(folder)) as store:
        fill(store, *(full(number) for number in range(50)))

    killed(
        folder,
        """
        from polaris_search.store.embedded import index_build
        write_field = index_build.write_field
        def killing(path, *rest):
            if "context" in path.name:
                path.with_name(path.name + ".tmp").write_bytes(b"half")
                die()
            write_field(path, *rest)
        index_build.write_field = killing
        found(store, "zebra7", "paper")
        """,
    )

    with closing(EmbeddedStore(folder)) as store:
        assert found(store, "zebra7", "paper") == ["t0007"]
        assert not list(folder.glob("index/*.tmp"))


def test_the_scratch_generation_of_a_killed_process_is_dropped_by_the_next_writer(folder):
    killed(
        folder,
        """
        with store.scratch() as scratch:
            fill(scratch, table("s", "zebra"))
            die()
        """,
    )

    with closing(EmbeddedStore(folder)) as store:
        assert generations(store) == 2
        fill(store, table("a", "zebra"))
        assert generations(store) == 1
        assert stored_rows(store) == 1
        assert found(store, "zebra") == ["a"]
    assert not list(folder.glob("locks/scratch*"))


def test_the_scratch_generation_of_a_living_process_is_left_alone(folder):
    with closing(EmbeddedStore(folder)) as mine, mine.scratch() as scratch:
        fill(scratch, table("s", "zebra"))

        run(folder, 'fill(store, table("a", "lion"))')

        assert found(scratch, "zebra") == ["s"]
        assert found(mine, "lion") == ["a"]


def test_a_search_sees_what_another_process_stored_and_refreshed(folder):
    with closing(EmbeddedStore(folder)) as store:
        fill(store, table("a", "zebra"))
        assert found(store, "zebra") == ["a"]

        run(folder, 'fill(store, table("b", "zebra"))')

        assert found(store, "zebra") == ["a", "b"]


def test_several_processes_may_open_a_new_folder_and_write_at_once(folder):
    program = 'fill(store, *(table(f"{sys.argv[1]}-{n}", "zebra") for n in range(100)))'
    writers = [start(folder, program, str(number)) for number in range(4)]

    assert [ended(writer) for writer in writers] == [(0, "", "")] * 4

    with closing(EmbeddedStore(folder)) as store:
        assert store.status().tables == 400
        assert len(found(store, "zebra", size=1000)) == 400


def full(number):
    return table(f"t{number:04}", f"zebra{number}", overview="long " * 50)


def generations(store):
    return len(store._database.rows("SELECT * FROM generations"))


def stored_rows(store):
    return len(store._database.rows("SELECT table_id FROM tables"))
