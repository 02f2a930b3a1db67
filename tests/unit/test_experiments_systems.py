"""Whose descriptions a run compares: given in files, or to be written, by an adapter or by none."""

import json

import pytest

from polaris_search.errors import UsageError
from polaris_search.evaluate.problems import EvaluationDataInvalid
from polaris_search.experiments.runs.catalogue import experiment_named
from polaris_search.experiments.runs.given import named_paths, read_system
from polaris_search.experiments.runs.written import named_adapters, recipes_for


def write(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def overviews(system):
    return {
        dataset: {key: one.dataset_overview for key, one in given.descriptions.items()}
        for dataset, given in system.descriptions.items()
    }


def test_one_file_is_of_all_data_sets(tmp_path):
    path = write(tmp_path / "all.jsonl", {"table_id": "t", "description": "rivers"})

    assert overviews(read_system("ours", path, ["a", "b"])) == {
        "a": {"t": "rivers"},
        "b": {"t": "rivers"},
    }


def test_a_folder_has_a_file_for_each_data_set(tmp_path):
    write(tmp_path / "f" / "a.jsonl", {"table_id": "t", "description": "rivers"})
    write(tmp_path / "f" / "b.jsonl", {"table_id": "t", "description": "towns"})

    found = overviews(read_system("ours", tmp_path / "f", ["a", "b"]))

    assert found == {"a": {"t": "rivers"}, "b": {"t": "towns"}}
    with pytest.raises(UsageError, match=r"descriptions of ours lack .*c\.jsonl"):
        read_system("ours", tmp_path / "f", ["a", "c"])


def test_a_file_of_candidates_gives_the_first_of_each_table(tmp_path):
    six = {
        "dataset_overview": "rivers",
        "key_themes_or_topics": "",
        "applications_and_use_cases": "",
        "concepts_and_synonyms": "",
        "keywords_and_themes": "water",
        "additional_context": "",
    }
    listed = [{"text": json.dumps(six), "seed": 42}, {"text": "towns", "seed": 142}]
    path = write(tmp_path / "c.jsonl", {"table_id": "t", "candidates": listed})

    (given,) = read_system("ours", path, ["a"]).descriptions.values()

    assert given.descriptions["t"].values() == ("rivers", "", "", "", "water", "")


def test_a_table_whose_list_of_candidates_is_empty_is_named(tmp_path):
    path = write(tmp_path / "c.jsonl", {"table_id": "t", "candidates": []})

    with pytest.raises(EvaluationDataInvalid, match="neither a text nor an object"):
        read_system("ours", path, ["a"])


@pytest.mark.parametrize("options", [["file"], ["=file"], ["a="], ["a=x", "a=y"]])
def test_descriptions_need_a_name_of_their_own(options):
    with pytest.raises(UsageError, match="--descriptions NAME=FILE"):
        named_paths(options)


def test_an_adapter_writes_for_its_data_set_or_for_all_the_others():
    adapters = named_adapters(["b=second", "first"])

    assert [adapters.of(name) for name in ("a", "b")] == ["first", "second"]


@pytest.mark.parametrize("options", [["one", "two"], ["a="], ["a=x", "a=y"], [""]])
def test_adapters_that_contradict_each_other_are_refused(options):
    with pytest.raises(UsageError, match="NAME or DATASET=NAME"):
        named_adapters(options)


def recipes(experiment, adapters, given=()):
    wanted = recipes_for(
        experiment_named(experiment), dict.fromkeys(given), named_adapters(adapters), ["a", "b"]
    )
    return [one.system for one in wanted]


def test_variants_are_written_that_rows_want_and_nobody_gave():
    assert recipes("ablations", ["one"]) == ["polaris", "no-dpo", "no-expansion", "prompt-only"]
    assert recipes("ablations", ["one"], given=["no-dpo"]) == [
        "polaris",
        "no-expansion",
        "prompt-only",
    ]


def test_without_an_adapter_for_every_data_set_only_the_base_model_writes():
    assert recipes("ablations", []) == ["no-dpo", "prompt-only"]
    assert recipes("ablations", ["a=one"]) == ["no-dpo", "prompt-only"]


def test_rows_of_everybodys_get_the_best_there_is():
    assert recipes("overall", ["one"]) == ["polaris"]
    assert recipes("overall", []) == ["no-dpo"]
    assert recipes("expansion", []) == []
