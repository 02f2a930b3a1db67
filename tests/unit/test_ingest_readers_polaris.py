"""The paper's layout: what is taken, what is reported and where, and that good rows are kept."""

import csv
import json

import pytest

from ingest.readers import delimited
from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
from polaris_search.records import Column, RawTable

HEADER = "table_id,table_name,column_names,table_context\n"
GOOD = 'good,Good,"[""a""]",\n'


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Write metadata.csv and return its tables and its rejected rows."""
    monkeypatch.chdir(tmp_path)

    def write_and_read(content, encoding="utf-8"):
        data = content if isinstance(content, bytes) else content.encode(encoding)
        (tmp_path / "metadata.csv").write_bytes(data)
        items = list(read_sources(["metadata.csv"]))
        tables = [item for item in items if isinstance(item, RawTable)]
        return tables, [item for item in items if isinstance(item, Rejected)]

    return write_and_read


def row(*fields):
    return ",".join('"' + field.replace('"', '""') + '"' for field in fields) + "\n"


def only_problem(found):
    tables, rejected = found
    assert [table.table_id for table in tables] == ["good"]
    (one,) = rejected
    return one


def test_a_row_becomes_a_table(read):
    content = HEADER + row("dbo.Vac", "Vac", '["DTPh", "n"]', '{"caption": "Vaccinations"}')
    columns, context = (Column("DTPh"), Column("n")), {"caption": "Vaccinations"}

    assert read(content) == (
        [RawTable("dbo.Vac", "Vac", columns, context, source="metadata.csv")],
        [],
    )


def test_optional_columns_become_facets_and_groups(read):
    header = "table_id,table_name,column_names,source,database,schema,format,language,access,own\n"
    content = header + row(
        "t", "T", "[]", "erp", "db", "dbo", "sql", "en", '["hr", "audit"]', "passed over"
    )

    (table,), _ = read(content)

    assert (table.source, table.database, table.schema) == ("erp", "db", "dbo")
    assert (table.format, table.language, table.access) == ("sql", "en", ("hr", "audit"))


def test_columns_may_stand_in_any_order_and_context_may_be_missing(read):
    tables, _ = read('column_names, table_id ,table_name\n"[""a""]",t,T\n')

    assert tables == [RawTable("t", "T", (Column("a"),), source="metadata.csv")]


@pytest.mark.parametrize(
    ("written", "context"),
    [
        ("", {}),
        ("{}", {}),
        ("null", {}),
        ("Sales by region", {"context": "Sales by region"}),
        ('"Sales by region"', {"context": "Sales by region"}),
        ("[draft] Sales", {"context": "[draft] Sales"}),
        ("2024", {"context": "2024"}),
        ('{"year": 2024, "share": 0.5}', {"year": "2024", "share": "0.5"}),
        ('{"final": true}', {"final": "true"}),
        ('{"tags": ["a", "b", 3]}', {"tags": "a; b; 3"}),
        ('{"columns": {"a": "first", "b": 2}}', {"columns": "a: first; b: 2"}),
        ('{"deep": [{"a": ["é"]}]}', {"deep": '[{"a":["é"]}]'}),
        ('{"empty": "", "null": null, "list": [], "kept": "x"}', {"kept": "x"}),
    ],
)  # fmt: skip
def test_context_values_become_texts(read, written, context):
    (table,), rejected = read(HEADER + row("t", "T", "[]", written))

    assert dict(table.context) == context
    assert rejected == []


@pytest.mark.parametrize(
    ("written", "columns"),
    [
        ("[]", ()),
        ("", ()),
        ("null", ()),
        ('["a", "", null, 2001, "a"]', ("a", "", "", "2001", "a")),
    ],
)
def test_column_names_are_a_json_list(read, written, columns):
    (table,), rejected = read(HEADER + row("t", "T", written, ""))

    assert tuple(column.name for column in table.columns) == columns
    assert rejected == []


def test_typed_columns_are_taken(read):
    (table,), _ = read(HEADER + row("t", "T", '[{"name": "a", "type": "int", "comment": "c"}]', ""))

    assert table.columns == (Column("a", "int", "c"),)


@pytest.mark.parametrize(
    ("table_id", "name", "columns"),
    [
        ("datasets/gov/lrsk/acts/Document", "Document", ["a"]),
        (" two blanks ", "n", ["a"]),
        ("https://example.org/" + 580 * "x", "n", ["a"]),  # 600 characters
        ("wide", "n", [f"c{number}" for number in range(5000)]),
        ("deep", "n", [".".join("abcdefghij" * 3)]),  # a name nested 30 deep
        ("long", 70_000 * "n", ["a"]),
        ("東京/表", "設備维修", ["名前"]),
        ("nameless", "", ["a"]),
    ],
)
def test_unusual_tables_are_accepted(read, table_id, name, columns):
    (table,), rejected = read(HEADER + row(table_id, name, json.dumps(columns), ""))

    assert (table.table_id, table.name) == (table_id, name)
    assert [column.name for column in table.columns] == columns
    assert rejected == []


def test_fields_far_beyond_the_csv_modules_own_limit_are_accepted(read):
    text = 300_000 * "x "

    (table,), _ = read(HEADER + row("t", "T", "[]", text))

    assert table.context["context"] == text.strip()
    assert len(text) > 131_072  # the module's limit, unless it is raised


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_byte_order_marks_and_line_ends_make_no_difference(read, encoding, line_end):
    content = (HEADER + GOOD + row("b", "B", "[]", "")).replace("\n", line_end)

    tables, rejected = read(content, encoding)

    assert [table.table_id for table in tables] == ["good", "b"]
    assert rejected == []


def test_semicolons_are_understood(read):
    tables, _ = read('table_id;table_name;column_names\nt;T;"[""a"", ""b""]"\n')

    assert tables == [RawTable("t", "T", (Column("a"), Column("b")), source="metadata.csv")]


def test_a_tabbed_catalogue_may_have_commas_in_columns_that_are_passed_over(read):
    tables, _ = read('table_id\ttable_name\tcolumn_names\ta, b, c, d, e\nt\tT\t"[]"\tx\n')

    assert tables == [RawTable("t", "T", source="metadata.csv")]


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (row("", "T", "[]", ""), "The table_id is empty"),
        (row("  ", "T", "[]", ""), "The table_id is empty"),
        (row(2049 * "x", "T", "[]", ""), "The table_id has 2049 characters, more than 2048"),
        (row("t", "T\0", "[]", ""), "The table_name holds a NUL character"),
        (row("t", "T", '["a\\u0000"]', ""), "The column 1 holds a NUL character"),
        (row("t", "T", '["\\ud800"]', ""), "The column 1 holds half a surrogate pair"),
        (row("t", "T", '["a", ', ""), "column_names is not valid JSON (Expecting value at 7)"),
        (row("t", "T", "a b", ""), "column_names is not valid JSON (Expecting value at 1)"),
        (row("t", "T", '{"a": 1}', ""), "column_names is not a list"),
        (row("t", "T", '[["a"]]', ""), "column_names, item 1, is not a text"),
        (row("t", "T", '[{"type": "int"}]', ""), "column_names, item 1, has no name"),
        (row("t", "T", 200_000 * "[", ""), "column_names is JSON beyond reading"),
        (row("t", "T", "[" + 5000 * "1" + "]", ""), "column_names is JSON beyond reading"),
        (row("t", "T", "[]", '{"a": '), "table_context is not valid JSON (Expecting value at 7)"),
        (row("t", "T", "[]"), "The row has 3 fields, the header has 4"),
        (row("t", "T", "[]", "", "x"), "The row has 5 fields, the header has 4"),
        ("t,T,\"[\"a\"]\",\n", "A quote is left open, or not doubled inside a quoted text"),
        ('"t,T,[],\n', "A quote is left open, or not doubled inside a quoted text"),
    ],
)  # fmt: skip
def test_good_rows_are_kept_when_one_is_broken(read, bad, problem):
    one = only_problem(read(HEADER + bad + GOOD.replace("\n", "\n\n")))

    assert (one.source, one.line, one.problem) == ("metadata.csv", 2, problem)
    assert one.remedy.endswith(".")
    assert one.sentence == f"metadata.csv:2: {problem}. {one.remedy}"
    assert one.excerpt


def test_good_rows_are_kept_after_a_quote_left_open(read):
    content = HEADER + '"open,T,[],\n' + row("b", "B", '["x"]', "") + GOOD

    tables, (one,) = read(content)

    assert [table.table_id for table in tables] == ["b", "good"]
    assert one.line == 2


def test_a_row_without_end_is_given_up_within_bounded_memory(read, monkeypatch):
    monkeypatch.setattr(delimited, "MAX_RECORD_CHARS", 1000)
    content = HEADER + '"open,T,[],\n' + 100 * "a filler line\n" + GOOD

    tables, rejected = read(content)

    assert [table.table_id for table in tables] == ["good"]
    assert rejected[0].line == 2
    assert "does not end within" in rejected[0].problem
    assert [one.line for one in rejected[1:]] == list(range(3, 103))  # the fillers, one by one


def test_a_line_without_end_is_passed_over_whole(read, monkeypatch):
    monkeypatch.setattr(delimited, "MAX_RECORD_CHARS", 1000)

    one = only_problem(read(HEADER + "t," + 5000 * "x" + ",[],\n" + GOOD))

    assert one.line == 2
    assert "does not end within" in one.problem


def test_a_table_with_unreadable_groups_does_not_become_public(read):
    header = "table_id,table_name,column_names,access\n"

    one = only_problem(read(header + row("t", "T", "[]", '"hr"') + row("good", "G", "[]", "")))

    assert one.problem == "access is not a list of groups"
    assert one.table_id == "t"


@pytest.mark.parametrize(
    ("written", "table_id"), [(900 * "x", 900 * "x"), (" a ", " a "), ("  ", None), ("", None)]
)
def test_a_broken_row_is_reported_with_the_whole_id_it_names(read, written, table_id):
    _, (one,) = read(HEADER + row(written, "T", "broken", ""))

    assert one.table_id == table_id


def test_undecodable_bytes_are_reported_with_their_own_line(read):
    bad = b'"t","first\nsecond \xe9","[]",""\n'

    one = only_problem(read(HEADER.encode() + bad + GOOD.encode()))

    assert (one.line, one.problem) == (3, "Byte 0xe9 is not UTF-8")
    assert one.excerpt.startswith("\\xe9")


def test_line_numbers_count_quoted_line_breaks_and_blank_lines(read):
    content = HEADER + row("a", "two\nlines", "[]", "") + "\n" + row("", "T", "[]", "") + GOOD

    tables, (one,) = read(content)

    assert [table.table_id for table in tables] == ["a", "good"]
    assert one.line == 1 + 2 + 1 + 1  # header, two lines, a blank one, this


def test_a_second_table_of_an_id_is_reported_and_the_first_is_kept(read):
    content = HEADER + row("t", "first", "[]", "") + GOOD + row("t", "second", "[]", "")

    tables, (one,) = read(content)

    assert [table.name for table in tables] == ["first", "Good"]
    assert (one.line, one.table_id) == (4, "t")
    assert one.problem == "The table_id 't' was read before; the first table was kept"


def test_a_rejected_row_does_not_take_its_id(read):
    tables, _ = read(HEADER + row("t", "first", "broken", "") + row("t", "second", "[]", ""))

    assert [table.name for table in tables] == ["second"]


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("", None, "The file is empty"),
        ("\n\n", None, "The file is empty"),
        ("table_id,column_names\nt,[]\n", 1, "The header has no column table_name"),
        ("id,name\nt,T\n", 1, "The header has no column table_id, table_name, column_names"),
        (
            "table_id,table_name,column_names,table_id\n",
            1,
            "The header has the column table_id twice",
        ),
        (b"\x00\xff", 1, "Byte 0xff is not UTF-8"),
        (HEADER.encode("utf-16"), 1, "The file is in UTF-16"),
    ],
)
def test_a_file_that_holds_no_tables_is_reported_once(read, content, line, problem):
    tables, (one,) = read(content)

    assert tables == []
    assert (one.source, one.line, one.problem) == ("metadata.csv", line, problem)


def test_a_header_alone_is_an_empty_catalogue(read):
    assert read(HEADER) == ([], [])


def test_reading_again_with_a_smaller_limit_set_elsewhere_loses_nothing(read):
    csv.field_size_limit(100)

    (table,), rejected = read(HEADER + row("t", 70_000 * "n", "[]", ""))

    assert len(table.name) == 70_000
    assert rejected == []
