"""Bulk writes meet a real server that restarts, has no room, or just got another index."""

import threading
from contextlib import closing

import pytest
from elasticsearch import Elasticsearch
from servers import OwnServer, own_server, wait_until

import mappings
from polaris_search.errors import StoreProblem
from polaris_search.records import EnrichedTable, Provenance, RawTable
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import ElasticsearchStore

pytestmark = pytest.mark.es

N_TABLES = 2_000
LIMITS = BulkLimits(connections=2, chunk_tables=100, patience_s=180)


def table(table_id, name="zebra", **context):
    return EnrichedTable(RawTable(table_id, name, context=context), Provenance("h"))


def tables(count):
    return [table(f"t{number:04}") for number in range(count)]


def opened(server: OwnServer, alias: str) -> ElasticsearchStore:
    settings = {"POLARIS_STORE": server.store, "POLARIS_ES_TIMEOUT_S": "60"}
    if server.ca_certs:
        settings["POLARIS_ES_CA_CERTS"] = str(server.ca_certs)
    return ElasticsearchStore(connect(read_settings(settings)), alias, LIMITS)


@pytest.fixture
def client(es_url):
    with Elasticsearch(es_url) as running:
        yield running


@pytest.fixture
def store(es_url, es_alias):
    connection = connect(read_settings({"POLARIS_STORE": es_url}))
    limits = BulkLimits(chunk_tables=200, backoff_s=1.0)  # a busy server takes long to swap
    with closing(ElasticsearchStore(connection, es_alias, limits)) as running:
        yield running


def live_index(client, alias):
    (index,) = client.indices.get_mapping(index=alias)
    return index


def create(client, index):
    body = mappings.tables()
    client.indices.create(index=index, settings=body["settings"], mappings=body["mappings"])


def swap(client, alias, old, new):
    remove = {"index": old, "alias": alias, "must_exist": True}
    add = {"index": new, "alias": alias, "is_write_index": True}
    client.indices.update_aliases(actions=[{"remove": remove}, {"add": add}])


def written_while(do, given, at):
    """Yield the tables, and do something in between, in a thread, once so many were given."""
    doing = threading.Thread(target=do)
    for number, one in enumerate(given):
        if number == at:
            doing.start()
        yield one
    doing.join()


def ids_in(client, index):
    client.indices.refresh(index=index)
    hits = client.search(index=index, size=10_000, source=False)["hits"]["hits"]
    return {hit["_id"] for hit in hits}


def put_while_restarted(server, restart):
    with closing(opened(server, "polaris-restarted")) as store:
        given = tables(N_TABLES)

        report = store.put(written_while(restart, given, at=700))
        store.refresh()

        assert (report.stored, report.refused) == (N_TABLES, ())
        assert list(store.table_ids()) == [one.table_id for one in given]


def test_a_server_killed_and_started_again_under_a_put_loses_and_doubles_nothing(own_es):
    def kill_and_start():
        own_es.kill()
        own_es.start()

    put_while_restarted(own_es, kill_and_start)


def test_a_server_stopped_and_started_again_under_a_put_loses_and_doubles_nothing(own_es):
    def stop_and_start():
        own_es.stop()
        own_es.start()

    put_while_restarted(own_es, stop_and_start)


def test_a_server_with_users_killed_and_started_again_under_a_put_loses_nothing(es_command):
    with own_server(es_command, secure=True, heap="512m") as server:

        def kill_and_start():
            server.kill()
            server.start()

        put_while_restarted(server, kill_and_start)


def test_a_document_too_large_for_the_servers_memory_is_refused_and_all_others_are_stored(own_es):
    large = table("large", dump="word " * 3_200_000)  # 32 MB; a 512 MB server takes some 12
    limits = BulkLimits(connections=2, chunk_tables=50, document_bytes=50_000_000, backoff_s=0.01)
    settings = read_settings({"POLARIS_STORE": own_es.store, "POLARIS_ES_TIMEOUT_S": "60"})
    given = [*tables(120), large, *(table(f"u{number}") for number in range(80))]

    with closing(ElasticsearchStore(connect(settings), "polaris-large", limits)) as store:
        report = store.put(given)

    assert report.stored == 200
    (refused,) = report.refused
    assert refused.table_id == "large"
    assert "the server is too busy" in refused.reason


def test_writes_that_meet_an_index_just_replaced_arrive_in_the_one_that_replaced_it(
    store, client, es_alias
):
    given = tables(600)
    store.put(given[:1])
    old, new = live_index(client, es_alias), f"{es_alias}-v1-new"
    create(client, new)

    def replace_while_written():
        for number, one in enumerate(given):
            if number == 200:
                client.indices.add_block(index=old, block="write")
            if number == 401:  # a request that meets the block is under way
                swap(client, es_alias, old, new)
            yield one

    report = store.put(replace_while_written())

    before, after = ids_in(client, old), ids_in(client, new)
    assert (report.stored, report.refused) == (600, ())
    assert before | after == {one.table_id for one in given}
    assert before & after == set()
    assert {f"t{number:04}" for number in range(200, 600)} <= after


def test_deletes_that_meet_an_index_just_replaced_reach_the_one_that_replaced_it(
    store, client, es_alias
):
    given = tables(10)
    store.put(given)
    store.refresh()
    old, new = live_index(client, es_alias), f"{es_alias}-v1-new"
    create(client, new)
    client.reindex(source={"index": old}, dest={"index": new}, refresh=True)
    client.indices.add_block(index=old, block="write")

    log = f"{es_alias}-deletions"

    def is_written_down():
        asked = client.options(ignore_status=(404, 503))
        asked.indices.refresh(index=log)
        return asked.count(index=log).get("count")

    def swap_once_written_down():
        wait_until(is_written_down, 30, "the deletion is under way")
        swap(client, es_alias, old, new)

    swapping = threading.Thread(target=swap_once_written_down)
    swapping.start()
    deleted = store.delete(["t0003", "t0004", "never"])
    swapping.join()

    assert deleted == 2
    assert ids_in(client, new) == {one.table_id for one in given} - {"t0003", "t0004"}


def test_an_index_blocked_by_hand_is_told_after_a_moment(store, client, es_alias):
    store.put(tables(1))
    client.indices.add_block(index=live_index(client, es_alias), block="write")

    with pytest.raises(StoreProblem, match="the index is blocked .* Lift the block"):
        store.put(tables(500))


def test_the_indexs_own_pipeline_leaves_this_products_documents_as_they_are(
    store, client, es_alias
):
    drop = f"{es_alias}-drop"
    store.put(tables(1))
    client.ingest.put_pipeline(id=drop, processors=[{"drop": {}}])
    client.indices.put_settings(
        index=live_index(client, es_alias), settings={"index.default_pipeline": drop}
    )

    report = store.put(tables(300))
    client.indices.put_settings(
        index=live_index(client, es_alias), settings={"index.default_pipeline": None}
    )
    client.ingest.delete_pipeline(id=drop)

    assert report.stored == 300
    assert len(list(store.table_ids())) == 300
