"""Where a table comes from: what it is called, and that --sync touches nothing else."""

import json
import os
import sqlite3
from contextlib import closing

import pyarrow
import pyarrow.parquet
import pytest
from fakes import FakeClock, FakeStore

from ingest.pipeline import ingest
from ingest.readers.find import find_sources
from ingest.readers.sources import read_sources
from ingest.seen import SeenIds
from ingest.steps import NoExpander
from ingest.sync import removed_since
from polaris_search.records import RawTable


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Make the working folder an empty one, and return a function that writes a file there."""
    monkeypatch.chdir(tmp_path)

    def write_file(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    return write_file


def lines(*table_ids, **more):
    return "".join(
        json.dumps({"table_id": key, "name": "n", "columns": [], **more}) + "\n"
        for key in table_ids
    )


def catalogue(*table_ids):
    return "table_id,table_name,column_names\n" + "".join(f"{key},n,[]\n" for key in table_ids)


def make_sqlite(path, *names):
    with closing(sqlite3.connect(path)) as connection:
        for name in names:
            connection.execute(f"CREATE TABLE {name} (a)")
        connection.commit()


def take_in(store, *sources):
    """Ingest the sources, and return the ids of what --sync would remove then."""
    seen = SeenIds()
    ingest(read_sources(sources, seen=seen), store, NoExpander(), now=FakeClock())
    return list(removed_since(store, seen))


def named(*sources):
    return [item.source for item in read_sources(sources) if isinstance(item, RawTable)]


@pytest.mark.parametrize(
    ("source", "name"),
    [("sa", "sa"), ("./sa/", "sa"), ("sa//", "sa"), ("sa/a.csv", "sa/a.csv"), (".", ".")],
)
def test_a_table_without_a_source_gets_the_one_it_was_read_from(write, source, name):
    write("sa/a.csv", "x\n")

    assert named(source) == [name]


def test_every_format_gets_the_source_and_a_named_one_stays(write, tmp_path):
    write("sa/a.csv", "x\n")
    write("sa/b.tsv", "x\n")
    write("sa/c.jsonl", lines("c") + lines("d", source="erp") + lines("e", source=""))
    write("sa/d.csv", catalogue("f"))
    make_sqlite(tmp_path / "sa" / "shop.db", "g")

    assert named("sa") == ["sa", "sa", "sa", "erp", "sa", "sa", "sa"]
    assert named("sa/shop.db", "sqlite:///sa/shop.db") == ["sa/shop.db"]  # the same


def test_a_database_is_called_by_its_path_or_its_address_without_options(write, tmp_path):
    make_sqlite(tmp_path / "shop.db", "t")

    assert named("sqlite:///./shop.db?timeout=5") == named("./shop.db") == ["shop.db"]
    assert [source.name for source in find_sources(["sqlite://?timeout=5"])] == ["sqlite://"]


def test_a_folder_whose_name_is_no_utf8_can_be_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir(b"caf\xe9")
    with open(b"caf\xe9/t.jsonl", "w") as file:
        file.write(lines("t"))

    assert named(os.fsdecode(b"caf\xe9")) == ["caf\\udce9"]


def test_files_whose_path_is_no_utf8_keep_their_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = os.fsdecode(b"caf\xe9")
    os.mkdir(folder)
    with open(f"{folder}/a.csv", "w") as file:
        file.write("x\n")
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), "b.parquet")
    os.rename("b.parquet", f"{folder}/b.parquet")
    make_sqlite(tmp_path / folder / "c.db", "t")

    assert [item.table_id for item in read_sources(["."])] == [
        "caf\\udce9/a.csv", "caf\\udce9/b.parquet", "c.main.t",
    ]  # fmt: skip


# --sync


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "polaris", "sql"])
def test_sync_leaves_the_tables_of_other_sources_alone(write, tmp_path, form):
    def make(folder, *keys):
        (tmp_path / folder).mkdir(exist_ok=True)
        if form in ("csv", "tsv"):
            for key in keys:
                write(f"{folder}/{key}.{form}", "x\n")
        elif form == "jsonl":
            write(f"{folder}/t.jsonl", lines(*(f"{folder}{key}" for key in keys)))
        elif form == "polaris":
            write(f"{folder}/metadata.csv", catalogue(*(f"{folder}{key}" for key in keys)))
        else:
            make_sqlite(tmp_path / folder / f"{folder}.db", *keys)

    store = FakeStore()
    for folder in ("sa", "sb"):
        make(folder, "k", "l")
    assert take_in(store, "sa", "sb") == []

    assert take_in(store, "sa") == []
    assert take_in(store, "./sb/") == []
    assert len(store.kept) == 4


def test_sync_names_what_its_own_source_lost_and_nothing_else(write, tmp_path):
    write("sa/a.csv", "x\n")
    write("sa/b.csv", "x\n")
    write("sb/a.csv", "x\n")
    write("c.jsonl", lines("a", "b"))
    write("d.jsonl", lines("e", "f"))
    store = FakeStore()
    take_in(store, "sa", "sb", "c.jsonl", "d.jsonl")
    (tmp_path / "sa" / "b.csv").unlink()
    write("c.jsonl", lines("a"))
    write("d.jsonl", lines("e"))

    assert take_in(store, "./sa/") == ["sa/b.csv"]
    assert take_in(store, "sb") == []
    assert take_in(store, "c.jsonl") == ["b"]


@pytest.mark.parametrize("length", [1, 500, 501, 2048])
@pytest.mark.parametrize("form", ["jsonl", "polaris"])
def test_a_table_whose_row_broke_is_not_gone_however_long_its_id(write, form, length):
    key = length * "x"
    name = {"jsonl": "t.jsonl", "polaris": "metadata.csv"}[form]
    write(name, {"jsonl": lines, "polaris": catalogue}[form](key, "other"))
    store = FakeStore()
    take_in(store, name)
    broken = {
        "jsonl": lines("other") + json.dumps({"table_id": key, "name": [], "columns": []}) + "\n",
        "polaris": catalogue("other") + f"{key},n,broken\n",
    }
    write(name, broken[form])

    assert take_in(store, name) == []
    assert key in store.kept
