"""Generations and rows: what identifies a content, and what is asked for by thousands of ids."""

from contextlib import closing
from itertools import permutations

import pytest
from tables import fill, found, table

from polaris_search.store.embedded.generations import NO_CONTENT, read_generation
from polaris_search.store.embedded.rows import BYTES_PER_BATCH, EncodedTable, batches
from polaris_search.store.embedded.store import EmbeddedStore


@pytest.fixture
def store(tmp_path):
    with closing(EmbeddedStore(tmp_path / "store")) as opened:
        yield opened


def test_equal_tables_give_an_equal_content_in_whatever_order_they_came(store):
    contents = set()
    for order in permutations((table("a", "x"), table("b", "y"), table("c", "z"))):
        with store.scratch() as scratch:
            for one in order:
                fill(scratch, one)
            contents.add(content(scratch))

    assert len(contents) == 1


def test_a_changed_table_changes_the_content_and_changing_it_back_restores_it(store):
    fill(store, table("a", "x"), table("b", "y"))
    first = content(store)

    fill(store, table("a", "other"))
    second = content(store)
    fill(store, table("a", "x"))

    assert second != first
    assert content(store) == first


def test_an_emptied_store_has_the_content_of_an_empty_one(store):
    fill(store, table("a"), table("b"))
    store.delete(["a", "b"])

    assert content(store) == NO_CONTENT
    assert store.status().tables == 0


def test_a_put_that_changes_nothing_is_no_new_revision(store):
    fill(store, table("a"))
    before = read_generation(store._database, None)

    fill(store, table("a"))

    assert read_generation(store._database, None) == before


def test_thousands_of_ids_are_asked_for_and_deleted_at_once(store):
    ids = [f"t{number:04}" for number in range(2100)]
    fill(store, *(table(one) for one in ids))
    asked = ids[::-1] + ["none", "\ud800", ids[0]]

    assert list(store.get(asked)) == ids[::-1]
    assert len(store.states(asked)) == 2100
    assert store.delete(asked) == 2100
    assert list(store.table_ids()) == []


def test_ids_come_in_the_order_of_code_points(store):
    ids = ["b", "B", "é", "a b", "a", "\uffff", "😀", "設"]
    fill(store, *(table(one, "zebra") for one in ids))

    assert list(store.table_ids()) == sorted(ids)
    assert found(store, "zebra") == sorted(ids)


def test_tables_may_be_deleted_and_put_while_they_are_listed(store):
    fill(store, *(table(f"t{number:03}") for number in range(250)))

    seen = []
    for one in store.tables():
        seen.append(one.table_id)
        store.delete([one.table_id])

    assert seen == [f"t{number:03}" for number in range(250)]
    assert list(store.table_ids()) == []


def test_a_batch_ends_where_it_grows_too_big():
    tables = [EncodedTable(str(number), b"", (), BYTES_PER_BATCH // 2) for number in range(5)]

    assert [len(batch) for batch in batches(tables)] == [2, 2, 1]


def test_tables_are_taken_from_the_source_batch_by_batch(store):
    seen = []

    def tables():
        for number in range(1200):
            if number in (501, 1001):
                seen.append(store.status().tables)
            yield table(f"t{number:04}")

    store.put(tables())

    assert seen == [500, 1000]


def content(store):
    return read_generation(store._database, store._number).content
