"""Training sets that leave one data set out hold the pairs of all the others, and say whose."""

import json

import pytest

from polaris_search.errors import UsageError
from polaris_search.experiments.runs.training.leave_one_out import leave_one_out


def pairs_of(folder, name, *tables, record=True):
    path = folder / f"{name}.jsonl"
    lines = [json.dumps({"prompt": table, "chosen": "good", "rejected": "bad"}) for table in tables]
    path.write_text("".join(f"{line}\n" for line in lines))
    if record:
        listed = [{"table_id": table, "queries": ["1", "2"]} for table in tables]
        said = {"pairs": listed, "judgments_hash": name, "held_out_queries": ["9"], "seed": 42}
        path.with_name(f"{path.name}.record.json").write_text(json.dumps(said))
    return path


def record_of(path):
    return json.loads(path.with_name(f"{path.name}.record.json").read_text())


def prompts(path):
    return [json.loads(line)["prompt"] for line in path.read_text().splitlines()]


def test_each_set_has_the_pairs_of_all_others_and_none_of_its_own(tmp_path):
    given = {
        "a": pairs_of(tmp_path, "a", "a1", "a2"),
        "b": pairs_of(tmp_path, "b", "b1"),
        "c": pairs_of(tmp_path, "c", "c1"),
    }

    found = leave_one_out(given, tmp_path / "out")

    assert [one.left_out for one in found] == ["a", "b", "c"]
    assert prompts(tmp_path / "out" / "a.jsonl") == ["b1", "c1"]
    assert prompts(tmp_path / "out" / "b.jsonl") == ["a1", "a2", "c1"]
    assert found[1].pairs == {"a": 2, "c": 1}


def test_the_record_names_what_is_left_out_and_tells_queries_of_one_id_apart(tmp_path):
    given = {"a": pairs_of(tmp_path, "a", "a1"), "b": pairs_of(tmp_path, "b", "b1")}
    given["c"] = pairs_of(tmp_path, "c", "c1")

    leave_one_out(given, tmp_path / "out")

    record = record_of(tmp_path / "out" / "c.jsonl")
    assert record["left_out"] == "c"
    assert list(record["from"]) == ["a", "b"]
    assert [entry["queries"] for entry in record["pairs"]] == [["a/1", "a/2"], ["b/1", "b/2"]]
    assert record["held_out_queries"] == ["a/9", "b/9"]
    assert record["judgments_hash"] != record_of(tmp_path / "out" / "a.jsonl")["judgments_hash"]


def test_pairs_of_unknown_origin_make_no_claim_about_queries(tmp_path):
    given = {
        "a": pairs_of(tmp_path, "a", "a1"),
        "b": pairs_of(tmp_path, "b", "b1", record=False),
        "c": pairs_of(tmp_path, "c", "c1"),
    }

    leave_one_out(given, tmp_path / "out")

    assert "pairs" not in record_of(tmp_path / "out" / "c.jsonl")
    assert record_of(tmp_path / "out" / "c.jsonl")["judgments_hash"] is None
    assert len(record_of(tmp_path / "out" / "b.jsonl")["pairs"]) == 2


def test_a_record_of_other_pairs_is_refused(tmp_path):
    given = {"a": pairs_of(tmp_path, "a", "a1", "a2"), "b": pairs_of(tmp_path, "b", "b1")}
    given["a"].write_text(given["a"].read_text().splitlines()[0] + "\n")

    with pytest.raises(UsageError, match=r"lists 2 pairs and a\.jsonl holds 1"):
        leave_one_out(given, tmp_path / "out")


def test_one_data_set_leaves_none_to_learn_from(tmp_path):
    with pytest.raises(UsageError, match="at least two"):
        leave_one_out({"a": pairs_of(tmp_path, "a", "a1")}, tmp_path / "out")


def test_a_file_that_is_not_there_is_named(tmp_path):
    given = {"a": tmp_path / "gone.jsonl", "b": pairs_of(tmp_path, "b", "b1")}

    with pytest.raises(UsageError, match=r"gone\.jsonl cannot be read"):
        leave_one_out(given, tmp_path / "out")
