"""A folder that the first version of the database was written in is brought up to date."""

import sqlite3
import threading
from contextlib import closing

import pytest
from generations import copy, finish, reindex, states, unheard, words
from tables import fill, found, table

from polaris_search.errors import StoreProblem
from polaris_search.store.embedded import rows
from polaris_search.store.embedded.database import FILE_NAME
from polaris_search.store.embedded.store import EmbeddedStore

# What version 1 of the program ran for a new folder, and never changes any more.
VERSION_1 = """
CREATE TABLE generations (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        scratch INTEGER NOT NULL,
        content TEXT NOT NULL,
        revision INTEGER NOT NULL,
        tables INTEGER NOT NULL,
        refreshed_content TEXT NOT NULL,
        refreshed_revision INTEGER NOT NULL
    );
CREATE TABLE live (
        line INTEGER PRIMARY KEY CHECK (line = 1),
        generation INTEGER NOT NULL REFERENCES generations (number)
    );
CREATE TABLE tables (
        generation INTEGER NOT NULL,
        table_id TEXT NOT NULL,
        digest BLOB NOT NULL,
        input_hash TEXT NOT NULL,
        status TEXT NOT NULL,
        source TEXT,
        database TEXT,
        schema TEXT,
        format TEXT,
        language TEXT,
        column_count INTEGER NOT NULL,
        access TEXT NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (generation, table_id)
    );
PRAGMA application_id = 1347374163;
PRAGMA user_version = 1;
INSERT INTO generations
    (name, scratch, content, revision, tables, refreshed_content, refreshed_revision)
    VALUES ('tables-20261129t010203z-0a1b2c3d', 0, '{zeros}', 0, 0, '{zeros}', 0);
INSERT INTO live VALUES (1, 1);
PRAGMA journal_mode = WAL;
"""
PUT = """INSERT INTO tables (generation, table_id, digest, input_hash, status, source, database,
    schema, format, language, column_count, access, record)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


@pytest.fixture
def folder(tmp_path):
    """A folder of version 1 that holds the tables a and b, refreshed."""
    folder = tmp_path / "store"
    folder.mkdir()
    with closing(first_version(folder)) as database:
        database.executescript(VERSION_1.format(zeros="0" * 64))
        put_as_version_1(database, table("a", "zebra"), table("b", "yak"))
    return folder


def first_version(folder):
    return sqlite3.connect(folder / FILE_NAME, isolation_level=None, timeout=30)


def put_as_version_1(database, *tables):
    """Store and refresh new tables with the statements of version 1."""
    database.execute("BEGIN IMMEDIATE")
    ((number, content),) = database.execute(
        "SELECT number, content FROM generations WHERE number = (SELECT generation FROM live)"
    )
    encoded = [rows.encoded(one) for one in tables]
    database.executemany(PUT, [(number, *one.values) for one in encoded])
    total = int(content, 16) + sum(int.from_bytes(one.digest, "big") for one in encoded)
    content = f"{total % 2**256:064x}"
    database.execute(
        "UPDATE generations SET content = ?, revision = revision + 1, tables = tables + ?, "
        "refreshed_content = ?, refreshed_revision = revision + 1 WHERE number = ?",
        (content, len(encoded), content, number),
    )
    database.execute("COMMIT")


def schema_of(folder):
    """Columns of each table, triggers, and both versions."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as database:
        names = "SELECT type, name FROM sqlite_master ORDER BY type, name"
        objects = database.execute(names).fetchall()
        columns = {
            name: database.execute(f"PRAGMA table_info({name})").fetchall()
            for kind, name in objects
            if kind == "table"
        }
        pragmas = [
            database.execute(f"PRAGMA {name}").fetchone()
            for name in ("user_version", "application_id", "journal_mode")
        ]
        return objects, columns, pragmas


def test_the_tables_of_the_first_version_are_there_and_found(folder):
    with closing(EmbeddedStore(folder)) as store:
        assert words(store) == {"a": "zebra", "b": "yak"}
        assert found(store, "zebra") == ["a"]
        fill(store, table("c", "zebra"))
        assert found(store, "zebra") == ["a", "c"]


def test_its_generation_is_listed_as_far_as_it_is_known(folder):
    with closing(EmbeddedStore(folder)) as store:
        (live,) = store.generations.listed()

    assert (live.name, live.state, live.tables) == ("tables-20261129t010203z-0a1b2c3d", "live", 2)
    assert live.made_at.isoformat() == "2026-11-29T01:02:03+00:00"
    assert live.live_at is None


def test_it_can_be_reindexed_and_is_pruned_as_the_oldest(folder):
    with closing(EmbeddedStore(folder)) as store:
        first = store.status().generation
        second, third = reindex(store, "2"), reindex(store, "3")

        assert words(store) == {"a": "zebra", "b": "yak"}
        assert store.generations.prune(1, unheard) == (first,)
        assert states(store) == {third: "live", second: "kept"}


def test_a_new_folder_and_one_brought_up_to_date_are_alike(folder, tmp_path):
    EmbeddedStore(folder).close()
    EmbeddedStore(tmp_path / "new").close()

    assert schema_of(folder) == schema_of(tmp_path / "new")


def test_it_is_brought_up_to_date_once_by_however_many_at_once(folder):
    problems = []

    def open_and_close():
        try:
            EmbeddedStore(folder).close()
        except StoreProblem as problem:
            problems.append(problem)

    threads = [threading.Thread(target=open_and_close) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert problems == []
    with closing(EmbeddedStore(folder)) as store:
        assert words(store) == {"a": "zebra", "b": "yak"}


def test_a_kill_before_the_end_leaves_the_first_version(folder):
    with closing(first_version(folder)) as database:
        database.execute("CREATE TABLE leases (x)")  # in the way of the last statement

    with pytest.raises(StoreProblem, match="leases already exists"):
        EmbeddedStore(folder)
    with closing(first_version(folder)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (1,)
        database.execute("DROP TABLE leases")

    with closing(EmbeddedStore(folder)) as store:
        assert words(store) == {"a": "zebra", "b": "yak"}


def test_a_process_of_the_first_version_that_still_writes_loses_nothing(folder):
    with closing(first_version(folder)) as older, closing(EmbeddedStore(folder)) as store:
        put_as_version_1(older, table("c", "before"))
        with store.generations.stage("r", unheard) as staged:
            copy(staged)
            put_as_version_1(older, table("d", "meanwhile"))
            finish(staged)
        put_as_version_1(older, table("e", "after"))

        assert words(store) == {
            "a": "zebra",
            "b": "yak",
            "c": "before",
            "d": "meanwhile",
            "e": "after",
        }
        assert found(store, "after") == ["e"]
