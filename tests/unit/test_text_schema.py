"""The schema says of each searched field what the mapping says."""

import re

import pytest

import mappings
from polaris_search.text.filters import AnalysisUnsupported
from polaris_search.text.schema import (
    TextField,
    definition_hash,
    schema_from_json,
    table_schema,
)

DOCUMENT = {
    "settings": {
        "similarity": {
            "short": {"type": "BM25", "k1": 0.6, "b": 0.3},
            "other": {"type": "DFR"},
        }
    },
    "mappings": {
        "properties": {
            "table_id": {"type": "keyword", "fields": {"parts": {"type": "text", "analyzer": "p"}}},
            "names": {"type": "text", "analyzer": "words", "copy_to": ["all"]},
            "all": {
                "type": "text",
                "analyzer": "words",
                "fields": {
                    "parts": {"type": "text", "analyzer": "parts", "similarity": "short"},
                    "raw": {"type": "keyword"},
                },
            },
            "context": {"type": "text", "analyzer": "words", "copy_to": "all"},
        }
    },
}


def test_fields_and_sub_fields_are_listed_with_their_sources_in_mapping_order() -> None:
    assert dict(schema_from_json(DOCUMENT).fields) == {
        "table_id.parts": TextField("table_id.parts", ("table_id",), "p", 1.2, 0.75),
        "names": TextField("names", ("names",), "words", 1.2, 0.75),
        "all": TextField("all", ("names", "context"), "words", 1.2, 0.75),
        "all.parts": TextField("all.parts", ("names", "context"), "parts", 0.6, 0.3),
        "context": TextField("context", ("context",), "words", 1.2, 0.75),
    }


def test_similarity_other_than_bm25_is_refused() -> None:
    properties = {"name": {"type": "text", "analyzer": "words", "similarity": "other"}}

    with pytest.raises(AnalysisUnsupported, match="DFR"):
        schema_from_json({**DOCUMENT, "mappings": {"properties": properties}})


def test_every_field_of_the_table_index_has_an_analyzer_of_the_mappings() -> None:
    analyzers = mappings.tables()["settings"]["analysis"]["analyzer"]
    fields = table_schema().fields

    assert {field.analyzer for field in fields.values()} <= set(analyzers)
    assert {"name", "expansion", "context", "description"} <= set(fields)


def test_hash_tells_definitions_apart_and_stays() -> None:
    hashes = {path: definition_hash(path) for path in table_schema().fields}

    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in hashes.values())
    assert hashes["all.parts"] == definition_hash("all.parts")
    assert hashes["all.parts"] != hashes["all.trigrams"]
    assert hashes["expansion"] != hashes["all"]  # same analyzer, another similarity


def test_unknown_path_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        definition_hash("no.such")
