"""Exports of information_schema from many systems, in any order of rows, with what is broken."""

import csv
import io
import json
import random

import pytest

from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
from polaris_search.errors import SourceUnreadable
from polaris_search.records import Column, RawTable


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write_file(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return write_file


def as_csv(header, *rows, delimiter=","):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(header.split(","))
    writer.writerows(rows)
    return text.getvalue()


def read(*sources, format=None):
    items = list(read_sources(sources, format))
    tables = [item for item in items if isinstance(item, RawTable)]
    return tables, [item for item in items if isinstance(item, Rejected)]


def test_a_dump_gives_the_tables_that_the_database_would(write):
    write(
        "columns.csv",
        as_csv(
            "table_catalog,table_schema,table_name,column_name,ordinal_position,data_type,"
            "column_comment,table_comment",
            ("prod", "erp", "ord", "id", 1, "integer", "number", "what was sold"),
            ("prod", "erp", "ord", "dt", 2, "date", "", "what was sold"),
            ("prod", "information_schema", "tables", "x", 1, "text", "", ""),
            ("prod", "pg_catalog", "pg_class", "x", 1, "text", "", ""),
        ),
    )

    tables, rejected = read("columns.csv")

    assert tables == [
        RawTable(
            "prod.erp.ord",
            "ord",
            (Column("id", "integer", "number"), Column("dt", "date")),
            {"comment": "what was sold", "column_comments": "id: number"},
            source="columns.csv",
            database="prod",
            schema="erp",
            format="sql",
        )
    ]
    assert rejected == []


STANDARD = "table_catalog,table_schema,table_name,column_name"


@pytest.mark.parametrize(
    ("header", "row", "table_id", "column"),
    [
        (f"{STANDARD},ordinal_position,column_default,data_type,udt_name",
         ("db", "public", "t", "c", "1", "", "ARRAY", "_text"),
         "db.public.t", Column("c", "_text")),
        (f"{STANDARD.upper()},ORDINAL_POSITION,DATA_TYPE,COLUMN_TYPE,COLUMN_COMMENT",
         ("def", "shop", "t", "c", "1", "char", "char(20)", "said"),
         "shop.t", Column("c", "char(20)", "said")),
        (f"{STANDARD.upper()},DATA_TYPE,MS_Description",
         ("db", "dbo", "t", "c", "int", "said"), "db.dbo.t", Column("c", "int", "said")),
        (f"{STANDARD.upper()},ORDINAL_POSITION,DATA_TYPE,COMMENT",
         ("DB", "PUBLIC", "T", "C", "1", "TEXT", "said"),
         "DB.PUBLIC.T", Column("C", "TEXT", "said")),
        (f"{STANDARD},field_path,data_type,description",
         ("project", "set", "t", "c", "c.d", "STRING", "said"),
         "project.set.t", Column("c.d", "STRING", "said")),
        ("database_name,schema_name,table_name,column_name,ordinal_position,data_type,remarks",
         ("dev", "public", "t", "c", "1", "integer", "said"),
         "dev.public.t", Column("c", "integer", "said")),
        (f"{STANDARD},ordinal_position,data_type,full_data_type,comment",
         ("main", "s", "t", "c", "0", "STRUCT", "struct<a:int>", "said"),
         "main.s.t", Column("c", "struct<a:int>", "said")),
        ("OWNER,TABLE_NAME,COLUMN_NAME,DATA_TYPE,COLUMN_ID",
         ("HR", "T", "C", "NUMBER", "1"), "HR.T", Column("C", "NUMBER")),
        ("TABLE_CAT,TABLE_SCHEM,TABLE_NAME,COLUMN_NAME,TYPE_NAME,REMARKS",
         ("db", "s", "t", "c", "INTEGER", "said"), "db.s.t", Column("c", "INTEGER", "said")),
        ('"table_schema", [Table_Name] ,`column_name`,data_type',
         ("s", "t", "c", "int"), "s.t", Column("c", "int")),
    ],
    ids=[
        "postgresql", "mysql", "sqlserver", "snowflake", "bigquery", "redshift", "databricks",
        "oracle", "jdbc", "quoted",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["csv", "tsv", "semicolons", "list", "lines"])
def test_the_exports_of_many_systems_are_known_by_their_columns(
    write, form, header, row, table_id, column
):
    names = [name.strip() for name in header.split(",")]
    record = dict(zip(names, row, strict=True))
    content = {
        "csv": as_csv(header, row),
        "tsv": as_csv(header, row, delimiter="\t"),
        "semicolons": as_csv(header, row, delimiter=";"),
        "list": json.dumps([record]),
        "lines": json.dumps(record) + "\n",
    }[form]
    extension = {"csv": "csv", "tsv": "tsv", "semicolons": "txt", "list": "json", "lines": "jsonl"}
    write(f"dump.{extension[form]}", content)

    (table,), rejected = read(f"dump.{extension[form]}")

    assert (table.table_id, table.columns) == (table_id, (column,))
    assert rejected == []


def test_rows_in_any_order_give_each_table_whole_and_its_columns_in_theirs(write):
    rows = [
        ("s", f"t{table}", f"c{column}", column, "int")
        for table in range(40)
        for column in range(1, 13)
    ]
    random.Random(1).shuffle(rows)
    header = "table_schema,table_name,column_name,ordinal_position,data_type"
    write("columns.csv", as_csv(header, *rows))

    tables, _ = read("columns.csv")

    assert sorted(table.name for table in tables) == sorted(f"t{table}" for table in range(40))
    names = tuple(f"c{column}" for column in range(1, 13))
    assert {tuple(column.name for column in table.columns) for table in tables} == {names}


def test_without_positions_columns_stand_as_the_rows_do(write):
    write(
        "dump.csv", as_csv("table_schema,table_name,column_name", *(("s", "t", c) for c in "zay"))
    )

    (table,), _ = read("dump.csv")

    assert [column.name for column in table.columns] == ["z", "a", "y"]


@pytest.mark.parametrize("null", ["", "NULL", r"\N", "(null)"])
def test_nulls_are_no_texts_but_may_be_names(write, null):
    header = "table_catalog,table_schema,table_name,column_name,data_type,column_comment"
    write("dump.csv", as_csv(header, (null, "s", "t", "NULL", null, null)))

    (table,), _ = read("dump.csv")

    assert table.table_id == "s.t"
    assert table.columns == (Column("NULL"),)


# A dump of tables beside it

COLUMNS = as_csv("table_schema,table_name,column_name,data_type", ("s", "t", "c", "int"))
TABLES = as_csv(
    "table_catalog,table_schema,table_name,table_type,comment",
    ("db", "s", "t", "BASE TABLE", "said of t"),
    ("db", "s", "u", "VIEW", "said of u"),
)


def test_a_dump_of_tables_beside_it_gives_comments_and_tables_without_columns(write):
    write("d/columns.csv", COLUMNS)
    write("d/tables.csv", TABLES)

    for sources in (["d"], ["d/columns.csv", "d/tables.csv"], ["d/tables.csv", "d/columns.csv"]):
        tables, rejected = read(*sources)

        assert [(t.table_id, len(t.columns), t.context["comment"]) for t in tables] == [
            ("s.t", 1, "said of t"),
            ("db.s.u", 0, "said of u"),
        ]
        assert rejected == []


def test_of_a_dump_of_tables_that_nobody_named_comments_alone_are_taken(write):
    write("columns.csv", COLUMNS)
    write("tables.csv", TABLES)

    (table,), rejected = read("columns.csv")

    assert (table.table_id, dict(table.context), rejected) == (
        "s.t", {"comment": "said of t"}, [],
    )  # fmt: skip


def test_a_dump_of_tables_named_without_its_columns_is_refused_with_the_next_step(write):
    write("columns.csv", COLUMNS)
    write("tables.csv", TABLES)

    with pytest.raises(SourceUnreadable, match=r"without their columns\. Name columns.csv beside"):
        read("tables.csv")


def test_a_dump_of_tables_alone_gives_tables_without_columns(write):
    write("tables.csv", TABLES)

    tables, _ = read("tables.csv")

    assert [table.table_id for table in tables] == ["db.s.t", "db.s.u"]


def test_bigquerys_options_are_a_dump_of_tables(write):
    write("columns.csv", COLUMNS)
    write(
        "table_options.csv",
        as_csv(
            "table_catalog,table_schema,table_name,option_name,option_type,option_value",
            ("p", "s", "t", "labels", "ARRAY", '[STRUCT("a", "b")]'),
            ("p", "s", "t", "description", "STRING", r'"said \"so\""'),
        ),
    )

    tables, _ = read(".")

    assert [dict(table.context) for table in tables] == [{"comment": 'said "so"'}]


def test_the_files_of_a_split_export_give_each_table_once(write):
    header = "table_schema,table_name,column_name,ordinal_position"
    write("d/data_0_0_0.csv", as_csv(header, ("s", "t", "b", 2), ("s", "u", "x", 1)))
    write("d/data_0_1_0.csv", as_csv(header, ("s", "t", "a", 1)))

    tables, rejected = read("d")

    assert [(t.name, [c.name for c in t.columns]) for t in tables] == [
        ("t", ["a", "b"]), ("u", ["x"]),
    ]  # fmt: skip
    assert rejected == []


def test_comments_in_a_file_of_their_own_are_put_to_the_columns(write):
    write(
        "d/cols.csv", as_csv("OWNER,TABLE_NAME,COLUMN_NAME,DATA_TYPE", ("HR", "T", "C", "NUMBER"))
    )
    write(
        "d/comments.csv", as_csv("OWNER,TABLE_NAME,COLUMN_NAME,COMMENTS", ("HR", "T", "C", "said"))
    )

    (table,), _ = read("d")

    assert table.columns == (Column("C", "NUMBER", "said"),)


# What is broken


@pytest.mark.parametrize(
    ("bad", "problem", "table_id"),
    [
        ("s,t\n", "The row has 2 fields, the header has 4", None),
        ("s,,c,int\n", "The row names no table", None),
        ("s,t,,int\n", "The row names no column", "s.t"),
        ('s,t,"open,int\n', "A quote is left open, or not doubled inside a quoted text", None),
        ("s,t,caf\udce9,int\n", "Byte 0xe9 is not UTF-8", None),
    ],
)
def test_a_bad_row_costs_itself_alone(write, bad, problem, table_id):
    content = f"{COLUMNS}{bad}s,u,d,int\r\n"
    write("columns.csv", content.encode("utf-8", "surrogateescape"))

    tables, (one,) = read("columns.csv")

    assert [table.table_id for table in tables] == ["s.t", "s.u"]
    assert (one.line, one.problem, one.table_id) == (3, problem, table_id)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ("7", "The row is not an object"),
        ('{"table_name": nonsense}', "The row is not valid JSON (Expecting value at 16)"),
        ('{"table_name": "\\ud800", "column_name": "c"}', "The row holds half a surrogate pair"),
        ('{"table_name": "t"}', "The row names no column"),
    ],
)
def test_a_bad_row_of_json_costs_itself_alone(write, bad, problem):
    good = '{"table_schema": "s", "table_name": "%s", "column_name": "c"}'
    write("rows.jsonl", "\n".join((good % "t", bad, good % "u")))

    tables, (one,) = read("rows.jsonl")

    assert [table.name for table in tables] == ["t", "u"]
    assert (one.line, one.problem) == (2, problem)


def test_a_table_that_cannot_be_stored_stops_no_other(write):
    write("columns.csv", COLUMNS + "s,bad,a\0b,int\r\ns,u,d,int\r\n")

    tables, (one,) = read("columns.csv")

    assert [table.name for table in tables] == ["t", "u"]
    assert (one.table_id, one.problem) == ("s.bad", "s.bad: The column 1 holds a NUL character")


@pytest.mark.parametrize(
    ("content", "problem"),
    [("", "The file is empty"), ("a,b\n1,2\n", "The header is not that of information_schema")],
)
def test_what_is_no_dump_is_reported_once(write, content, problem):
    write("x.csv", content)

    tables, (one,) = read("x.csv", format="information_schema")

    assert tables == []
    assert one.problem.startswith(problem)


@pytest.mark.parametrize(
    "header", ["table_name,column_count,owner_id", "name,column_name,data_type"]
)
def test_data_that_only_looks_alike_is_data(write, header):
    write("data.csv", header + "\n1,2,3\n")

    (table,), _ = read("data.csv")

    assert (table.table_id, table.format) == ("data.csv", "csv")
