"""Databases: tables and views become tables; nothing is written, and what fails is reported."""

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import Integer, String
from sqlalchemy.engine import make_url
from sqlalchemy.types import NullType

from ingest.readers import sql
from ingest.readers.find import SQLITE_MAGIC
from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
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


class CommentingInspector:
    """What SQLAlchemy tells of one table in a system that keeps comments, as PostgreSQL does."""

    def __init__(self, engine):
        self.engine = engine
        self.dialect = make_url("postgresql+psycopg://").get_dialect()()

    def get_schema_names(self):
        return ["information_schema", "pg_catalog", "public"]

    def get_table_names(self, schema):
        return ["vac"]

    def get_view_names(self, schema):
        return []

    def get_columns(self, name, schema):
        return [
            {"name": "DTPh", "type": String(10), "comment": "combined vaccine"},
            {"name": "n", "type": Integer(), "comment": None},
            {"name": "geo", "type": NullType(), "comment": "where"},
        ]

    def get_table_comment(self, name, schema):
        return {"text": "Vaccinations by year"}

    def clear_cache(self):
        pass


def test_comments_become_context_and_system_schemas_are_passed_over():
    database = sql.Database(None, "postgresql://host/health", "health")

    (row,) = sql.read_schemas(database, CommentingInspector(None))

    assert row.table == RawTable(
        "health.public.vac",
        "vac",
        (Column("DTPh", "VARCHAR(10)", "combined vaccine"), Column("n", "INTEGER"),
         Column("geo", None, "where")),
        {"comment": "Vaccinations by year",
         "column_comments": "DTPh: combined vaccine; geo: where"},
        database="health",
        schema="public",
        format="sql",
    )  # fmt: skip
