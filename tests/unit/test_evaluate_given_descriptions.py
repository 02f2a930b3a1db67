"""Descriptions from a file: what is indexed is the text given."""

import asyncio
import json
from pathlib import Path

import pytest

from polaris_search.evaluate.problems import EvaluationDataInvalid
from polaris_search.experiments.given_descriptions import read_descriptions
from polaris_search.records import (
    DESCRIPTION_FIELDS,
    Description,
    EnrichedTable,
    Provenance,
    RawTable,
)
from polaris_search.store.document import searched_texts

SIX = {name: f"text of {name}" for name in DESCRIPTION_FIELDS}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "descriptions.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def described(path: Path, table_id: str) -> Description | None:
    outcome = asyncio.run(read_descriptions(path).describe(RawTable(table_id, "t"), None))
    return outcome.description


def test_a_text_is_indexed_alone_and_unchanged(tmp_path):
    text = '{"looks": "like JSON"} but is a text'
    description = described(written(tmp_path, {"table_id": "a", "description": text}), "a")

    table = EnrichedTable(RawTable("a", "t"), Provenance("x"), description=description)
    assert [part for part in searched_texts(table)["description"] if part] == [text]


def test_an_object_of_six_fields_is_taken_as_it_is(tmp_path):
    path = written(tmp_path, {"table_id": "a", "description": SIX})

    assert described(path, "a") == Description(**SIX)


def test_a_table_without_a_line_gets_no_description(tmp_path):
    descriptions = read_descriptions(written(tmp_path, {"table_id": "a", "description": "x"}))

    outcome = asyncio.run(descriptions.describe(RawTable("b", "t"), None))

    assert outcome.description is None
    assert outcome.reason == f"{tmp_path / 'descriptions.jsonl'} holds no description of it."


def test_other_descriptions_have_another_version(tmp_path):
    one = read_descriptions(written(tmp_path, {"table_id": "a", "description": "x"})).version
    same = read_descriptions(written(tmp_path, "", {"description": "x", "table_id": "a"})).version
    other = read_descriptions(written(tmp_path, {"table_id": "a", "description": "y"})).version

    assert one == same != other


def test_every_bad_line_is_named_at_once(tmp_path):
    path = written(
        tmp_path,
        {"table_id": "a", "description": "x"},
        "{broken",
        {"description": "x"},
        {"table_id": "b"},
        {"table_id": "b", "description": {"dataset_overview": "x"}},
        {"table_id": "b", "description": SIX | {"additional_context": ["a", "list"]}},
        {"table_id": "b", "description": "nul \0"},
        '{"table_id": "b", "description": "\\ud800"}',
        {"table_id": "a", "description": "again"},
        [1],
    )

    with pytest.raises(EvaluationDataInvalid) as refused:
        read_descriptions(path)

    faults = [
        str(fault).removeprefix(f"{path}:").partition(" (")[0] for fault in refused.value.problems
    ]
    assert [fault.partition(". ")[0] for fault in faults] == [
        "2: It is not JSON",
        "3: It names no table",
        "4: The description is neither a text nor an object of the six fields",
        "5: The description is neither a text nor an object of the six fields",
        "6: The description is neither a text nor an object of the six fields",
        "7: The description holds text that no store keeps",
        "8: The description holds text that no store keeps",
        "9: Table 'a' is described before",
        "10: It names no table",
    ]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(EvaluationDataInvalid, match="cannot be read"):
        read_descriptions(tmp_path / "none.jsonl")
