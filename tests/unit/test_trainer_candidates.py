"""Files of candidate descriptions: read as they are, or refused with every fault named."""

import json

import pytest

from polaris_search.errors import CandidatesInvalid
from polaris_search.records import DESCRIPTION_FIELDS
from trainer.candidates import read_candidates


@pytest.fixture
def written(tmp_path):
    def write(*lines):
        path = tmp_path / "candidates.jsonl"
        path.write_text("".join(line + "\n" for line in lines))
        return path

    return write


def test_candidates_are_read_in_order_with_how_they_were_made(written):
    path = written(
        json.dumps(
            {
                "table_id": "t",
                "candidates": [{"text": "a", "seed": 1}, {"text": "", "temperature": 0.5}],
            }
        ),
        json.dumps({"table_id": "u", "candidates": []}),
    )

    found = read_candidates(path)

    assert list(found) == ["t", "u"]
    assert [(one.text, dict(one.made)) for one in found["t"]] == [
        ("a", {"seed": 1}),
        ("", {"temperature": 0.5}),
    ]
    assert found["u"] == ()


def test_a_text_that_is_the_six_fields_as_json_is_searched_by_its_values(written):
    values = {name: f"text of {name}" for name in DESCRIPTION_FIELDS}
    line = {"table_id": "t", "candidates": [{"text": json.dumps(values)}]}

    ((candidate,),) = read_candidates(written(json.dumps(line))).values()

    assert candidate.description.values() == tuple(values.values())
    assert candidate.text == json.dumps(values)


def test_a_plain_text_is_searched_as_it_is(written):
    line = {"table_id": "t", "candidates": [{"text": "birds of the coast"}]}

    ((candidate,),) = read_candidates(written(json.dumps(line))).values()

    assert candidate.description.values() == ("birds of the coast", "", "", "", "", "")


def test_every_faulty_line_is_named_at_once(written):
    path = written(
        "{",
        json.dumps({"candidates": []}),
        json.dumps({"table_id": "t", "candidates": "a"}),
        json.dumps({"table_id": "u", "candidates": [{"text": "a\0"}]}),
        json.dumps({"table_id": "v", "candidates": []}),
        json.dumps({"table_id": "v", "candidates": []}),
    )

    with pytest.raises(CandidatesInvalid) as refused:
        read_candidates(path)

    assert [f"line {n}: " in str(refused.value) for n in range(1, 7)] == [True] * 4 + [False, True]


@pytest.mark.parametrize(
    "candidate",
    [
        {"text": json.dumps(dict.fromkeys(DESCRIPTION_FIELDS, "a\0b"))},
        {"text": json.dumps(dict.fromkeys(DESCRIPTION_FIELDS, "a\ud800b"))},
        {"text": "a", "description": dict.fromkeys(DESCRIPTION_FIELDS, "a\0b")},
        {"text": "a", "model": "m\ud800"},
    ],
    ids=["NUL in JSON", "half a character in JSON", "NUL in a field", "half a character of a name"],
)
def test_what_no_store_keeps_is_found_wherever_it_is_escaped(written, candidate):
    path = written(json.dumps({"table_id": "t", "candidates": [{"text": "b"}, candidate]}))

    with pytest.raises(CandidatesInvalid, match="candidate 1 has no storable text"):
        read_candidates(path)


def test_a_table_id_that_no_store_keeps_is_named(written):
    path = written(json.dumps({"table_id": "t\ud800", "candidates": []}))

    with pytest.raises(CandidatesInvalid, match=r"line 1: no store keeps the id"):
        read_candidates(path)


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [("", True), (" \n", True), (json.dumps(dict.fromkeys(DESCRIPTION_FIELDS, " ")), True)]
    + [("a", False), (json.dumps(dict.fromkeys(DESCRIPTION_FIELDS, "a")), False), ("{}", False)],
)
def test_a_candidate_is_empty_where_there_is_nothing_to_search_by(written, text, is_empty):
    path = written(json.dumps({"table_id": "t", "candidates": [{"text": text}]}))

    ((candidate,),) = read_candidates(path).values()

    assert candidate.is_empty == is_empty


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CandidatesInvalid, match="cannot be read.*Check the path"):
        read_candidates(tmp_path / "none.jsonl")
