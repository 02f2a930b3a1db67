"""What pruning removes on a real server beside generations: strays, and old deletions."""

import subprocess
import sys
from contextlib import closing

import pytest
from elasticsearch import Elasticsearch
from elasticsearch_places import Machine
from generations import as_given, copy, reindex, states, unheard, words
from tables import fill, table

from polaris_search.errors import StoreProblem
from polaris_search.store.elasticsearch.generations.change_log import ChangeLog
from polaris_search.store.holder import this_process

pytestmark = pytest.mark.es

SCRATCH = """
import os, signal, sys
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import ElasticsearchStore

store = ElasticsearchStore(connect(read_settings({"POLARIS_STORE": sys.argv[1]})), sys.argv[2])
with store.scratch():
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def client(es_url):
    with Elasticsearch(es_url) as opened:
        yield opened


@pytest.fixture
def store(elasticsearch_store):
    with closing(elasticsearch_store):
        fill(elasticsearch_store, table("a", "zebra"))
        yield elasticsearch_store


def scratch_indices(client, alias):
    return sorted(client.indices.get(index=f"{alias}-scratch-*"))


def leave_a_scratch(es_url, alias):
    """A scratch index of a process that was killed."""
    subprocess.run([sys.executable, "-c", SCRATCH, es_url, alias], check=False)


def claim_for(client, index, holder):
    (body,) = client.indices.get_mapping(index=index).values()
    meta = body["mappings"]["_meta"] | {"holder": holder}
    client.indices.put_mapping(index=index, meta=meta)


def test_a_scratch_of_a_killed_process_is_pruned_at_once(store, client, es_url, es_alias):
    leave_a_scratch(es_url, es_alias)
    (left,) = scratch_indices(client, es_alias)

    with store.scratch():
        (own,) = set(scratch_indices(client, es_alias)) - {left}
        assert store.generations.prune(0, unheard) == ()  # a new scratch has dropped it already
        assert scratch_indices(client, es_alias) == [own]

    leave_a_scratch(es_url, es_alias)
    (left,) = scratch_indices(client, es_alias)
    assert store.generations.prune(0, unheard) == (left,)
    assert scratch_indices(client, es_alias) == []


def test_a_scratch_whose_process_may_live_is_left(store, client, es_url, es_alias):
    leave_a_scratch(es_url, es_alias)
    (left,) = scratch_indices(client, es_alias)
    here, elsewhere = this_process(), Machine("far").holder()

    for holder in (here, elsewhere):
        known = {name: getattr(holder, name) for name in holder.__dataclass_fields__}
        claim_for(client, left, known)
        assert store.generations.prune(0, unheard) == ()
    claim_for(client, left, {"of": "a newer version"})
    assert store.generations.prune(0, unheard) == ()

    assert scratch_indices(client, es_alias) == [left]


def test_indices_of_other_names_and_other_aliases_are_never_pruned(store, client, es_alias):
    others = [
        f"{es_alias}-v1-notes",
        f"{es_alias}-vienna",
        f"{es_alias}-2-v1-20200101t000000z-abcd",
        f"{es_alias}-scratch-notes",
    ]
    for index in others:
        client.indices.create(index=index)

    assert store.generations.prune(0, unheard) == ()

    assert set(others) <= set(client.indices.get(index=f"{es_alias}*"))
    assert list(states(store).values()) == ["live"]


def entries(client, alias):
    index = f"{alias}-deletions"
    client.indices.refresh(index=index)
    return sorted(
        hit["_source"]["table_id"] for hit in client.search(index=index, size=100)["hits"]["hits"]
    )


@pytest.mark.parametrize("how", ["prune", "reindex"])
def test_deletions_are_forgotten_after_a_day(store, client, es_alias, how):
    store.delete(["a", "x" * 600])
    old = {"table_id": "old", "at": "2020-01-01T00:00:00Z"}
    client.index(index=f"{es_alias}-deletions", document=old)
    assert entries(client, es_alias) == ["a", "old", "x" * 600]

    if how == "prune":
        store.generations.prune(0, unheard)
    else:
        reindex(store)

    assert entries(client, es_alias) == ["a", "x" * 600]


def test_deletions_go_back_no_further_than_the_generation_that_reads_them(store):
    store.delete(["a"])
    fill(store, table("b", "yak"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        staged.tables.put([table("a", "from a source")])  # it has what was deleted before
        assert staged.catch_up(as_given).deleted == 0
        assert staged.missing_or_surplus() == (0, 1)
        staged.go_live()
        staged.settle(as_given)

    assert words(store) == {"a": "from a source", "b": "yak"}


def test_more_deletions_than_a_page_are_read(store, es_alias):
    log = ChangeLog(store._connection, es_alias)
    many = [f"t{number:05}" for number in range(7_000)]
    log.append(many[:3], "before")
    reached = log.position()
    log.append(many, "index")

    pages = list(log.since(reached))

    assert [len(page) for page in pages] == [5000, 2000]
    assert [one.table_id for page in pages for one in page] == many
    assert log.named_since(reached, ["t00001", "t06999", "never"]) == {"t00001", "t06999"}
    assert log.named_since(log.position(), ["t00001"]) == set()


def test_nothing_is_deleted_that_cannot_be_written_down(store, client, es_alias):
    store.delete(["never"])
    client.indices.put_settings(
        index=f"{es_alias}-deletions", settings={"index.blocks.read_only": True}
    )

    with pytest.raises(StoreProblem, match="blocked"):
        store.delete(["a"])

    assert words(store) == {"a": "zebra"}
    client.indices.put_settings(
        index=f"{es_alias}-deletions", settings={"index.blocks.read_only": None}
    )
