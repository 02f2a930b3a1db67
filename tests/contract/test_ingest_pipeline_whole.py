"""Whole documents of this product, copied by another program, pass the pipeline as they are."""

from copy import deepcopy
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from foreign import shipped, simulated

from ingest.expand.lexical import LexicalExpander
from ingest.readers.sources import read_sources
from polaris_search.records import Column, Description, EnrichedTable, Provenance, RawTable
from polaris_search.store.elasticsearch.documents import document, document_id

pytestmark = pytest.mark.es

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"
SIX = Description("Employees é", "Wages", "Payroll", "staff", "hr, pay", "")


@pytest.fixture(scope="module")
def simulate(es_url):
    with Elasticsearch(es_url) as client:
        yield lambda *sent: simulated(client, sent, shipped())


@pytest.fixture
def whole():
    raw = RawTable(
        "hr/emp ",
        " ActEmployees",
        (Column("EID", "int"), Column("SAL", None, "e\u0301")),
        {"b": "x", "a": "y"},
        source="erp",
        access=("hr",),
    )
    provenance = Provenance(
        "names-description", "lexical:1", "m", None, "p1", "2026-11-30T02:00:00Z", "described"
    )
    expander = LexicalExpander()
    return document(EnrichedTable(raw, provenance, expander.expand(raw), SIX))


def test_enriched_tables_pass_byte_for_byte(simulate):
    expander = LexicalExpander()
    provenance = Provenance("h", "lexical:1", enriched_at="2026-11-30T02:00:00Z")
    raws = [item for item in read_sources([str(EXAMPLES)]) if isinstance(item, RawTable)]
    sent = [document(EnrichedTable(raw, provenance, expander.expand(raw), SIX)) for raw in raws]

    made = simulate(*sent)

    assert len(sent) == 139
    assert [one["_source"] for one in made] == sent
    assert [one["_id"] for one in made] == [raw.table_id for raw in raws]


def test_a_whole_document_with_odd_texts_passes_under_the_id_that_its_table_has(simulate, whole):
    (made,) = simulate(whole)

    assert made["_source"] == whole
    assert made["_id"] == document_id("hr/emp ")


def test_a_table_that_nothing_was_done_to_passes(simulate):
    raw = RawTable("sha256:x" + 600 * "y", "n")
    whole = document(EnrichedTable(raw, Provenance("h", status="failed", reason="no answer")))

    (made,) = simulate(whole)

    assert made["_source"] == whole
    assert made["_id"] == document_id(raw.table_id)


def _set(*path, to):
    """Return what gives the place at the end of a path in a document this value."""

    def change(whole):
        *outer, last = path
        part = whole
        for step in outer:
            part = part[step]
        part[last] = to

    return change


def _without(*path):
    def change(whole):
        *outer, last = path
        part = whole
        for step in outer:
            part = part[step]
        del part[last]

    return change


BROKEN = {
    "record": [
        _set("record", to="x"),
        _without("record", "expansion"),
        _set("record", "more", to=1),
    ],
    "record.raw": [_without("record", "raw", "columns"), _set("record", "raw", to=None)],
    "record.raw.table_id": [
        _set("record", "raw", "table_id", to=" \u00a0"),
        _set("record", "raw", "table_id", to=7),
        _set("record", "raw", "table_id", to="x" * 2049),
    ],
    "record.raw.name": [_set("record", "raw", "name", to=None)],
    "record.raw.columns": [
        _set("record", "raw", "columns", to="a"),
        _set("record", "raw", "columns", 0, to="a"),
        _set("record", "raw", "columns", 0, "name", to=None),
        _set("record", "raw", "columns", 0, "type", to=1),
        _set("record", "raw", "columns", 0, "more", to="x"),
    ],
    "record.raw.context": [
        _set("record", "raw", "context", to=["x"]),
        _set("record", "raw", "context", "a", to=1),
    ],
    "record.raw.access": [_set("record", "raw", "access", to="hr")],
    "record.raw.format": [_set("record", "raw", "format", to=[])],
    "a NUL character in record.raw": [
        _set("record", "raw", "name", to="a\0"),
        _set("record", "raw", "context", "a", to="\0"),
        _set("record", "raw", "context", "\0", to="a"),
        _set("record", "raw", "columns", 1, "comment", to="\0"),
    ],
    "half a surrogate pair in record": [
        _set("record", "raw", "name", to="a\ud800"),
        _set("record", "description", "additional_context", to="\udfff"),
        _set("record", "raw", "context", "\ud800", to="a"),
    ],
    "record.provenance": [_without("record", "provenance", "model")],
    "record.provenance.input_hash": [_set("record", "provenance", "input_hash", to=None)],
    "record.provenance.model": [_set("record", "provenance", "model", to=1)],
    "record.provenance.status": [_set("record", "provenance", "status", to="done")],
    "record.expansion": [_set("record", "expansion", to={"name": "x"})],
    "record.expansion.columns": [
        _set("record", "expansion", "columns", to=["x"]),
        _set("record", "expansion", "columns", to=["x", 1]),
    ],
    "record.description": [
        _without("record", "description", "keywords_and_themes"),
        _set("record", "description", "dataset_overview", to=None),
    ],
    "name": [_without("name"), _set("name", to="ActEmployees")],
    "names": [_set("names", to=["a", 1])],
    "new_words": [_without("new_words"), _set("new_words", to=[1])],
    "context": [_set("context", to=["\ud800"])],
    "description_terms": [_set("description_terms", to={})],
    "table_id": [_set("table_id", to="other"), _without("table_id")],
    "source": [_set("source", to="other"), _without("source")],
    "status": [_set("status", to="none")],
    "input_hash": [_without("input_hash")],
    "enriched_at": [_set("enriched_at", to="2026-11-30")],
    "access": [_set("access", to=[])],
    "column_count": [_set("column_count", to=3), _without("column_count")],
    "unknown field note": [_set("note", to="x")],
}


@pytest.mark.parametrize(
    ("place", "change"), [(place, one) for place, changes in BROKEN.items() for one in changes]
)
def test_a_document_that_is_not_whole_is_buried_naming_the_place(simulate, whole, place, change):
    broken = deepcopy(whole)
    change(broken)

    (made,) = simulate(broken)

    buried = made["_source"]
    assert buried["reason"] == (
        f"It brings a record, and is no whole document of this product ({place}). "
        "Copy it as it was stored, or send the table without `record`."
    )
    assert buried["sent"] == broken
    assert made["_index"] == "polaris-tables-dead-letters"
