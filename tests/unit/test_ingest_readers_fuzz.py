"""Whatever a source holds, reading it raises nothing, and a good table beside it is never lost."""

import csv
import io
import json
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.readers.json_documents.stream import members_at
from ingest.readers.sources import read_sources
from polaris_search.errors import SourceUnreadable
from polaris_search.records import RawTable

FUZZED = settings(max_examples=40, deadline=None, derandomize=True)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def some_of(keys):
    """Return a strategy of objects with some of the keys that a reader looks at, of any value."""
    return st.dictionaries(st.sampled_from(keys.split()), JSON, max_size=8)


NODE = some_of(
    "name alias identifier description columns config tags meta resource_type database schema"
    " source_name source_meta unique_id"
)
RESOURCE = some_of("id name description format url state fields schema columns datastore_info")
PACKAGE = some_of(
    "id name title notes organization tags groups private state title_translated"
) | st.builds(lambda package, each: {**package, "resources": each}, some_of("name title tags"),
              st.lists(RESOURCE | JSON, max_size=3))  # fmt: skip
ROW = some_of(
    "table_catalog table_schema TABLE_NAME column_name ordinal_position data_type comment"
)


def read(name, content, format=None):
    """Return the tables and reports of a file; one that is refused outright has none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            items = list(read_sources([str(path)], format))
        except SourceUnreadable:  # in a sentence, as other tests see to
            return []
        for item in items:
            assert isinstance(item, RawTable) or item.sentence.endswith(".")
        return [item.name for item in items if isinstance(item, RawTable)]


def as_json(document):
    return json.dumps(document).encode()


# A good table keeps its place beside anything


@FUZZED
@given(st.lists(NODE | JSON, max_size=4))
def test_a_good_dbt_node_is_never_lost(others):
    nodes = {f"model.x{number}": other for number, other in enumerate(others)}
    good = {"name": "good", "columns": {"a": {"name": "a"}}}
    catalog = {"nodes": nodes}

    tables = read(
        "manifest.json",
        as_json({"metadata": catalog, "nodes": {**nodes, "model.good": good}, "sources": {}}),
        "dbt",
    )

    assert "good" in tables


@FUZZED
@given(st.lists(PACKAGE | JSON, max_size=4))
def test_a_good_ckan_resource_is_never_lost(others):
    good = {"title": "x", "notes": "y", "resources": [{"id": "good-id", "name": "good"}]}
    result = {"count": 2, "results": [*others, good]}

    tables = read("page.json", as_json({"success": True, "result": result}), "ckan")

    assert "good" in tables


@FUZZED
@given(st.lists(ROW | JSON, max_size=6))
def test_a_good_row_of_information_schema_in_json_is_never_lost(others):
    good = {"table_schema": "goods", "table_name": "good", "column_name": "a", "data_type": "int"}

    assert "good" in read("rows.json", as_json([good, *others, good]), "information_schema")


@FUZZED
@given(st.lists(st.lists(st.text(st.characters(exclude_categories=()), max_size=9)), max_size=6))
def test_a_good_row_of_information_schema_in_csv_is_never_lost(others):
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["table_schema", "table_name", "column_name", "ordinal_position"])
    writer.writerows([["goods", "good", "a", "1"], *others, ["goods", "good", "b", "2"]])

    data = text.getvalue().encode("utf-8", "surrogatepass")

    assert "good" in read("rows.csv", data, "information_schema")


XML_PARTS = [
    "<references>a</references>",
    "<attribute/>",
    "<attribute><measurementScale/></attribute>",
    '<attribute id="a"><attributeName/></attribute>',
    "<value xml:lang='en'>x</value>",
    "<coverage><temporalCoverage><rangeOfDates/></temporalCoverage></coverage>",
    "\U0001f600",
]


@FUZZED
@given(st.lists(st.sampled_from(XML_PARTS), max_size=5).map("".join))
def test_a_good_eml_entity_is_never_lost(body):
    entity = f"<dataTable>{body}<attributeList>{body}</attributeList></dataTable>"
    good = "<dataTable><entityName>good</entityName></dataTable>"
    text = f"<eml><dataset><title>{body}</title>{entity}{good}</dataset></eml>"

    tables = read("eml.xml", text.encode(), "eml")

    assert "good" in tables


# Broken bytes

GOOD_TABLE = {"table_id": "t", "name": "t", "columns": ["a", "b"]}


@cache
def samples():
    """Return a good file of each format, by name."""
    node = {"name": "t", "columns": {"a": {"name": "a", "description": "é"}}}
    package = {"title": "x", "notes": "y", "resources": [{"id": "r", "name": "t"}]}
    table = pyarrow.table({"a": [1], "b": ["x"]})
    parquet = io.BytesIO()
    pyarrow.parquet.write_table(table, parquet)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE t (a, b)")
            connection.execute("CREATE VIEW v AS SELECT a FROM t")
            connection.commit()
        database = path.read_bytes()
    return {
        "t.jsonl": as_json(GOOD_TABLE),
        "metadata.csv": b'table_id,table_name,column_names\nt,t,"[""a""]"\n',
        "t.csv": b'a,"b",c\n',
        "t.tsv": b"a\tb\n",
        "manifest.json": as_json({"metadata": {}, "nodes": {"model.t": node}, "sources": {}}),
        "page.json": as_json({"success": True, "result": {"count": 1, "results": [package]}}),
        "eml.xml": b"<eml><dataset><title>x</title><dataTable><entityName>t</entityName>"
        b"<attributeList><attribute><attributeName>a</attributeName></attribute></attributeList>"
        b"</dataTable></dataset></eml>",
        "rows.csv": b"table_schema,table_name,column_name,data_type\ns,t,a,int\ns,t,b,int\n",
        "rows.json": as_json([{"table_schema": "s", "table_name": "t", "column_name": "a"}]),
        "t.parquet": parquet.getvalue(),
        "t.db": database,
    }


@pytest.mark.parametrize("name", list(samples()))
def test_a_good_file_of_each_format_is_read(name):
    assert "t" in read(name, samples()[name])


@pytest.mark.parametrize("name", list(samples()))
@FUZZED
@given(data=st.data())
def test_broken_bytes_raise_nothing(name, data):
    content = bytearray(samples()[name])
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 20)))
        content[start:end] = data.draw(st.binary(max_size=20))

    read(name, bytes(content))
    read(name, bytes(content[: data.draw(st.integers(0, len(content)))]))


@pytest.mark.parametrize("format", ["dbt", "ckan", "eml", "information_schema", "parquet", "jsonl"])
@FUZZED
@given(content=st.binary(max_size=200))
def test_any_bytes_at_all_raise_nothing(format, content):
    read("anything", content, format)


# The cutter of large JSON


@FUZZED
@given(
    members=st.dictionaries(st.text(), JSON, max_size=6),
    chunk=st.integers(1, 40),
    indent=st.none() | st.integers(0, 3),
)
def test_json_is_cut_into_its_members_wherever_the_chunks_end(members, chunk, indent):
    document = {"before": [{"nodes": {"no": 1}}, "nodes", "{"], "nodes": members, "after": {"a": 1}}
    with tempfile.NamedTemporaryFile() as file, pytest.MonkeyPatch.context() as patch:
        file.write(json.dumps(document, indent=indent).encode())
        file.flush()
        patch.setattr("ingest.readers.json_documents.stream.CHUNK_BYTES", chunk)

        found = list(members_at(Path(file.name), ("nodes",)))

    assert [member.key for member in found] == list(members)
    assert [json.dumps(member.value("x")) for member in found] == [
        json.dumps(value) for value in members.values()
    ]
