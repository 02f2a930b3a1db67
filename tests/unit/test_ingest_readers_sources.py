"""Finding and telling apart what there is to read, and data files read by their headers."""

import sqlite3
from contextlib import closing

import pytest

from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
from ingest.seen import SeenIds
from polaris_search.errors import SourceUnreadable, UsageError
from polaris_search.records import Column, RawTable
from polaris_search.store.embedded.store import EmbeddedStore

CATALOGUE = "table_id,table_name,column_names\n{0},T,[]\n"
LINE = '{{"table_id": "{0}", "name": "T", "columns": []}}\n'


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Make the working folder an empty one, and return a function that writes a file there."""
    monkeypatch.chdir(tmp_path)

    def write_file(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return write_file


def ids(*sources, format=None):
    return [item.table_id for item in read_sources(sources, format)]


def make_sqlite(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER)")
        connection.commit()


# Data files: the header alone


def test_a_data_file_becomes_a_table_by_its_header(write):
    write("data/sales/orders.csv", '\ufeffid, "x",région,"two\nlines"\r\n1,2,3,4\r\n')

    (table,) = read_sources(["data"])

    columns = (Column("id"), Column('"x"'), Column("région"), Column("two\nlines"))
    assert table == RawTable(
        "data/sales/orders.csv", "orders", columns, source="data", format="csv"
    )


@pytest.mark.parametrize(
    ("name", "header", "format"),
    [
        ("a.csv", "x,y z\n", "csv"),
        ("a.csv", "x;y z\n", "csv"),
        ("a.csv", "x|y z", "csv"),
        ("a.csv", "x\ty z\n", "csv"),
        ("a.tsv", "x\ty z\n", "tsv"),
        ("a.TAB", "x\ty z\n", "tsv"),
    ],
)
def test_the_delimiter_is_found_in_the_header(write, name, header, format):
    write(name, header)

    (table,) = read_sources([name])

    assert [column.name for column in table.columns] == ["x", "y z"]
    assert table.format == format


@pytest.mark.parametrize(
    ("name", "format", "header", "n_columns"),
    [
        ("a.tsv", None, "Name, first\tCity, town, village\tx", 3),
        ("a.tab", None, "Name; first\tCity|town|village", 2),
        ("a.tsv", None, "Name, first", 1),
        ("a.csv", "tsv", "a,b,c\td", 2),
        ("a.csv", None, "a,b\tc\td\te", 2),
        ("a.csv", None, "a;b, c;d", 3),
        ("a.tsv", "csv", "a,b\tc\td\te", 2),
        ("a.txt", "csv", "a\tb\tc", 3),
    ],
)
def test_tabs_cut_tsv_and_cut_csv_only_where_nothing_else_does(
    write, name, format, header, n_columns
):
    write(name, header + "\n")

    (table,) = read_sources([name], format)

    assert len(table.columns) == n_columns


def test_a_file_given_by_itself_has_its_path_as_id(write):
    write("data/sales/orders.csv", "id\n")

    assert ids("./data/sales/orders.csv") == ["data/sales/orders.csv"]


def test_the_id_is_the_path_as_given_however_the_folder_is_named(write, monkeypatch, tmp_path):
    write("sa/a1.csv", "id\n")

    assert ids("sa") == ids("./sa/") == ids("sa//") == ids("sa/a1.csv") == ["sa/a1.csv"]
    assert ids(str(tmp_path / "sa")) == [f"{tmp_path.as_posix()}/sa/a1.csv"]
    monkeypatch.chdir(tmp_path / "sa")
    assert ids(".") == ids("a1.csv") == ["a1.csv"]


def test_files_of_one_name_in_two_folders_are_two_tables(write):
    write("sa/a1.csv", "x\n")
    write("sb/a1.csv", "y\n")

    assert ids("sa", "sb") == ["sa/a1.csv", "sb/a1.csv"]


def test_rows_of_a_data_file_are_not_read(write):
    write("a.csv", b"x,y\n" + b'\xff\x00 "broken\n' * 1000)

    assert [table.name for table in read_sources(["a.csv"])] == ["a"]


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"", None, "The file is empty"),
        (b"x,\xe9\n", 1, "Byte 0xe9 is not UTF-8"),
        (b"x,\0\n", 1, "The column 2 holds a NUL character"),
        (b'x,"open\n', 1, "A quote is left open, or not doubled inside a quoted text"),
        ("x,y\n".encode("utf-16"), 1, "The file is in UTF-16"),
    ],
)
def test_a_header_that_cannot_be_read_is_reported_and_other_files_are_kept(
    write, content, line, problem
):
    write("data/a.csv", content)
    write("data/b.csv", "x\n")

    bad, good = read_sources(["data"])

    assert (bad.source, bad.line, bad.problem) == ("data/a.csv", line, problem)
    assert good.table_id == "data/b.csv"


# Telling formats apart


def test_a_folder_is_walked_in_order_and_every_format_in_it_is_read(write, tmp_path):
    write("data/b.csv", "x\n")
    write("data/a.tsv", "x\ty\n")
    write("data/c.jsonl", LINE.format("from jsonl"))
    write("data/d.csv", CATALOGUE.format("from catalogue"))
    write("data/notes.txt", "not a table")
    write("data/.hidden/x.csv", "x\n")
    write("data/.x.csv", "x\n")
    write("data/sub/e.csv", "x\n")
    make_sqlite(tmp_path / "data" / "shop.db")

    assert ids("data") == [
        "data/a.tsv",
        "data/b.csv",
        "from jsonl",
        "from catalogue",
        "shop.main.orders",
        "data/sub/e.csv",
    ]


def test_a_catalogue_hides_the_files_beside_it_but_not_other_folders(write):
    write("data/metadata.csv", CATALOGUE.format("t"))
    write("data/queries.csv", "query_id,query\n")
    write("data/qrels.csv", "query_id,table_id,relevance_score\n")
    write("data/sub/a.csv", "x\n")

    assert ids("data") == ["t", "data/sub/a.csv"]


def test_the_products_own_store_in_a_folder_is_not_a_source(write, tmp_path):
    write("a.csv", "x\n")
    write("polaris-data/dead-letters/ingest.jsonl", "{}\n")
    EmbeddedStore(tmp_path / "polaris-data").close()

    assert ids(".") == ["a.csv"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tables.csv", CATALOGUE.format("t")),
        ("tables", CATALOGUE.format("t")),
        ("tables.txt", LINE.format("t")),
        ("tables.txt", "\ufeff\n" + LINE.format("t")),
    ],
)
def test_a_file_is_known_by_its_beginning(write, name, content):
    write(name, content)

    assert ids(name) == ["t"]


def test_a_catalogue_that_lacks_a_column_is_not_taken_for_data(write):
    write("tables.csv", "table_id,column_names\nt,[]\n")

    (one,) = read_sources(["tables.csv"])

    assert one.problem == "The header has no column table_name"


def test_a_format_that_is_named_wins(write, tmp_path):
    write("data/metadata.csv", CATALOGUE.format("t"))
    write("data/a.csv", "x\n")
    write("data/b.jsonl", LINE.format("from jsonl"))
    write("tables.txt", "x,y\n")
    make_sqlite(tmp_path / "data" / "shop")

    assert ids("data", format="csv") == ["data/a.csv", "data/metadata.csv"]
    assert ids("data", format="polaris") == ["t"]
    assert ids("data", format="jsonl") == ["from jsonl"]
    assert ids("data", format="sql") == ["shop.main.orders"]
    assert ids("tables.txt", format="csv") == ["tables.txt"]


# What cannot be read at all


def test_a_missing_source_is_refused_before_anything_is_read(write):
    write("a.csv", "x\n")

    with pytest.raises(SourceUnreadable, match=r"^gone.csv, also/gone: There is no such file\."):
        read_sources(["a.csv", "gone.csv", "also/gone"])


def test_a_folder_without_tables_is_refused(write):
    write("data/readme.txt", "x")

    with pytest.raises(SourceUnreadable, match=r"^data: The folder holds no \.csv, .*SQLite file"):
        read_sources(["data"])
    with pytest.raises(SourceUnreadable, match="holds no jsonl file"):
        read_sources(["data"], "jsonl")


def test_a_file_of_no_known_kind_is_refused_with_the_way_out(write):
    write("notes.txt", "some words\n")

    with pytest.raises(SourceUnreadable, match="Say what it is with --format: polaris, csv"):
        read_sources(["notes.txt"])


def test_a_file_in_utf16_is_refused_with_the_way_out(write):
    write("page.json", '{"success": true}'.encode("utf-16"))

    with pytest.raises(SourceUnreadable, match=r"page.json: The file is in UTF-16\. Save it as"):
        read_sources(["page.json"])


def test_an_unknown_format_is_refused(write):
    with pytest.raises(UsageError, match="No format 'xml'. Choose one of: polaris, csv"):
        read_sources(["."], "xml")


def test_a_file_that_vanishes_while_others_are_read_is_reported(write, tmp_path):
    write("data/a.csv", "x\n")
    write("b.csv", "x\n")
    items = read_sources(["data", "b.csv"])
    (tmp_path / "b.csv").unlink()

    first, second = items

    assert first.table_id == "data/a.csv"
    assert second.sentence == (
        "b.csv: It cannot be read (No such file or directory). "
        "Check that it is there and that you may read it."
    )


# Across sources


def test_of_two_tables_with_one_id_the_first_source_wins(write):
    write("a.jsonl", LINE.format("t") + LINE.format("u"))
    write("b/metadata.csv", CATALOGUE.format("t"))

    first, second, third = read_sources(["a.jsonl", "b"])

    assert [first.table_id, second.table_id] == ["t", "u"]
    assert isinstance(third, Rejected)
    assert (third.source, third.line, third.table_id) == ("b/metadata.csv", 2, "t")


def test_what_was_met_can_be_asked_afterwards(write):
    write("a.jsonl", LINE.format("t") + '{"table_id": "u"}\n')
    write("b.csv", "")
    seen = SeenIds()

    list(read_sources(["a.jsonl"], seen=seen))

    assert ("t" in seen, "u" in seen, "v" in seen) == (True, True, False)
    assert (len(seen), seen.has_source("a.jsonl"), seen.complete) == (1, True, True)

    list(read_sources(["b.csv"], seen=seen))

    assert not seen.complete
