"""A real PostgreSQL, read as a person names it: what is found there, and that nothing stops it."""

import re
import secrets
import subprocess
from pathlib import Path

import pytest
from postgres_server import ADMIN, programs

from ingest.readers.sources import read_sources
from ingest.readers.sql import databases
from ingest.rejected import Rejected
from polaris_search.errors import SourceUnreadable
from polaris_search.records import Column, RawTable

pytestmark = pytest.mark.pg

DOCS = Path(__file__).parents[2] / "docs" / "ingesting.md"


@pytest.fixture
def database(postgres):
    """Return a function that makes a database from statements, and returns its address."""
    made = []

    def make(*statements, user=ADMIN):
        name = f"t{secrets.token_hex(6)}"
        postgres.execute(f"CREATE DATABASE {name}")
        made.append(name)
        postgres.execute(*statements, database=name)
        return postgres.url(name, user)

    yield make
    for name in made:
        postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")


def tables(address):
    """Return the tables of a database by id without its name; fail on anything rejected."""
    items = list(read_sources([address]))
    assert [item.sentence for item in items if isinstance(item, Rejected)] == []
    return {item.table_id.partition(".")[2]: item for item in items}


def test_comments_of_tables_and_columns_become_context_and_types_are_kept(database):
    address = database(
        'CREATE TABLE vac ("DTPh" varchar(10), n integer, at timestamptz, tags text[])',
        "COMMENT ON TABLE vac IS 'Vaccinations by year'",
        """COMMENT ON COLUMN vac."DTPh" IS 'combined vaccine'""",
        "COMMENT ON COLUMN vac.n IS 'doses; given'",
    )

    (table,) = read_sources([address])

    name = address.rpartition("/")[2]
    assert table == RawTable(
        f"{name}.public.vac",
        "vac",
        (
            Column("DTPh", "VARCHAR(10)", "combined vaccine"),
            Column("n", "INTEGER", "doses; given"),
            Column("at", "TIMESTAMP WITH TIME ZONE"),
            Column("tags", "TEXT[]"),
        ),
        {
            "comment": "Vaccinations by year",
            "column_comments": "DTPh: combined vaccine; n: doses; given",
        },
        source=address.replace(f"{ADMIN}@", ""),
        database=name,
        schema="public",
        format="sql",
    )


def test_views_materialized_views_and_foreign_tables_are_found_with_their_comments(database):
    address = database(
        "CREATE TABLE t (a int)",
        "CREATE VIEW v AS SELECT a FROM t",
        "COMMENT ON VIEW v IS 'a view'",
        "COMMENT ON COLUMN v.a IS 'of the view'",
        "CREATE MATERIALIZED VIEW m AS SELECT a FROM t",
        "COMMENT ON MATERIALIZED VIEW m IS 'materialized'",
        "CREATE FOREIGN DATA WRAPPER w",
        "CREATE SERVER s FOREIGN DATA WRAPPER w",
        "CREATE FOREIGN TABLE f (b text) SERVER s",
        "COMMENT ON FOREIGN TABLE f IS 'elsewhere'",
    )

    found = tables(address)

    assert list(found) == ["public.f", "public.t", "public.m", "public.v"]
    assert found["public.v"].context == {"comment": "a view", "column_comments": "a: of the view"}
    assert found["public.m"].context == {"comment": "materialized"}
    assert found["public.f"].columns == (Column("b", "TEXT"),)
    assert found["public.f"].context == {"comment": "elsewhere"}


def test_a_partitioned_table_is_one_table_however_many_partitions_it_has(database):
    partitions = [
        f"CREATE TABLE log_{year} PARTITION OF log FOR VALUES FROM ({year}) TO ({year + 1})"
        for year in range(2000, 2020)
    ]
    address = database(
        "CREATE TABLE log (year int, line text) PARTITION BY RANGE (year)",
        *partitions,
        "COMMENT ON TABLE log IS 'what happened'",
    )

    found = tables(address)

    assert list(found) == ["public.log"]
    assert found["public.log"].context == {"comment": "what happened"}


def test_every_schema_is_read_but_the_systems_own(database):
    address = database(
        "CREATE SCHEMA erp",
        'CREATE SCHEMA "Odd.Schema"',
        "CREATE TABLE erp.t (a int)",
        'CREATE TABLE "Odd.Schema".t (b int)',
        "CREATE TABLE t (c int)",
        "CREATE TEMP TABLE passing (d int)",
    )

    assert sorted(tables(address)) == ["Odd.Schema.t", "erp.t", "public.t"]


def test_odd_names_are_taken_as_they_are(database):
    odd = [
        "a b",
        "a.b",
        "Order",
        'say "hi"',
        "100%",
        ":x",
        "%(y)s",
        "設備维修",
        "tab\tbed",
        "o'clock",
    ]
    names = [*odd, 63 * "n"]
    quoted = ['"' + name.replace('"', '""').replace("%", "%%") + '"' for name in names]

    found = tables(
        database(
            *(f"CREATE TABLE {each} ({each} int)" for each in quoted),
            *(f"COMMENT ON TABLE {each} IS 'described'" for each in quoted),
        )
    )

    assert {table.name: table.columns[0].name for table in found.values()} == {n: n for n in names}
    assert {table.context["comment"] for table in found.values()} == {"described"}


def test_a_user_without_rights_still_gets_what_the_catalog_shows(postgres, database):
    user = f"u{secrets.token_hex(6)}"
    postgres.execute(f"CREATE ROLE {user} LOGIN")
    address = database(
        "CREATE SCHEMA closed",
        "CREATE TABLE closed.t (a int)",
        "CREATE TABLE mine (b int)",
        f"GRANT SELECT ON mine TO {user}",
        user=user,
    )

    assert sorted(tables(address)) == ["closed.t", "public.mine"]


def test_types_of_a_databases_own_are_no_trouble(database):
    address = database(
        "CREATE TYPE mood AS ENUM ('good', 'bad')",
        "CREATE DOMAIN zip AS varchar(5)",
        "CREATE TYPE pair AS (x int, y int)",
        "CREATE TABLE t (m mood, z zip, p pair, ps pair[], r int4range, x xml)",
    )

    (table,) = tables(address).values()

    assert [column.name for column in table.columns] == ["m", "z", "p", "ps", "r", "x"]


def test_no_row_is_read(database):
    address = database(
        "CREATE TABLE t (a int)",
        "INSERT INTO t SELECT generate_series(1, 10)",
        "CREATE FUNCTION boom() RETURNS int LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'a row was read'; END $$",
        "CREATE VIEW v AS SELECT boom() AS b FROM t",
    )

    assert list(tables(address)) == ["public.t", "public.v"]


def test_a_chunk_that_fails_is_asked_for_table_by_table(postgres, database, monkeypatch):
    monkeypatch.setattr(databases, "CHUNK_TABLES", 3)
    names = [f"t{number}" for number in range(8)]
    address = database(*(f"CREATE TABLE {name} (a int)" for name in names))
    items = read_sources([address])
    first = next(items)
    # Dropped behind the reader's back, after the names were listed and the first chunk was read.
    postgres.execute("DROP TABLE t4", database=address.rpartition("/")[2])

    rest = list(items)

    read = [item.name for item in (first, *rest) if isinstance(item, RawTable)]
    (gone,) = [item for item in rest if isinstance(item, Rejected)]
    assert read == [name for name in names if name != "t4"]
    assert gone.table_id == f"{address.rpartition('/')[2]}.public.t4"
    assert gone.problem == "public.t4 cannot be inspected (it is no longer there)"


def test_the_documented_export_gives_the_tables_that_the_database_gives(database, tmp_path):
    address = database(
        "CREATE SCHEMA erp",
        'CREATE TABLE erp.orders (id int, "Order Date" date)',
        "COMMENT ON TABLE erp.orders IS 'what was sold'",
        "COMMENT ON COLUMN erp.orders.id IS 'its number'",
        "CREATE VIEW recent AS SELECT id FROM erp.orders",
    )
    (command,) = re.findall(r"^\\copy .*$", DOCS.read_text(encoding="utf-8"), re.M)
    psql = [programs() / "psql", address, "-q", "-v", "ON_ERROR_STOP=1", "-c", command]
    subprocess.run(psql, cwd=tmp_path, check=True)

    live = tables(address)
    exported = tables(str(tmp_path / "columns.csv"))

    assert sorted(live) == sorted(exported) == ["erp.orders", "public.recent"]
    for key, table in live.items():
        other = exported[key]
        assert (other.table_id, other.name, other.database, other.schema, other.format) == (
            table.table_id, table.name, table.database, table.schema, table.format,
        )  # fmt: skip
        assert other.context == table.context
        assert [(c.name, c.comment) for c in other.columns] == [
            (c.name, c.comment) for c in table.columns
        ]


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_a_connection_string_works_as_it_is_handed_out(database, scheme):
    address = database("CREATE TABLE t (a int)").replace("postgresql", scheme)

    assert list(tables(address)) == ["public.t"]


def test_a_database_that_is_not_there_is_refused_in_a_sentence(postgres):
    with pytest.raises(SourceUnreadable, match='database "gone" does not exist.* Check the addr'):
        read_sources([postgres.url("gone")])


def test_two_databases_of_one_name_on_two_servers_do_not_share_ids(database):
    address = database("CREATE TABLE t (a int)")
    other = address.replace("127.0.0.1", "localhost")

    first, second = read_sources([address, other])

    name = address.rpartition("/")[2]
    assert first.table_id == f"{name}.public.t"
    assert second.table_id == f"{other.replace(f'{ADMIN}@', '')}.public.t"
