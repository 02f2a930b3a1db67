"""What an index was made with, and what it says of itself; as the server gives it back."""

import copy
from dataclasses import replace

import mappings
from polaris_search.store.elasticsearch.generations.definition import (
    definition,
    differences,
    schema_version,
)
from polaris_search.store.elasticsearch.generations.meta import Reindex, meta_of, new_meta

REINDEX = Reindex("recipe", "base", "uuid", {"0": 7, "1": 3}, 5, own={"0": 9})


def as_the_server_gives_it(value):
    if isinstance(value, dict):
        return {name: as_the_server_gives_it(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [as_the_server_gives_it(inner) for inner in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def stored():
    body = copy.deepcopy(mappings.tables())
    settings = as_the_server_gives_it(body["settings"]) | {"uuid": "u", "creation_date": "1"}
    return settings, body["mappings"]


def test_an_index_as_it_was_made_differs_in_nothing():
    assert differences(*stored()) == []


def test_each_place_that_differs_is_named():
    settings, mapping = stored()
    settings["analysis"]["analyzer"]["words"]["filter"] = ["lowercase"]
    settings["similarity"]["grams"]["k1"] = "1.3"
    del mapping["properties"]["context"]
    mapping["properties"]["nickname"] = {"type": "keyword"}
    mapping["dynamic"] = "true"

    assert differences(settings, mapping) == [
        "analysis.analyzer.words.filter",
        "dynamic",
        "properties.context",
        "properties.nickname",
        "similarity.grams.k1",
    ]


def test_the_definition_is_the_same_at_every_start():
    assert definition() == definition.__wrapped__()
    assert len(definition()) == 16


def test_a_new_index_is_current_until_what_it_says_differs():
    meta = new_meta()

    assert meta_of({"_meta": meta}).current
    assert not meta_of({"_meta": meta | {"definition": "0123456789abcdef"}}).current
    assert not meta_of({"_meta": meta | {"schema_version": schema_version() - 1}}).current
    assert not meta_of({}).current


def test_the_account_of_a_reindex_comes_back_as_it_was_written():
    assert meta_of({"_meta": new_meta(REINDEX)}).reindex == REINDEX
    settled = replace(REINDEX, state="settled", live_at="2026-11-30T02:00:00+00:00")
    assert meta_of({"_meta": meta_of({}).with_reindex(settled).raw}).reindex == settled


def test_what_another_version_adds_is_kept_and_what_it_lacks_is_no_account():
    meta = new_meta(REINDEX)
    meta["reindex"] |= {"mood": "good"}
    meta["owner"] = "ann"

    read = meta_of({"_meta": meta})

    assert read.reindex == REINDEX
    assert read.with_reindex(REINDEX).with_prompts(["p"]).raw["owner"] == "ann"
    assert meta_of({"_meta": {"schema_version": 1, "reindex": {"recipe": "r"}}}).reindex is None
