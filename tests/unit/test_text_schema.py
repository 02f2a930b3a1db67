"""The schema says of each searched field what the mapping says."""

import re

import pytest

from polaris_search.text.schema import TextField, definition_hash, table_schema


def test_fields_and_sub_fields_are_listed_by_path() -> None:
    fields = table_schema().fields

    assert fields["description"] == TextField("description", ("description",), "words", 1.2, 0.75)
    assert fields["names.parts"] == TextField(
        "names.parts", ("names",), "parts", 0.6, 0.3
    )
    assert "table_id" not in fields
    assert "record" not in fields


def test_copied_field_names_its_sources_in_mapping_order() -> None:
    assert table_schema().fields["all.trigrams"] == TextField(
        "all.trigrams", ("names", "context"), "trigrams", 1.2, 0.75
    )


def test_hash_tells_definitions_apart_and_stays() -> None:
    hashes = {path: definition_hash(path) for path in table_schema().fields}

    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in hashes.values())
    assert hashes["all.parts"] == definition_hash("all.parts")
    assert hashes["all.parts"] != hashes["all.trigrams"]
    assert hashes["expansion"] != hashes["all"]  # same analyzer, another similarity


def test_unknown_path_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        definition_hash("no.such")
