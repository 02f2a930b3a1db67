"""Databases: tables and views become tables; nothing is written, and what fails is reported."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import duckdb
import pytest

from ingest.readers.formats import SQLITE_MAGIC
from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
from ingest.seen import SeenIds
from polaris_search.errors import SourceUnreadable
from polaris_search.records import Column, RawTable


@pytest.fixture
def database(tmp_path):
    """Return a function that makes a SQLite file from statements and returns its path."""

    def make(*statements, name="shop.db"):
        path = tmp_path / name
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return path

    return make


def test_tables_come_before_views_with_types_and_facets(database):
    path = database(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, total NUMERIC(8, 2), note)",
        "CREATE TABLE customers (name VARCHAR(20))",
        "CREATE VIEW big AS SELECT id FROM orders",
    )

    found = list(read_sources([str(path)]))

    assert found == [
        RawTable(
            f"shop.main.{name}",
            name,
            columns,
            source=str(path),
            database="shop",
            schema="main",
            format="sql",
        )
        for name, columns in [
            ("customers", (Column("name", "VARCHAR(20)"),)),
            ("orders", (Column("id", "INTEGER"), Column("total", "NUMERIC(8, 2)"), Column("note"))),
            ("big", (Column("id", "INTEGER"),)),
        ]
    ]


def test_a_file_and_its_address_give_the_same_tables(database):
    path = database("CREATE TABLE t (a)", name="a b#1.sqlite")

    by_path, by_url = list(read_sources([str(path)])), list(read_sources([f"sqlite:///{path}"]))

    assert by_path == by_url
    assert by_path[0].table_id == "a b#1.main.t"


def test_odd_names_are_taken_as_they_are(database):
    wide = ", ".join(f"c{number}" for number in range(2000))  # SQLite's own limit
    path = database('CREATE TABLE "a.b/c d" ("x y", "x.y")', f"CREATE TABLE wide ({wide})")

    odd, wide_table = read_sources([str(path)])

    assert (odd.table_id, odd.name) == ("shop.main.a.b/c d", "a.b/c d")
    assert [column.name for column in odd.columns] == ["x y", "x.y"]
    assert len(wide_table.columns) == 2000


def test_a_database_is_never_written_to(database):
    path = database("CREATE TABLE t (a)")
    before = path.read_bytes()

    list(read_sources([str(path)]))

    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("options", ["", "?timeout=5"])
def test_a_missing_database_is_not_made(tmp_path, options):
    with pytest.raises(SourceUnreadable, match="gone.db: There is no such file"):
        read_sources([f"sqlite:///{tmp_path}/gone.db{options}"])

    assert list(tmp_path.iterdir()) == []


def test_a_view_that_no_longer_works_is_reported_and_the_others_are_kept(database):
    path = database(
        "CREATE TABLE gone (a)",
        "CREATE TABLE kept (a)",
        "CREATE VIEW broken AS SELECT a FROM gone",
        "DROP TABLE gone",
    )

    good, bad = read_sources([str(path)])

    assert good.name == "kept"
    assert isinstance(bad, Rejected)
    assert bad.table_id == "shop.main.broken"
    assert bad.sentence == (
        f"{path}: main.broken cannot be inspected (no such table: main.gone). "
        "Check that the user may read it and that it still works."
    )


def test_a_damaged_database_is_reported_and_others_are_kept(database, tmp_path):
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(SQLITE_MAGIC + 100 * b"x")
    database("CREATE TABLE t (a)")

    bad, good = read_sources([str(tmp_path)])

    assert (bad.source, bad.line) == (str(damaged), None)
    assert bad.problem == "Schema main cannot be inspected (file is not a database)"
    assert good.table_id == "shop.main.t"


def test_an_empty_database_holds_no_tables(database):
    assert list(read_sources([str(database("CREATE TABLE t (a)", "DROP TABLE t"))])) == []


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("nonsense://host/db", "No database system is known as nonsense"),
        ("oracle+none://u:secret@host/db", "No database system is known as oracle"),
        ("://", "This is not the address of a database"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused_without_its_password(address, problem):
    with pytest.raises(SourceUnreadable, match=problem) as refused:
        read_sources([address])

    assert "secret" not in str(refused.value)


def test_a_driver_that_is_not_installed_is_named():
    with pytest.raises(SourceUnreadable, match="The driver MySQLdb is not installed") as refused:
        read_sources(["mysql://user:secret@host/db"])

    assert "secret" not in str(refused.value)


# DuckDB: the same promises, and comments


@pytest.fixture
def duck(tmp_path):
    """Return a function that makes a DuckDB file from statements and returns its path."""

    def make(*statements, name="shop.duckdb"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        with closing(duckdb.connect(str(path))) as connection:
            for statement in statements:
                connection.execute(statement)
        return path

    return make


def test_comments_of_tables_views_and_columns_become_context(duck):
    path = duck(
        'CREATE TABLE vac ("DTPh" VARCHAR, n INTEGER)',
        "COMMENT ON TABLE vac IS 'Vaccinations by year'",
        "COMMENT ON COLUMN vac.\"DTPh\" IS 'combined vaccine'",
        "CREATE SCHEMA erp",
        "CREATE VIEW erp.v AS SELECT n FROM vac",
        "COMMENT ON VIEW erp.v IS 'a view'",
    )

    view, table = read_sources([str(path)])

    assert table == RawTable(
        "shop.main.vac",
        "vac",
        (Column("DTPh", "VARCHAR", "combined vaccine"), Column("n", "INTEGER")),
        {"comment": "Vaccinations by year", "column_comments": "DTPh: combined vaccine"},
        source=str(path),
        database="shop",
        schema="main",
        format="sql",
    )
    assert (view.table_id, dict(view.context)) == ("shop.erp.v", {"comment": "a view"})
    assert [column.name for column in view.columns] == ["n"]


@pytest.mark.parametrize("name", ["shop.duckdb", "shop.db", "shop"])
def test_a_duckdb_file_is_known_by_its_content_and_by_its_address(duck, name):
    path = duck("CREATE TABLE t (a INTEGER)", name=name)

    by_path, by_url = list(read_sources([str(path)])), list(read_sources([f"duckdb:///{path}"]))

    assert [table.table_id for table in by_path] == ["shop.main.t"]
    assert by_path == by_url
    assert [item.table_id for item in read_sources([str(path.parent)])] == ["shop.main.t"]


def test_a_duckdb_file_is_neither_written_to_nor_made(duck, tmp_path):
    path = duck("CREATE TABLE t (a INTEGER)")
    before = path.read_bytes()

    list(read_sources([str(path)]))
    with pytest.raises(SourceUnreadable, match=r"gone\.db: There is no such file"):
        read_sources([f"duckdb:///{tmp_path}/gone.db"])

    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_duckdb_file_that_another_reader_has_open_is_read(duck):
    path = duck("CREATE TABLE t (a INTEGER)")
    program = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True)\n"
        "print('open', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        other.stdout.readline()  # now it shares the file with readers, and with no writer

        assert [item.table_id for item in read_sources([str(path)])] == ["shop.main.t"]
        other.stdin.close()


def test_odd_names_and_a_broken_view_in_duckdb_cost_nothing_else(duck):
    path = duck(
        'CREATE TABLE "a.b/c d" ("x y" STRUCT(p INTEGER)[])',
        "CREATE TABLE gone (a INTEGER)",
        "CREATE VIEW broken AS SELECT a FROM gone",
        "DROP TABLE gone",
    )

    tables = {item.name: item for item in read_sources([str(path)]) if isinstance(item, RawTable)}

    assert tables["a.b/c d"].columns == (Column("x y", "STRUCT(p INTEGER)[]"),)


# Databases of one name


def test_two_files_of_one_name_keep_all_their_tables(database, tmp_path, monkeypatch):
    for folder in ("sa", "sb", "sc"):
        (tmp_path / folder).mkdir()
    database("CREATE TABLE t (a)", name="sa/shop.db")
    database("CREATE TABLE t (b)", "CREATE TABLE u (b)", name="sb/shop.db")
    database("CREATE TABLE t (c)", name="sc/shop.db")
    monkeypatch.chdir(tmp_path)

    tables = list(read_sources(["."]))

    assert [(table.table_id, table.columns[0].name) for table in tables] == [
        ("shop.main.t", "a"),
        ("sb/shop.db.main.t", "b"),
        ("shop.main.u", "b"),
        ("sc/shop.db.main.t", "c"),
    ]
    assert list(read_sources(["."])) == tables


def test_a_namesake_in_a_folder_whose_name_is_no_utf8_keeps_its_tables(database, tmp_path):
    folder = tmp_path / os.fsdecode(b"z\xe9")
    folder.mkdir()
    database("CREATE TABLE t (a)")
    shutil.copy(tmp_path / "shop.db", folder / "shop.db")

    first, second = read_sources([str(tmp_path)])

    assert first.table_id == "shop.main.t"
    assert second.table_id == f"{tmp_path}/z\\udce9/shop.db.main.t"


def test_one_file_that_is_named_twice_gives_its_tables_once(database, tmp_path, monkeypatch):
    database("CREATE TABLE t (a)")
    monkeypatch.chdir(tmp_path)

    table, again = read_sources(["shop.db", f"sqlite:///{tmp_path}/shop.db"])

    assert table.table_id == "shop.main.t"
    assert again.problem == "The table_id 'shop.main.t' was read before; the first table was kept"


def test_a_table_of_a_namesake_that_cannot_be_read_still_counts_as_there(database, tmp_path):
    for folder in ("sa", "sb"):
        (tmp_path / folder).mkdir()
    database("CREATE TABLE v (a)", name="sa/shop.db")
    broken = ("CREATE TABLE g (a)", "CREATE VIEW v AS SELECT a FROM g", "DROP TABLE g")
    database(*broken, name="sb/shop.db")
    seen = SeenIds()

    list(read_sources([str(tmp_path)], seen=seen))

    assert f"{tmp_path}/sb/shop.db.main.v" in seen


# Addresses as people have them


@pytest.mark.parametrize(
    ("address", "remedy"),
    [
        ("mysql://u:secret@host/db", r"pip install pymysql\."),
        ("mssql://u:secret@host/db", r"pip install pyodbc\."),
        ("oracle://u:secret@host/db", r"pip install oracledb\."),
        ("snowflake://u:secret@account/db", r"pip install snowflake-sqlalchemy\."),
        ("bigquery://project", r"pip install sqlalchemy-bigquery\."),
        ("redshift+psycopg2://u:secret@host/db", r"Write it as postgresql://"),
        ("jdbc:postgresql://host/db?user=u&password=secret", r"Leave out jdbc:\. Write it as"),
    ],
)
def test_what_to_install_or_write_for_an_address_is_said(address, remedy):
    with pytest.raises(SourceUnreadable, match=remedy) as refused:
        read_sources([address])

    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_a_missing_driver_of_an_extra_is_a_sentence_with_the_command(scheme):
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from ingest.readers.sources import read_sources\n"
        "from polaris_search.errors import SourceUnreadable\n"
        "try: read_sources([sys.argv[1]])\n"
        "except SourceUnreadable as refused: print(refused)"
    )
    address = f"{scheme}://u:secret@host/db"

    done = subprocess.run(
        [sys.executable, "-c", program, address], capture_output=True, text=True, check=True
    )

    assert done.stdout == (
        f"{scheme}://host/db: The driver psycopg is not installed. "
        "Install it with: pip install 'polaris-search[postgres]'.\n"
    )
