"""A server killed and started again while a generation is built: nothing lost, nothing doubled."""

import secrets
import threading
from collections import Counter
from contextlib import closing, contextmanager

import pytest
from generations import as_given, copy, finish, states, unheard, words
from servers import wait_until
from tables import fill, found, table

from polaris_search.errors import ServiceUnreachable
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import ElasticsearchStore

pytestmark = pytest.mark.es

IDS = [f"t{number:04}" for number in range(1200)]


def opened_at(server, alias, timeout_s):
    settings = read_settings({"POLARIS_STORE": server.url, "POLARIS_ES_TIMEOUT_S": str(timeout_s)})
    limits = BulkLimits(patience_s=timeout_s)
    return ElasticsearchStore(connect(settings), alias, limits, patience_s=timeout_s)


@pytest.fixture
def store(own_es):
    alias = f"polaris-restarted-{secrets.token_hex(4)}"
    with closing(opened_at(own_es, alias, 120)) as opened:
        fill(opened, *(table(one, "old") for one in IDS))
        yield opened
        own_es.start()
        with own_es.client() as client:
            for index in client.indices.get(index=f"{alias}*", expand_wildcards="all"):
                client.indices.delete(index=index)


@contextmanager
def started_meanwhile(server):
    """The server is killed now, and started again beside what the block does."""
    server.kill()
    starting = threading.Thread(target=server.start)
    starting.start()
    yield
    starting.join()


def restart(server):
    server.kill()
    server.start()


def test_a_copy_goes_on_from_the_last_table_where_the_server_comes_back(store, own_es):
    with store.generations.stage("r", unheard) as staged:

        def disturbed(tables):
            for number, one in enumerate(tables):
                if number == 700:
                    restart(own_es)  # what was to be read is forgotten there
                    store.put([table("t0001", "changed"), table("new", "new")])
                yield one

        copied = copy(staged, disturbed)
        finish(staged)

    assert Counter(copied).most_common(1)[0][1] == 1
    assert Counter(words(store).values()) == {"old": 1199, "changed": 1, "new": 1}
    assert len(found(store, "old changed new", size=2000)) == 1201


def test_catching_up_goes_on_where_the_server_comes_back(store, own_es):
    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        store.put(table(one, "changed") for one in IDS[:800])
        store.delete(IDS[600:1000])

        def disturbed(tables):
            for number, one in enumerate(tables):
                if number == 450:
                    restart(own_es)
                yield one

        staged.catch_up(disturbed)
        assert Counter(words(staged.tables).values()) == {"changed": 600, "old": 200}
        assert staged.missing_or_surplus() == (0, 0)
        finish(staged)

    assert Counter(words(store).values()) == {"changed": 600, "old": 200}


@pytest.mark.parametrize("step", ["catch_up", "missing_or_surplus", "go_live", "settle"])
def test_each_step_waits_for_a_server_that_is_starting(store, own_es, step):
    steps = {
        "catch_up": lambda: staged.catch_up(as_given),
        "missing_or_surplus": lambda: staged.missing_or_surplus(),
        "go_live": lambda: staged.go_live(),
        "settle": lambda: staged.settle(as_given),
    }
    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        store.put([table("t0000", "changed")])
        for name, take in steps.items():
            if name == step:
                with started_meanwhile(own_es):
                    take()
            else:
                take()

    assert store.status().generation == staged.name
    assert Counter(words(store).values()) == {"old": 1199, "changed": 1}


def test_a_server_that_stays_away_ends_the_run_and_the_next_goes_on(own_es, store):
    def lost(tables):
        for number, one in enumerate(tables):
            if number == 600:
                own_es.kill()
            yield one

    hasty = opened_at(own_es, store._alias, 1)
    with (
        closing(hasty),
        pytest.raises(ServiceUnreachable, match="nothing answers there"),
        hasty.generations.stage("r", unheard) as left,
    ):
        copy(left, lost)
    own_es.start()
    wait_until(lambda: len(states(store)) == 2, 60, "both generations are there again")

    with store.generations.stage("r", unheard) as staged:
        assert (staged.resumed, staged.name) == (True, left.name)
        assert len(copy(staged)) < 1200
        finish(staged)

    assert words(store) == dict.fromkeys(IDS, "old")
