"""The ingest pipeline against what it must agree with: the reader of JSON lines and documents.py.

Each row is simulated on a real server, and read by the product; texts are trimmed and composed
first, for that is what the pipeline adds.
"""

import json
import re
import unicodedata
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from foreign import shipped, simulated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mappings
from ingest.readers.jsonl import read_jsonl
from ingest.readers.row import Row
from ingest.readers.sources import read_sources
from polaris_search.records import EnrichedTable, Provenance, RawTable, raw_to_dict
from polaris_search.store.elasticsearch.bulk.writing import DEFAULT_LIMITS
from polaris_search.store.elasticsearch.documents import document, document_id
from polaris_search.store.elasticsearch.pipeline import FOREIGN_INPUT_HASH

pytestmark = pytest.mark.es

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"
DATE = "2026-11-30T02:00:00Z"


@pytest.fixture(scope="module")
def simulate(es_url):
    """Return what becomes of each row, as the simulated documents."""
    with Elasticsearch(es_url) as client:

        def simulate_all(*sent, max_bytes=DEFAULT_LIMITS.document_bytes):
            return simulated(client, sent, shipped(max_bytes))

        yield simulate_all


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Return what the product's own reader makes of a row."""
    path = tmp_path_factory.mktemp("rows") / "row.jsonl"

    def reader(row):
        path.write_text(json.dumps(row) + "\n")
        (item,) = read_jsonl(path)
        return item

    return reader


class Twice(Exception):
    """Two keys of an object are one once they are trimmed and composed."""


def normal(value):
    """Return a JSON value with every text trimmed and in NFC, the keys of its objects ascending."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value).strip()
    if isinstance(value, list):
        return [normal(item) for item in value]
    if not isinstance(value, dict):
        return value
    keys = sorted(value, key=lambda key: normal(key).encode("utf-16-be", "surrogatepass"))
    if len({normal(key) for key in keys}) < len(keys):
        raise Twice
    return {normal(key): normal(value[key]) for key in keys}


def taken(raw, at=DATE):
    """Return the document of a raw table that nothing was done to."""
    return document(EnrichedTable(raw, Provenance(FOREIGN_INPUT_HASH, enriched_at=at)))


def row(**parts):
    return {"table_id": "t", "name": "n", "columns": [], "enriched_at": DATE, **parts}


def test_every_example_table_becomes_the_document_that_the_product_writes(simulate, read):
    tables = [item for item in read_sources([str(EXAMPLES)]) if isinstance(item, RawTable)]
    rows = [raw_to_dict(table) for table in tables]

    made = simulate(*(one | {"enriched_at": DATE} for one in rows))

    expected = [read(normal(one)).table for one in rows]
    assert len(made) == 139
    assert [one["_source"] for one in made] == [taken(table) for table in expected]
    assert [one["_id"] for one in made] == [table.table_id for table in expected]


ODD = {
    "names only": {"columns": ["a", "b"]},
    "columns with types": {"columns": [{"name": "a", "type": "int", "comment": "years", "x": 1}]},
    "numbers as names": {
        "name": 2024,
        "table_id": 7,
        "columns": [1, -2.5, 1e22, 1e-7, 0.0001, True],
    },
    "numbers at the edges": {
        "columns": [1e16, 123456789012345680.0, 9007199254740993, -0.0, 5e-324]
    },
    "no names": {"name": None, "columns": [None, "", {"name": None}]},
    "no columns": {"columns": None},
    "ten thousand columns": {"columns": [f"c{number}" for number in range(10_000)]},
    "a text as context": {"context": "Vaccinations"},
    "a number as context": {"context": 3.10},
    "a list as context": {"context": ["a", None, "", 2, False]},
    "nested context": {"context": {"a": {"b": [1, {"c": 'd\n"\\\x01é'}]}, "e": [[1.0]], "f": {}}},
    "an object of texts": {"context": {"units": {"b": "m", "a": 3, "c": None}}},
    "empty context": {"context": {"a": "", "b": None, "c": [], "": "kept"}},
    "facets": dict.fromkeys(["source", "database", "schema", "format", "language"], 3),
    "empty facets": {"source": "", "database": None, "schema": "  "},
    "groups": {"access": ["hr", "it"]},
    "unknown keys": {"@timestamp": DATE, "host": {"name": "x"}, "_foo": 1, "": 2, "a.b": 3},
    "a null record": {"record": None},
    "blanks": {"table_id": " \u00a0t\u3000", "name": "\tn\x1f", "columns": [" a ", {"name": " b"}]},
    "decomposed accents": {
        "name": "Re\u0301sume\u0301",
        "columns": ["e\u0301"],
        "source": "u\u0308",
    },
    "keys beyond the basic plane": {"context": {"\U0001f600": "x", "\uff21": "y", "a": "z"}},
    "an id of 512 bytes": {"table_id": "é" * 256},
    "an id of 513 bytes": {"table_id": "é" * 256 + "x"},
    "an id of 2048 characters": {"table_id": "\U0001f600" * 2048},
    "an id that looks hashed": {"table_id": "sha256:abc"},
    "an id with slashes": {"table_id": "http://x/y?z#1 2"},
}


@pytest.mark.parametrize("parts", ODD.values(), ids=ODD)
def test_an_odd_table_becomes_the_document_that_the_product_writes(simulate, read, parts):
    expected = read(normal(row(**parts))).table

    (made,) = simulate(row(**parts))

    assert made["_source"] == taken(expected)
    assert made["_id"] == document_id(expected.table_id)
    assert made["_index"] == "polaris-tables"


BAD = {
    "no name": {"table_id": "t", "columns": []},
    "nothing": {},
    "an empty id": row(table_id=""),
    "a blank id": row(table_id=" \u00a0"),
    "no id": row(table_id=None),
    "a list as id": row(table_id=["t"]),
    "an id of 2049 characters": row(table_id="\U0001f600" * 2049),
    "a list as name": row(name=["n"]),
    "a text as columns": row(columns="a, b"),
    "an object as columns": row(columns={"a": "int"}),
    "a list as column": row(columns=["a", ["b"]]),
    "a column without name": row(columns=["a", {"type": "int"}]),
    "a list as type": row(columns=[{"name": "a", "type": []}]),
    "an object as comment": row(columns=[{"name": "a", "comment": {}}]),
    "an object as facet": row(format={}),
    "a text as access": row(access="hr"),
    "a number as group": row(access=[1]),
    "an empty group": row(access=["hr", " "]),
    "NUL in an id": row(table_id="t\0x"),
    "NUL in a name": row(name="n\0x"),
    "NUL in a column": row(columns=["a", {"name": "b", "comment": "c\0d"}]),
    "NUL in a context": row(context={"caption": "a\0b"}),
    "NUL in a facet": row(language="n\0l"),
    "NUL in a group": row(access=["h\0r"]),
    "half a surrogate pair in a name": row(name="n\ud800x"),
    "half a surrogate pair in a column": row(columns=["\udfff"]),
}


@pytest.mark.parametrize("sent", BAD.values(), ids=BAD)
def test_a_bad_table_is_buried_with_the_words_of_the_reader(simulate, read, sent):
    rejected = read(normal(sent))

    (made,) = simulate(sent)

    buried = made["_source"]
    assert buried["reason"] == f"{rejected.problem}. {rejected.remedy}"
    assert buried["sent"] == sent
    assert (made["_index"], buried["index"], buried["id"]) == (
        "polaris-tables-dead-letters",
        "polaris-tables",
        "given",
    )
    assert set(buried) <= set(mappings.dead_letters()["mappings"]["properties"])


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (row(context={"a": "1", " a": "2"}), "Two keys of an object are 'a' once they are trimmed"),
        (row(enriched_at="yesterday"), "enriched_at is not a date. Write it as 2026-11-30T02:"),
        (row(enriched_at=["2026"]), "enriched_at is not a date."),
        (row(name=" " * 1_000_001), "It could not be read (The maximum number of statements"),
        (row(record={}), "It brings a record, and is no whole document of this product (record)."),
    ],
    ids=["two keys", "no date", "a list as date", "a million blanks", "a record"],
)
def test_what_only_the_pipeline_refuses_is_buried_with_a_sentence(simulate, sent, reason):
    (made,) = simulate(sent)

    assert made["_source"]["reason"].startswith(reason)
    assert made["_source"]["sent"] == sent


def test_a_million_nameless_columns_are_too_much_for_a_document(simulate):
    (made,) = simulate(row(columns=[""] * 1_000_000))

    assert made["_source"]["reason"].startswith("Its document has 45.0 MB, and 20 MB are possible.")


@pytest.mark.parametrize(
    ("parts", "n_bytes"),
    [
        ({"context": "é" * 250_000}, 2 * 500_000 + 7 + 9),
        (
            {"name": "", "columns": ["c" * 333_333, {"name": "", "type": "x"}]},
            3 * 333_333 + 1 + 2 * 45,
        ),
        ({"columns": [{"name": "", "comment": "\U0001f600" * 250_000}]}, 4 * 250_000 + 45),
    ],
)
def test_a_table_too_big_for_a_document_is_buried(simulate, parts, n_bytes):
    sent = row(**{"name": "", **parts})

    (fits,) = simulate(sent, max_bytes=n_bytes)
    (too_big,) = simulate(sent, max_bytes=n_bytes - 1)

    assert fits["_source"]["status"] == "none"
    assert too_big["_source"]["reason"] == (
        "Its document has 1.0 MB, and 1 MB are possible. "
        "Shorten its context or its columns' comments."
    )
    assert too_big["_source"]["sent"] == sent


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ("2026-11-30T02:00:00Z", DATE),
        ("2026-11-30T03:00:00.123+01:00", DATE),
        ("2026-11-30", "2026-11-30T00:00:00Z"),
        ("2026-11-30T02:00:00", DATE),
        (1796004000000, DATE),
        ("1796004000000", DATE),
    ],
)
def test_a_date_is_written_in_utc_to_the_second(simulate, sent, written):
    (made,) = simulate(row(enriched_at=sent))

    assert made["_source"]["enriched_at"] == written
    assert made["_source"]["record"]["provenance"]["enriched_at"] == written


def test_a_table_without_a_date_gets_the_time_it_came(simulate):
    sent = row()
    del sent["enriched_at"]

    (made,) = simulate(sent)

    assert made["_source"]["enriched_at"] == made["_ingest"]["timestamp"][:19] + "Z"


def test_routing_is_dropped_and_what_an_optimistic_writer_saw_is_kept(es_url):
    seen = {"_if_seq_no": 3, "_if_primary_term": 1}
    docs = [{"_index": "i", "_id": "t", "_routing": "r", **seen, "_source": row()}]

    with Elasticsearch(es_url) as client:
        made = client.ingest.simulate(pipeline=shipped(), docs=docs)["docs"][0]["doc"]

    assert "_routing" not in made
    assert (made["_if_seq_no"], made["_if_primary_term"]) == ("3", "1")


KEY = re.compile("The context .* holds", re.DOTALL)
"""The reader names the key; the pipeline does not where the key itself cannot be stored."""

texts = st.text(
    st.one_of(
        st.characters(codec="utf-8"), st.sampled_from('\0\ud800\udfff \u00a0e\u0301\u0308"\\\n')
    ),
    max_size=6,
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
columns = st.one_of(
    values,
    st.lists(st.one_of(texts, st.fixed_dictionaries({"name": scalars, "type": scalars}))),
)
rows = st.fixed_dictionaries(
    {"table_id": scalars, "name": scalars, "columns": columns},
    optional={
        "context": values,
        "access": st.one_of(values, st.lists(texts)),
        **dict.fromkeys(["source", "database", "schema", "format", "language"], scalars),
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sent=st.lists(rows, min_size=1, max_size=20))
def test_whatever_is_sent_is_read_as_the_product_reads_it(simulate, read, sent):
    made = simulate(*({**one, "enriched_at": DATE} for one in sent))

    for one, found in zip(sent, made, strict=True):
        try:
            item = read(normal(one))
        except Twice:
            assert "reason" in found["_source"]
            continue
        if isinstance(item, Row):
            assert found["_source"] == taken(item.table)
        else:
            told = KEY.sub("The key of a context holds", f"{item.problem}. {item.remedy}")
            assert KEY.sub("The key of a context holds", found["_source"]["reason"]) == told
