"""What each method says of an index that cannot be used, on a real server."""

from contextlib import closing

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


def test_a_closed_index_is_to_be_opened_whatever_is_called(store, client, es_alias):
    store.put([TABLE])
    client.indices.close(index=es_alias)

    sentences = told(store, ALL)

    assert all_hold(sentences, "the index is closed. Open it (POST /INDEX/_open)"), sentences


@pytest.mark.parametrize(("block", "methods"), [("read", READS), ("write", WRITES)])
def test_a_block_is_to_be_lifted_whatever_is_called(store, client, es_alias, block, methods):
    store.put([TABLE])
    client.indices.add_block(index=es_alias, block=block)

    sentences = told(store, methods)

    assert all_hold(sentences, f"index {block} (api)", "Lift the block (index.blocks"), sentences


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


def test_an_index_of_another_schema_version_is_told_whatever_is_called(store, client, es_alias):
    client.indices.create(
        index=f"{es_alias}-v0-1", aliases={es_alias: {}}, mappings={"_meta": {"schema_version": 0}}
    )

    sentences = told(store, ALL)

    assert all_hold(sentences, "has schema version 0, and this program needs 1"), sentences
