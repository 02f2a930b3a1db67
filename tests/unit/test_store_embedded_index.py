"""Index files follow the tables: built when needed, shared, renewed, never trusted blindly."""

from contextlib import closing

import pytest
from tables import fill, found, table

from polaris_search.bm25.layout import HEADER_BYTES
from polaris_search.store.embedded.index_build import built_index
from polaris_search.store.embedded.index_fields import text_index_field
from polaris_search.store.embedded.index_files import IndexFiles
from polaris_search.store.embedded.store import EmbeddedStore


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def store(folder):
    with closing(EmbeddedStore(folder)) as opened:
        yield opened


def test_files_are_built_by_the_first_search_for_all_fields_of_its_profile(store, folder):
    fill(store, table("a", "zebra"))
    assert index_files(folder) == []

    found(store, "zebra", "paper")

    names = [path.name.split("-")[1] for path in index_files(folder) if path.suffix == ".bm25"]
    assert names == ["context", "description", "expansion"]


def test_files_are_not_built_again_by_another_process_or_the_next_search(store, folder):
    fill(store, table("a", "zebra"))
    found(store, "zebra")
    before = index_state(folder)

    with closing(EmbeddedStore(folder)) as other:
        assert found(other, "zebra") == found(store, "zebra") == ["a"]

    assert index_state(folder) == before


def test_tables_put_again_unchanged_leave_the_files_as_they_are(store, folder):
    fill(store, table("a", "zebra"), table("b", "lion"))
    found(store, "zebra")
    before = index_state(folder)

    fill(store, table("b", "lion"), table("a", "zebra"))
    found(store, "zebra")

    assert index_state(folder) == before


def test_files_of_an_earlier_content_are_removed_when_new_ones_are_built(store, folder):
    fill(store, table("a", "zebra"))
    found(store, "zebra", "paper")
    before = set(index_files(folder))

    fill(store, table("b", "zebra"))
    assert found(store, "zebra", "paper") == ["a", "b"]

    assert before.isdisjoint(index_files(folder))
    assert len(index_files(folder)) == len(before)


def test_a_search_between_put_and_refresh_uses_what_it_has(store, folder):
    fill(store, table("a", "zebra"))
    found(store, "zebra", "paper")
    before = index_state(folder)

    store.put([table("b", "zebra")])
    assert found(store, "zebra", "paper") == ["a"]
    assert index_state(folder) == before

    store.refresh()
    assert found(store, "zebra", "paper") == ["a", "b"]


def test_a_new_field_after_an_unrefreshed_put_is_built_of_what_is_there(store):
    fill(store, table("a", "zebra"))
    found(store, "zebra", "paper")
    store.put([table("b", "zebra")])

    assert found(store, "zebra", "default") == ["a", "b"]
    assert found(store, "zebra", "paper") == ["a", "b"]


def test_another_process_s_refresh_is_noticed(store, folder):
    fill(store, table("a", "zebra"))
    assert found(store, "zebra") == ["a"]

    with closing(EmbeddedStore(folder)) as other:
        fill(other, table("b", "zebra"))
        other.delete(["a"])
        other.refresh()

    assert found(store, "zebra") == ["b"]


def test_a_store_emptied_and_filled_again_shows_the_new_tables(store):
    fill(store, table("a", "zebra"))
    assert found(store, "zebra") == ["a"]
    store.delete(["a"])
    store.refresh()
    assert found(store, "zebra") == []

    fill(store, table("c", "zebra"))

    assert found(store, "zebra") == ["c"]


@pytest.mark.parametrize("place", [0, 30, HEADER_BYTES, HEADER_BYTES + 40, -1])
def test_a_damaged_file_is_built_again_not_believed(store, folder, place):
    fill(store, *(table(f"t{number}", f"zebra w{number}") for number in range(9)))
    sound = search_all(store)
    for path in index_files(folder):
        data = bytearray(path.read_bytes())
        data[min(place, len(data) - 1)] ^= 0xFF
        path.write_bytes(data)

    with closing(EmbeddedStore(folder)) as other:
        assert search_all(other) == sound


def test_damage_found_while_searching_is_mended(store, folder):
    fill(store, *(table(f"t{number}", f"zebra w{number}") for number in range(9)))
    found(store, "zebra", "paper")
    (path,) = folder.glob("index/*-expansion-*")
    data = bytearray(path.read_bytes())
    data[HEADER_BYTES : HEADER_BYTES + 100] = bytes(100)
    path.write_bytes(data)

    with closing(EmbeddedStore(folder)) as other:
        assert found(other, "w7", "paper") == ["t7"]
        assert found(other, "zebra", "paper") == [f"t{number}" for number in range(9)]


@pytest.mark.parametrize("content", [b"", b"\0" * 4096, b"not an index\n" * 100])
def test_foreign_files_in_place_of_index_files_are_replaced(store, folder, content):
    fill(store, table("a", "zebra"))
    found(store, "zebra")
    for path in index_files(folder):
        path.write_bytes(content)

    with closing(EmbeddedStore(folder)) as other:
        assert found(other, "zebra") == ["a"]


def test_the_index_folder_may_be_removed_at_any_time(store, folder):
    fill(store, table("a", "zebra"))
    found(store, "zebra")
    for path in index_files(folder):
        path.unlink()
    (folder / "index").rmdir()

    assert found(store, "zebra") == ["a"]
    with closing(EmbeddedStore(folder)) as other:
        assert found(other, "zebra") == ["a"]


def test_what_a_killed_builder_left_is_removed_by_the_next(store, folder):
    (folder / "index").mkdir()
    (folder / "index" / "0123-context-4567.bm25.tmp").write_bytes(b"half")

    fill(store, table("a", "zebra"))
    found(store, "zebra")

    assert all(path.suffix != ".tmp" for path in index_files(folder))


def test_a_scratch_generation_leaves_no_index_files(store, folder):
    fill(store, table("a", "zebra"))
    found(store, "zebra")
    before = index_state(folder)

    with store.scratch() as scratch:
        fill(scratch, table("b", "lion"))
        assert found(scratch, "lion") == ["b"]

    assert index_state(folder) == before


def test_a_filter_s_values_are_indexed_too_and_follow_the_tables(store):
    fill(store, table("a", "zebra", source="s1"), table("b", "zebra", source="s2"))
    assert found(store, "zebra", filters={"source": ["s2"]}) == ["b"]

    fill(store, table("a", "zebra", source="s2", columns=("x",) * 3))

    assert found(store, "zebra", filters={"source": ["s2"], "column_count": ["03"]}) == ["a"]


def index_files(folder):
    return sorted(folder.glob("index/*"))


def index_state(folder):
    return {path: path.stat().st_mtime_ns for path in index_files(folder)}


def search_all(store):
    return [found(store, query, "paper") for query in ("zebra", "w3", "zebra w5")]


def test_files_just_built_are_not_removed_before_they_are_opened(store, folder):
    fill(store, table("a", "zebra"))
    files, name = IndexFiles(folder), text_index_field("name.exact")

    with built_index(store._database, files, 1, [name]) as built:
        fill(store, table("b", "zebra"))  # so that no generation has the content built
        with closing(EmbeddedStore(folder)) as other, other.scratch():
            pass  # removes what no generation needs

        assert list(files.open_documents(built.content)) == ["a"]
        assert files.open_field(built.content, name) is not None
