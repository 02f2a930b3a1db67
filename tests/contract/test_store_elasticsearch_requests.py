"""How many requests a search and a write cost: each is a way there and back that a person waits."""

from contextlib import closing

import pytest
from elasticsearch import Elasticsearch
from tables import fill, table

from polaris_search.profiles.model import profile_named
from polaris_search.search.answer import search_tables
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.node import QuietNode
from polaris_search.store.elasticsearch.store import ElasticsearchStore

pytestmark = pytest.mark.es


@pytest.fixture
def asked():
    """The path of each request, in order."""
    return []


@pytest.fixture
def store(es_url, es_alias, asked):
    class NotingNode(QuietNode):
        def perform_request(self, method, target, *more, **named):
            asked.append(target.partition("?")[0].rpartition("/")[2])
            return super().perform_request(method, target, *more, **named)

    client = Elasticsearch(es_url, node_class=NotingNode)
    connection = Connection(client, client, es_url)
    limits = BulkLimits(connections=1, chunk_tables=100)
    with closing(ElasticsearchStore(connection, es_alias, limits)) as opened:
        yield opened


def test_a_search_with_names_and_reasons_costs_two_requests(store, asked):
    fill(store, table("a", "zebra"), table("b", "zebra"))
    search_tables(store, "zebra", profile_named("default"))
    asked.clear()

    hits = search_tables(store, "zebra", profile_named("default")).hits

    assert [hit.name for hit in hits] == ["zebra", "zebra"]
    assert asked == ["_search", "_mget"]


def test_a_write_costs_one_request_for_each_chunk_and_one_look_at_the_index(store, asked, es_alias):
    store.put([table("a")])
    asked.clear()

    store.put(table(f"t{number}") for number in range(250))

    assert asked == [es_alias, "_bulk", "_bulk", "_bulk"]
