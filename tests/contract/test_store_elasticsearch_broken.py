"""What each method says of an index that cannot be used, on a real server."""

import json
from contextlib import closing, contextmanager

import pytest
from elasticsearch import Elasticsearch

from polaris_search.errors import StoreProblem
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.records import EnrichedTable, Provenance, RawTable

pytestmark = pytest.mark.es

PAPER = plan_query(profile_named("paper"), "payroll 2024")
TABLE = EnrichedTable(RawTable("a", "zebra"), Provenance("h"))

READS = {
    "get": lambda store: store.get(["a"]),
    "states": lambda store: store.states(["a"]),
    "table_ids": lambda store: list(store.table_ids()),
    "tables": lambda store: list(store.tables()),
    "search": lambda store: store.search(PAPER, 10),
    "status": lambda store: store.status(),
}
WRITES = {
    "put": lambda store: store.put([TABLE]),
    "delete": lambda store: store.delete(["a"]),
}
ALL = {**READS, **WRITES, "refresh": lambda store: store.refresh()}


@pytest.fixture
def client(es_url):
    with Elasticsearch(es_url) as opened:
        yield opened


@pytest.fixture
def store(elasticsearch_store):
    with closing(elasticsearch_store):
        yield elasticsearch_store


def told(store, methods):
    """Return what each method says in refusing, by the method's name."""
    sentences = {}
    for name, use in methods.items():
        with pytest.raises(StoreProblem) as refused:
            use(store)
        sentences[name] = str(refused.value)
    return sentences


def all_hold(sentences, *parts):
    return all(part in sentence for sentence in sentences.values() for part in parts)


SAID = {
    "closed": ("the index is closed. Open it (POST /INDEX/_open)",),
    "read": ("the index is blocked (index", "index read (api)", "Lift the block (index.blocks"),
    "write": ("the index is blocked (index", "index write (api)", "Lift the block (index.blocks"),
    "read_only": ("the index is blocked", "index read-only (api)", "Lift the block (index.blocks"),
    "read_only_allow_delete": ("its disk is so full", "Free space there", "What was stored stays"),
}


@pytest.mark.parametrize(
    ("block", "methods"),
    [
        ("read", READS),
        ("write", WRITES),
        ("read_only", WRITES),
        ("read_only_allow_delete", WRITES),
    ],
)
def test_a_block_is_to_be_lifted_whatever_is_called(store, client, es_alias, block, methods):
    store.put([TABLE])

    with blocked(client, es_alias, block):
        sentences = told(store, methods)

    assert all_hold(sentences, *SAID[block]), sentences


@contextmanager
def blocked(client, alias, block):
    client.indices.put_settings(index=alias, settings={f"index.blocks.{block}": True})
    try:
        yield
    finally:
        client.indices.put_settings(index=alias, settings={f"index.blocks.{block}": None})


@pytest.mark.parametrize("block", ["write", "read_only", "metadata", "read_only_allow_delete"])
def test_an_index_that_takes_no_writes_is_still_read(store, client, es_alias, block):
    store.put([TABLE])
    store.refresh()

    with blocked(client, es_alias, block):
        assert list(store.table_ids()) == ["a"]
        assert list(store.get(["a"])) == ["a"]


def test_a_closed_index_is_to_be_opened_whatever_is_called(store, client, es_alias):
    store.put([TABLE])
    client.indices.close(index=es_alias)

    sentences = told(store, ALL)

    assert all_hold(sentences, *SAID["closed"]), sentences


def test_an_alias_on_two_indices_is_told_whatever_is_called(store, client, es_alias):
    store.put([TABLE])
    client.indices.create(index=f"{es_alias}-other", aliases={es_alias: {}})

    sentences = told(store, ALL)

    assert all_hold(
        sentences, "points at 2 indices", f"{es_alias}-other", "Remove it from the others."
    ), sentences


def test_an_index_that_has_the_name_of_the_alias_is_told_whatever_is_called(
    store, client, es_alias
):
    client.indices.create(index=es_alias)

    sentences = told(store, ALL)

    assert all_hold(sentences, "is an index, and the store needs an alias", "delete it"), sentences


def test_an_alias_on_another_products_index_is_told_whatever_is_called(store, client, es_alias):
    client.indices.create(index=f"{es_alias}-other", aliases={es_alias: {}})

    sentences = told(store, ALL)

    assert all_hold(
        sentences, f"{es_alias}-other, which is not an index of this product. Remove the alias"
    ), sentences


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"filter": {"term": {"table_id": "nothing"}}}, "hides tables (filter)"),
        ({"routing": "1"}, "hides tables (index_routing, search_routing)"),
        ({"is_write_index": False}, "takes no writes (is_write_index)"),
    ],
    ids=["filter", "routing", "no write index"],
)
def test_an_alias_that_leads_to_a_part_of_its_index_is_told_with_the_request_that_mends_it(
    store, client, es_alias, changed, fault
):
    store.put([TABLE])
    index = store.status().generation
    client.indices.put_alias(index=index, name=es_alias, **changed)

    with pytest.raises(StoreProblem) as refused:
        store.status()

    assert fault in str(refused.value)
    request = json.loads(str(refused.value).split("with ", 1)[1].rstrip("."))
    client.indices.update_aliases(**request)
    store.refresh()
    assert store.status().tables == 1


def test_an_index_of_an_older_schema_is_read_and_for_all_else_to_be_reindexed(
    store, client, es_alias
):
    client.indices.create(
        index=f"{es_alias}-v0-1",
        aliases={es_alias: {}},
        mappings={"_meta": {"schema_version": 0}, "properties": {"table_id": {"type": "keyword"}}},
    )

    sentences = told(store, WRITES | {"search": ALL["search"]})

    assert all_hold(sentences, "has schema version 0, and this program needs 1"), sentences
    assert all_hold(sentences, "Run `polaris-admin reindex`; no table is lost."), sentences
    assert list(store.tables()) == []


def test_an_index_of_a_newer_schema_is_told_whatever_is_called(store, client, es_alias):
    client.indices.create(
        index=f"{es_alias}-v9-1", aliases={es_alias: {}}, mappings={"_meta": {"schema_version": 9}}
    )

    sentences = told(store, ALL)

    assert all_hold(sentences, "has schema version 9", "Use the version that made it"), sentences


def test_an_alias_that_was_taken_away_is_told_with_the_way_back(store, client, es_alias):
    store.put([TABLE])
    index = store.status().generation
    client.indices.delete_alias(index=index, name=es_alias)

    sentences = told(store, ALL)

    assert all_hold(sentences, "is gone", f"`polaris-admin index rollback {index}`"), sentences
