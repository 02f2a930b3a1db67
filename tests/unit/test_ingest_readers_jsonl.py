"""JSON lines: what is taken, what is reported and where."""

import json

import pytest

from ingest.readers import jsonl
from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
from polaris_search.records import Column, RawTable

GOOD = b'{"table_id": "good", "name": "G", "columns": []}\n'


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write_and_read(content):
        (tmp_path / "tables.jsonl").write_bytes(content)
        items = list(read_sources(["tables.jsonl"]))
        tables = [item for item in items if isinstance(item, RawTable)]
        return tables, [item for item in items if isinstance(item, Rejected)]

    return write_and_read


def test_an_object_becomes_a_table(read):
    record = {
        "table_id": "a/b",
        "name": "DTPh",
        "columns": ["x", {"name": "y", "type": "int", "comment": "years"}],
        "context": {"caption": "Vaccinations", "year": 2024},
        "source": "erp",
        "database": "db",
        "schema": "dbo",
        "format": "parquet",
        "language": "nl",
        "access": ["hr"],
        "other": "passed over",
    }

    tables, rejected = read(json.dumps(record).encode())

    assert tables == [
        RawTable(
            "a/b",
            "DTPh",
            (Column("x"), Column("y", "int", "years")),
            {"caption": "Vaccinations", "year": "2024"},
            "erp",
            "db",
            "dbo",
            "parquet",
            "nl",
            ("hr",),
        )
    ]
    assert rejected == []


def test_byte_order_mark_line_ends_and_blank_lines_make_no_difference(read):
    tables, rejected = read(b"\xef\xbb\xbf" + GOOD.strip() + b"\r\n\r\n  \n")

    assert [table.table_id for table in tables] == ["good"]
    assert rejected == []


def test_numbers_as_ids_and_nulls_are_taken(read):
    (table,), _ = read(b'{"table_id": 7, "name": null, "columns": null, "database": null}')

    assert table == RawTable("7", "", source="tables.jsonl")


def line(table_id="t", name="n", columns="[]", more=""):
    return f'{{"table_id": "{table_id}", "name": {name}, "columns": {columns}{more}}}'.encode()


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (b'{"table_id": ', "The line is not valid JSON (Expecting value at 14)"),
        (b"[1]", "The line is not a JSON object"),
        (b'{"name": "n", "columns": []}', "The object has no key table_id"),
        (b'{"table_id": "t", "colums": []}', "The object has no key name, columns"),
        (line("", '"n"'), "The table_id is empty"),
        (line("t", '["n"]'), "name is not a text"),
        (line("t", '"n"', '"a, b"'), "columns is not a list"),
        (line("t", r'"n\u0000"'), "The table_name holds a NUL character"),
        (line("t", '"n\0"'), "The line is not valid JSON (Invalid control character at 29)"),
        (line("t", '"?"').replace(b"?", b"\xe9"), "Byte 0xe9 is not UTF-8"),
        (line("t", '"n"', "[]", ', "access": "hr"'), "access is not a list of groups"),
        (line("t", '"n"', "[]", ', "access": [""]'), "access is not a list of groups"),
        (b'{"a":' * 200_000, "The line is JSON beyond reading"),
    ],
)
def test_good_lines_are_kept_when_one_is_broken(read, bad, problem):
    tables, (one,) = read(GOOD + b"\n" + bad + b"\n" + GOOD.replace(b"good", b"after"))

    assert [table.table_id for table in tables] == ["good", "after"]
    assert (one.source, one.line, one.problem) == ("tables.jsonl", 3, problem)
    assert one.excerpt


@pytest.mark.parametrize(
    ("written", "table_id"),
    [
        ('"' + 900 * "x" + '"', 900 * "x"),
        ("7", "7"),
        ("0", "0"),
        ("true", "true"),
        ("null", None),
        ('" "', None),
        ('["t"]', None),
    ],
)
def test_a_broken_line_is_reported_with_the_whole_id_it_names(read, written, table_id):
    _, (one,) = read(f'{{"table_id": {written}, "name": ["n"], "columns": []}}'.encode())

    assert one.table_id == table_id


def test_a_line_without_end_is_passed_over_whole(read, monkeypatch):
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", 1000)
    long = b'{"table_id": "t", "name": "' + 5000 * b"x" + b'", "columns": []}\n'

    tables, (one,) = read(long + GOOD)

    assert [table.table_id for table in tables] == ["good"]
    assert (one.line, one.remedy) == (1, "Shorten it.")


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_file_is_reported(read, content):
    tables, (one,) = read(content)

    assert tables == []
    assert one.sentence == "tables.jsonl: The file is empty. Write it again, or leave it out."
