"""An index that other queries were made for is never searched, and a reindex is its cure."""

from contextlib import closing
from dataclasses import replace

import pytest
from elasticsearch import Elasticsearch
from generations import another, reindex, roll_back, unheard, words
from tables import fill, found, table

import mappings
from polaris_search.errors import StoreProblem
from polaris_search.store.elasticsearch.generations.definition import definition

pytestmark = pytest.mark.es


@pytest.fixture
def client(es_url):
    with Elasticsearch(es_url) as opened:
        yield opened


@pytest.fixture
def store(elasticsearch_store):
    with closing(elasticsearch_store):
        fill(elasticsearch_store, table("a", "zebra"))
        yield elasticsearch_store


def tell(client, index, **changed):
    """Let an index say something else of itself; None takes a word back."""
    (body,) = client.indices.get_mapping(index=index).values()
    meta = body["mappings"]["_meta"] | changed
    told = {name: value for name, value in meta.items() if value is not None}
    client.indices.put_mapping(index=index, meta=told)


OTHERS = {
    "other analyzers": {"definition": "0123456789abcdef"},
    "made before definitions were written down": {"definition": None},
    "an older schema": {"schema_version": 0},
}


def test_a_new_index_says_what_it_was_made_with(store, client, es_alias):
    (body,) = client.indices.get_mapping(index=es_alias).values()

    meta = body["mappings"]["_meta"]
    assert meta["definition"] == definition()
    assert meta["schema_version"] == mappings.tables()["mappings"]["_meta"]["schema_version"]
    assert meta["made_by"].startswith("polaris-search ")
    assert len(meta["profiles"]) == 16
    assert store.status().current


def test_an_index_that_went_live_says_whose_prompts_described_its_tables(store, client, es_alias):
    described = [table(f"d{number}", overview="o") for number in range(3)]
    prompts = ["v1", "v2", "v2"]
    store.put(
        replace(one, provenance=replace(one.provenance, prompt_version=prompt))
        for one, prompt in zip(described, prompts, strict=True)
    )

    reindex(store)

    (body,) = client.indices.get_mapping(index=es_alias).values()
    assert body["mappings"]["_meta"]["prompts"] == ["v2", "v1"]


@pytest.mark.parametrize("told", OTHERS.values(), ids=OTHERS)
def test_such_an_index_is_read_but_neither_searched_nor_written(store, client, es_alias, told):
    tell(client, es_alias, **told)

    for refused in (
        lambda: found(store, "zebra"),
        lambda: store.put([table("b")]),
        lambda: store.delete(["a"]),
    ):
        with pytest.raises(StoreProblem, match=r"Run `polaris-admin reindex`; no table is lost\."):
            refused()

    assert words(store) == {"a": "zebra"}
    assert list(store.table_ids()) == ["a"]
    assert list(store.get(["a"])) == list(store.states(["a"])) == ["a"]
    assert (store.status().current, store.status().tables) == (False, 1)
    assert [one.current for one in store.generations.listed()] == [False]


@pytest.mark.parametrize("told", OTHERS.values(), ids=OTHERS)
def test_a_reindex_makes_it_one_that_is_searched(store, client, es_alias, told):
    tell(client, es_alias, **told)

    reindex(store)

    assert found(store, "zebra") == ["a"]
    fill(store, table("b", "yak"))
    assert words(store) == {"a": "zebra", "b": "yak"}
    assert [one.current for one in store.generations.listed()] == [True, False]


def test_an_index_of_a_newer_schema_is_left_alone(store, client, es_alias):
    tell(client, es_alias, schema_version=99)

    for refused in (
        lambda: store.get(["a"]),
        lambda: store.status(),
        lambda: reindex(store),
        lambda: store.generations.prune(0, unheard),
    ):
        with pytest.raises(StoreProblem, match="has schema version 99, and this program needs 1"):
            refused()


def test_a_store_that_is_open_notices_that_another_definition_went_live(store, client):
    reindex(store)
    kept = store.generations.listed()[1].name
    with another(store) as other:
        assert found(other, "zebra") == ["a"]
        tell(client, kept, definition="0123456789abcdef")
        roll_back(store, kept)

        for query in ("zebra", "nothing has this word"):
            with pytest.raises(StoreProblem, match="Run `polaris-admin reindex`"):
                found(other, query)


def test_what_differs_from_the_definition_is_named(store, client):
    with store.generations.stage("r", unheard) as staged:
        assert staged.check_definition() is None
        extra = {"nickname": {"type": "keyword"}}
        client.indices.put_mapping(index=staged.name, properties=extra)

        assert staged.check_definition() == (
            f"The index {staged.name} differs from this program's definition in: "
            "properties.nickname."
        )


def test_a_staged_generation_of_another_definition_is_not_gone_on_with(store, client):
    with store.generations.stage("r", unheard) as left:
        tell(client, left.name, definition="0123456789abcdef")

    with store.generations.stage("r", unheard) as staged:
        assert not staged.resumed
        assert staged.name != left.name


def test_documents_that_were_replaced_or_deleted_and_still_count_are_told(store, client):
    fill(store, *(table(f"t{number}") for number in range(9)))
    assert store.status().replaced == 0

    fill(store, table("t1", "changed"), table("t2", "changed"))

    assert (store.status().tables, store.status().replaced) == (10, 2)
    store.delete(["t3"])
    store.refresh()
    assert (store.status().tables, store.status().replaced) == (9, 4)  # and a mark that it is gone
    reindex(store)
    assert (store.status().tables, store.status().replaced) == (9, 0)


def change_settings(client, index, **settings):
    client.indices.put_settings(index=index, settings=settings, reopen=True)
    client.cluster.health(index=index, wait_for_status="yellow")


BREAKING = {
    "an analyzer": lambda client, index: change_settings(
        client,
        index,
        analysis={"analyzer": {"words": {"type": "custom", "tokenizer": "whitespace"}}},
    ),
    "a similarity": lambda client, index: change_settings(
        client, index, **{"index.similarity.grams.b": 0.1}
    ),
    "how a field is asked": lambda client, index: client.indices.put_mapping(
        index=index,
        properties={
            "context": {"type": "text", "analyzer": "words", "search_analyzer": "standard"}
        },
    ),
}
HARMLESS = {
    "another field": lambda client, index: client.indices.put_mapping(
        index=index, properties={"owner": {"type": "keyword"}}
    ),
    "another filter": lambda client, index: change_settings(
        client, index, analysis={"filter": {"theirs": {"type": "lowercase"}}}
    ),
}


@pytest.mark.parametrize("change", BREAKING.values(), ids=BREAKING)
def test_an_index_that_somebody_changed_is_not_searched_but_reindexed(store, client, change):
    change(client, store.status().generation)

    with (
        another(store) as seen_anew,
        pytest.raises(StoreProblem, match="was changed after.*reindex"),
    ):
        found(seen_anew, "zebra")
    assert not store.status().current
    reindex(store)

    with another(store) as seen_anew:
        assert found(seen_anew, "zebra") == ["a"]


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_somebody_added_beside_the_definition_stops_no_search(store, client, change):
    change(client, store.status().generation)

    with another(store) as seen_anew:
        assert found(seen_anew, "zebra") == ["a"]
        assert seen_anew.status().current
