"""What is told when the whole server is unwell: no disk, no memory, no master, no answer.

Each state is a real server's: of one that the tests share, put right again afterwards, or of one
that is started for it.
"""

import dataclasses
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
from elasticsearch import ApiError
from servers import OwnServer, free_port, own_server, wait_until

import mappings
from polaris_search.errors import PolarisError, ServiceUnreachable, StoreProblem
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.records import EnrichedTable, Provenance, RawTable
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.server.writability import why_not_writable
from polaris_search.store.elasticsearch.store import ElasticsearchStore

pytestmark = pytest.mark.es

PAPER = plan_query(profile_named("paper"), "zebra")
TABLE = EnrichedTable(RawTable("a", "zebra"), Provenance("h"))
MULTI_NODE = {"discovery.type": "multi-node", "path.data": "FOLDER/other"}


@pytest.fixture
def alias(request):
    return f"polaris-{abs(hash(request.node.nodeid)):x}"


@pytest.fixture
def client(own_es):
    with closing(own_es.client()) as opened:
        yield opened.options(request_timeout=30)


@contextmanager
def opened(server: OwnServer, alias: str, timeout_s: float = 30.0):
    settings = read_settings({"POLARIS_STORE": server.store}, Path("/nonexistent"))
    settings = dataclasses.replace(settings, es_timeout_s=timeout_s, es_ca_certs=server.ca_certs)
    limits = BulkLimits(patience_s=timeout_s)
    with closing(ElasticsearchStore(connect(settings), alias, limits)) as store:
        yield store


def foreseen(server: OwnServer, alias: str) -> str:
    """Return what `doctor` says of the next write, before there is one."""
    settings = read_settings({"POLARIS_STORE": server.store}, Path("/nonexistent"))
    with closing(connect(settings)) as connection:
        return str(why_not_writable(connection, alias))


@contextmanager
def cluster_settings(client, **settings):
    names = {name.replace("__", "."): value for name, value in settings.items()}
    client.cluster.put_settings(persistent=names)
    try:
        yield
    finally:
        client.cluster.put_settings(persistent=dict.fromkeys(names))


def told(error_class, ask):
    with pytest.raises(PolarisError) as raised:
        ask()
    assert type(raised.value) is error_class
    assert "\n" not in str(raised.value)
    return str(raised.value)


FLOODED = {
    "cluster.routing.allocation.disk.threshold_enabled": True,
    "cluster.routing.allocation.disk.watermark.low": "900pb",
    "cluster.routing.allocation.disk.watermark.high": "800pb",
    "cluster.routing.allocation.disk.watermark.flood_stage": "700pb",
    "cluster.info.update.interval": "10s",
}


def test_a_disk_at_the_flood_stage_is_told_once_and_what_was_stored_is_found(own_es, client, alias):
    def is_flooded():
        found = client.indices.get_settings(index=alias, flat_settings=True)
        return any(
            "index.blocks.read_only_allow_delete" in one["settings"] for one in found.values()
        )

    with opened(own_es, alias) as store:
        store.put([TABLE])
        store.refresh()
        client.cluster.put_settings(persistent=FLOODED)
        try:
            wait_until(is_flooded, 60, "the server found its disk full")
            sentence = told(StoreProblem, lambda: store.put([TABLE] * 1000))
            assert foreseen(own_es, alias) == sentence
            assert store.search(PAPER, 10).total == 1
        finally:
            client.cluster.put_settings(persistent=dict.fromkeys(FLOODED))
            client.indices.put_settings(
                index=f"{alias}*", settings={"index.blocks.read_only_allow_delete": None}
            )

    assert "its disk is so full that it takes no more writes. Free space there" in sentence


@pytest.mark.parametrize("use", ["search", "put", "status"])
def test_a_server_without_memory_says_so(own_es, client, alias, use):
    uses = {
        "search": lambda store: store.search(PAPER, 10),
        "put": lambda store: store.put([TABLE]),
        "status": lambda store: store.status(),
    }
    with opened(own_es, alias, timeout_s=2.0) as store:
        store.put([TABLE])
        with cluster_settings(client, indices__breaker__total__limit="0.01%"):
            sentence = told(StoreProblem, lambda: uses[use](store))

    assert "the server is short of memory. Give it more" in sentence


def test_a_cluster_that_is_read_only_is_told_apart_from_a_blocked_index(own_es, client, alias):
    with opened(own_es, alias) as store:
        store.put([TABLE])
        with cluster_settings(client, cluster__blocks__read_only=True):
            sentence = told(StoreProblem, lambda: store.put([TABLE]))

    assert "whole cluster is set to be read only" in sentence
    assert "PUT /_cluster/settings" in sentence


def test_a_cluster_that_may_hold_no_more_shards_says_what_to_delete(own_es, client, alias):
    client.indices.create(index=f"{alias}-other")
    with opened(own_es, alias) as store, cluster_settings(client, cluster__max_shards_per_node=1):
        sentence = told(StoreProblem, lambda: store.put([TABLE]))

    assert "may hold no more shards. Delete indices" in sentence
    assert "`polaris-admin index prune`" in sentence


def test_a_server_that_ends_lists_too_early_names_its_setting(own_es, client, alias):
    with opened(own_es, alias) as store:
        store.put([TABLE])
        limits = {"search__max_keep_alive": "1m", "search__default_keep_alive": "1m"}
        with cluster_settings(client, **limits):
            sentence = told(StoreProblem, lambda: list(store.tables()))

    assert "for too short a time. Raise search.max_keep_alive on the server to 5m" in sentence


ALL = (
    lambda store: store.search(PAPER, 10),
    lambda store: store.get(["a"]),
    lambda store: list(store.tables()),
    lambda store: store.status(),
    lambda store: store.generations.listed(),
    lambda store: store.put([TABLE]),
)


def test_a_shard_that_no_node_serves_is_told_whatever_is_called(own_es, client, alias):
    body = mappings.tables()
    with opened(own_es, alias) as store:
        store.put([TABLE])
        index = store.status().generation
        meta = client.indices.get_mapping(index=index)[index]["mappings"]["_meta"]
    client.indices.delete(index=index)
    nowhere = {"index.routing.allocation.require._name": "nobody"}
    client.indices.create(
        index=index,
        settings={**body["settings"], **nowhere},
        mappings={**body["mappings"], "_meta": meta},
        aliases={alias: {"is_write_index": True}},
        wait_for_active_shards="0",
    )

    try:
        with opened(own_es, alias, timeout_s=2.0) as store:
            sentences = [told(ServiceUnreachable, partial(use, store)) for use in ALL]
    finally:
        client.indices.delete(index=index)

    assert all("no node serves" in sentence for sentence in sentences), sentences
    assert all("/_cluster/allocation/explain" in sentence for sentence in sentences)


def test_a_server_that_hangs_is_given_up_after_the_time_that_was_set(own_es, alias):
    with opened(own_es, alias, timeout_s=1.0) as store:
        store.put([TABLE])
        with own_es.suspended():
            sentence = told(ServiceUnreachable, lambda: store.search(PAPER, 10))

    assert "it did not answer in time. Look whether it is overloaded" in sentence
    assert "POLARIS_ES_TIMEOUT_S" in sentence


def test_a_server_that_never_found_a_master_is_not_ready_and_never_taken_for_empty(
    es_command, alias
):
    settings = {
        **MULTI_NODE,
        "cluster.initial_master_nodes": "one-that-never-comes,another",
        "discovery.initial_state_timeout": "0s",
    }
    with (
        own_server(es_command, settings=settings, elects=False) as server,
        opened(server, alias, timeout_s=5.0) as store,
    ):
        sentences = [told(ServiceUnreachable, partial(use, store)) for use in ALL]

    assert all("is not ready (status 503)" in sentence for sentence in sentences), sentences


@pytest.mark.slow
def test_a_cluster_that_lost_its_master_is_searched_and_says_why_it_takes_no_writes(
    es_command, alias
):
    port = str(free_port())
    first = {**MULTI_NODE, "node.name": "first", "transport.port": port}
    first["cluster.initial_master_nodes"] = "first"
    second = {**MULTI_NODE, "node.name": "second", "discovery.seed_hosts": f"127.0.0.1:{port}"}
    with (
        own_server(es_command, settings=first) as elected,
        own_server(es_command, settings=second) as left,
        opened(left, alias, timeout_s=5.0) as store,
    ):
        with closing(left.client()) as client:
            client.options(request_timeout=60).cluster.health(wait_for_nodes="2", timeout="60s")
            store.put([TABLE])
            store.refresh()
            client.options(request_timeout=60).cluster.health(
                wait_for_status="green", wait_for_no_initializing_shards=True, timeout="60s"
            )
            elected.kill()
            wait_until(lambda: has_no_master(client), 60, "the election was lost")
        found = store.search(PAPER, 10).total
        sentence = told(ServiceUnreachable, lambda: store.put([TABLE]))
        assert foreseen(left, alias) == sentence

    assert found == 1
    assert "its cluster has no elected master" in sentence
    assert "Start the master nodes that are missing" in sentence


def has_no_master(client):
    try:
        client.cluster.health(master_timeout="0s")
    except ApiError:
        return True
    return False
