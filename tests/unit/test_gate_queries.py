"""Which queries an adapter is judged by: never such as it was trained on, as its record shows."""

import json

import pytest

from polaris_search.errors import UsageError
from polaris_search.evaluate.dataset import Dataset
from polaris_search.experiments.gate.queries import QueriesTrainedOn, TrainedOn, gate_queries
from polaris_search.experiments.held_out import HeldOut, held_out_of, judgments_hash

IDS = [f"q{n}" for n in range(20)]
DATA = Dataset(
    "data",
    {one: f"words of {one}" for one in IDS},
    {one: {f"t{one}": 1.0} for one in IDS},
    judged=tuple((one, f"t{one}") for one in IDS),
)


def hash_without(ids):
    return judgments_hash(DATA, HeldOut(0.2, 42, tuple(ids)))


def found_for(named, trained_on):
    return gate_queries(DATA, named, TrainedOn(trained_on))


def record_of_pairs(folder, ids):
    path = folder / "pairs.jsonl.record.json"
    path.write_text(json.dumps({"held_out_queries": ids, "seed": 42}))
    return path


def test_the_record_of_pairs_names_them_and_the_adapters_record_shows_that_they_were_left_out(
    tmp_path,
):
    path = record_of_pairs(tmp_path, ["q7", "q3"])

    found = found_for(path, hash_without(["q3", "q7"]))

    assert found.query_ids == ("q3", "q7")
    assert "its record shows it" in found.origin


def test_what_its_record_cannot_show_is_said(tmp_path):
    path = record_of_pairs(tmp_path, ["q3"])

    assert "cannot show" in found_for(path, hash_without(["q4"])).origin
    assert "cannot show" in found_for(path, None).origin
    assert found_for(path, None).notices[0].startswith("WARNING: the adapter may have been trained")
    assert found_for(path, hash_without(["q3"])).notices == ()


def test_queries_that_the_record_proves_to_have_been_trained_on_are_refused(tmp_path):
    usual = held_out_of(DATA, 0.2, 42).query_ids
    learned = next(one for one in IDS if one not in usual)
    hash_of_the_rest = hash_without(usual)

    with pytest.raises(QueriesTrainedOn, match="trained on 1 of the queries"):
        found_for(record_of_pairs(tmp_path, [usual[0], learned]), hash_of_the_rest)
    some = found_for(record_of_pairs(tmp_path, [usual[0]]), hash_of_the_rest)
    assert "its record shows it" in some.origin


@pytest.mark.parametrize("named", [True, False])
def test_a_data_set_without_judged_queries_is_said_to_be_one(tmp_path, named):
    empty = Dataset("data", {"q1": "words"}, {"q1": {}}, judged=())
    path = record_of_pairs(tmp_path, ["q1"]) if named else None

    with pytest.raises(UsageError, match="data has no judged queries"):
        gate_queries(empty, path, TrainedOn("another data set's"))


@pytest.mark.parametrize("named", [True, False])
def test_an_adapter_trained_on_all_judgments_is_not_judged_by_any_of_them(tmp_path, named):
    path = record_of_pairs(tmp_path, ["q3"]) if named else None

    with pytest.raises(QueriesTrainedOn, match="all judgments of data.*--hold-out 0.2"):
        found_for(path, judgments_hash(DATA))


def test_what_its_parent_was_trained_on_it_is_not_judged_by_either(tmp_path):
    trained_on = TrainedOn(hash_without(["q3"]), parents=(None, judgments_hash(DATA)))

    with pytest.raises(QueriesTrainedOn):
        gate_queries(DATA, record_of_pairs(tmp_path, ["q3"]), trained_on)


def test_a_reference_that_was_trained_on_them_is_told_to_have_an_advantage(tmp_path):
    trained_on = TrainedOn(hash_without(["q3"]), reference=judgments_hash(DATA))

    found = gate_queries(DATA, record_of_pairs(tmp_path, ["q3"]), trained_on)

    assert found.query_ids == ("q3",)
    assert found.notices == (
        "The reference was trained on these queries too, which is to its advantage.",
    )


def test_without_a_file_they_are_those_that_the_usual_share_left_out():
    usual = held_out_of(DATA, 0.2, 42)

    found = found_for(None, judgments_hash(DATA, usual))

    assert found.query_ids == usual.query_ids
    assert len(found.query_ids) == 4


def test_without_a_file_all_of_other_judgments_are_taken():
    found = found_for(None, "another data set's")

    assert found.query_ids == tuple(IDS)
    assert "trained on other judgments" in found.origin


def test_without_a_file_nothing_is_taken_where_the_training_is_not_known():
    with pytest.raises(QueriesTrainedOn, match="--held-out"):
        found_for(None, None)


def test_a_json_list_of_ids_is_a_file_too(tmp_path):
    path = tmp_path / "ids.json"
    path.write_text('["q1"]')

    assert found_for(path, None).query_ids == ("q1",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not json", "cannot be read"),
        ("{}", "holds no held-out queries"),
        ('{"held_out_queries": []}', "holds no held-out queries"),
        ("[1]", "holds no held-out queries"),
        ('["q1", "x1", "x2"]', "names 2 queries that data does not have: x1, x2"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_what_to_name(tmp_path, text, says):
    path = tmp_path / "file.json"
    path.write_text(text)

    with pytest.raises(UsageError, match=says):
        found_for(path, None)
    with pytest.raises(UsageError, match="cannot be read"):
        found_for(tmp_path / "missing.json", None)
