"""A server that goes away in the midst of the work is waited for; one that never was there is not.

The clock moves only where the node waits.
"""

import dataclasses
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from elasticsearch import NotFoundError
from http_server import CUT_OFF, Reply, Script, http_server

from polaris_search.errors import ServiceUnreachable, StoreProblem
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.server.node import MAX_PAUSE_S, PAUSE_S, UNSERVED_S

TIMEOUT_S = 30.0
SETTINGS = dataclasses.replace(read_settings({}, Path("/nonexistent")), es_timeout_s=TIMEOUT_S)
COUNTED = Reply(200, {"count": 7})
MISSING = Reply(404, {"error": {"type": "index_not_found_exception", "reason": "no such index"}})
STARTING = Reply(
    503, {"error": {"type": "cluster_block_exception", "reason": "state not recovered"}}
)
NO_SHARD = Reply(503, {"error": {"type": "no_shard_available_action_exception", "reason": None}})
UNKNOWN_USER = Reply(
    401, {"error": {"type": "security_exception", "reason": "unable to authenticate user"}}, {}
)
BAD_GATEWAY = Reply(502, b"<html>nginx</html>", {"content-type": "text/html"})


class Waited:
    """A clock that only waiting moves; `pauses_s` says how long each wait was."""

    def __init__(self):
        self.now_s = 1000.0
        self.pauses_s = []

    def sleep(self, seconds):
        self.pauses_s.append(seconds)
        self.now_s += seconds


@contextmanager
def connected(script):
    """Give a connection to a server that follows the script, what it waited, what was asked."""
    with (
        http_server(script) as server,
        closing(connect(dataclasses.replace(SETTINGS, store=server.address))) as connection,
    ):
        (node,) = connection.client.transport.node_pool.all()
        waited = Waited()
        node.clock = lambda: waited.now_s
        node.sleep = waited.sleep
        yield connection, waited, server.asked


def count(connection):
    with connection.answering():
        return connection.client.count(index="tables")["count"]


def mapping(connection):
    return connection.client.indices.get_mapping(index="tables").body


@pytest.mark.parametrize(
    "away",
    [
        [CUT_OFF],
        [BAD_GATEWAY],
        [CUT_OFF] * 5,
        [CUT_OFF, UNKNOWN_USER, STARTING, NO_SHARD],
        [BAD_GATEWAY, CUT_OFF, BAD_GATEWAY],
    ],
)
def test_a_server_that_answered_before_is_asked_again_until_it_is_back(away):
    with connected(Script(COUNTED, *away, COUNTED)) as (connection, waited, _):
        count(connection)

        assert count(connection) == 7
        assert waited.pauses_s[0] == 0.0
        assert set(waited.pauses_s[1:]) <= {PAUSE_S}


def test_a_server_that_was_never_there_is_given_up_at_once():
    with connected(Script(CUT_OFF)) as (connection, waited, _):
        with pytest.raises(ServiceUnreachable, match="ended the connection"):
            count(connection)

        assert waited.pauses_s == []


def test_a_server_that_is_not_back_in_time_is_given_up_and_not_waited_for_again():
    with connected(Script(COUNTED, CUT_OFF)) as (connection, waited, _):
        count(connection)

        with pytest.raises(ServiceUnreachable, match="ended the connection"):
            count(connection)
        in_vain_s = sum(waited.pauses_s)
        with pytest.raises(ServiceUnreachable):
            count(connection)

        assert TIMEOUT_S <= in_vain_s <= TIMEOUT_S + PAUSE_S
        assert sum(waited.pauses_s) == in_vain_s


def test_a_server_that_came_back_may_go_away_again():
    script = Script(COUNTED, *[CUT_OFF] * 70, COUNTED, COUNTED, *[CUT_OFF] * 70, COUNTED)
    with connected(script) as (connection, waited, _):
        assert [count(connection) for _ in range(3)] == [7, 7, 7]

        assert sum(waited.pauses_s) > TIMEOUT_S


@pytest.mark.parametrize("refusal", [UNKNOWN_USER, STARTING])
def test_a_server_that_was_not_away_is_believed_when_it_refuses(refusal):
    with connected(Script(COUNTED, refusal)) as (connection, waited, _):
        count(connection)

        with pytest.raises((StoreProblem, ServiceUnreachable)):
            count(connection)

        assert waited.pauses_s == []


def test_a_refusal_long_after_a_restart_is_believed():
    script = Script(COUNTED, CUT_OFF, COUNTED, COUNTED, UNKNOWN_USER)
    with connected(script) as (connection, waited, _):
        count(connection)
        count(connection)
        waited.now_s += TIMEOUT_S

        with pytest.raises(StoreProblem, match="does not know this user"):
            count(connection)

        assert waited.pauses_s == [0.0]


@pytest.mark.parametrize("nothing", [MISSING, Reply(200, {})])
def test_a_server_that_is_starting_is_not_believed_that_there_is_nothing(nothing):
    with connected(Script(*[nothing, STARTING] * 4)) as (connection, waited, asked):
        with pytest.raises(ServiceUnreachable, match="is not ready"), connection.answering():
            mapping(connection)

        assert [one.path for one in asked[:2]] == ["/tables/_mapping", "/tables/_count"]
        assert waited.pauses_s == []


def test_that_an_index_is_missing_is_believed_once_the_server_can_count_and_then_for_good():
    with connected(Script(MISSING)) as (connection, _, asked):
        for _ in range(3):
            with pytest.raises(NotFoundError):
                mapping(connection)

        assert [one.path for one in asked] == [
            "/tables/_mapping",
            "/tables/_count",
            "/tables/_mapping",
            "/tables/_mapping",
        ]


def test_after_a_restart_nothing_is_believed_before_the_server_can_count():
    script = Script(COUNTED, CUT_OFF, STARTING, STARTING, COUNTED, Reply(200, {"tables": {}}))
    with connected(script) as (connection, _, asked):
        count(connection)

        assert mapping(connection) == {"tables": {}}
        assert [one.path for one in asked[1:]] == [
            "/tables/_mapping",
            "/tables/_count",
            "/tables/_count",
            "/tables/_count",
            "/tables/_mapping",
        ]


def test_the_client_that_gives_up_at_once_does_not_wait():
    with connected(Script(COUNTED, CUT_OFF)) as (connection, waited, asked):
        connection.at_once.count(index="tables")

        with pytest.raises(ServiceUnreachable), connection.answering():
            connection.at_once.options(max_retries=0).count(index="tables")

        assert waited.pauses_s == []
        assert len(asked) == 2


NO_MEMORY = Reply(429, {"error": {"type": "circuit_breaking_exception", "reason": "too large"}})
FULL_DISK = Reply(429, {"error": {"type": "cluster_block_exception", "reason": "flood-stage"}})


def test_a_server_that_is_short_of_memory_is_asked_again_with_growing_pauses():
    with connected(Script(*[NO_MEMORY] * 4, COUNTED)) as (connection, waited, _):
        assert count(connection) == 7

        assert waited.pauses_s == [PAUSE_S, 2 * PAUSE_S, 4 * PAUSE_S, 8 * PAUSE_S]


def test_one_that_stays_short_of_memory_is_given_up_in_the_time():
    with connected(Script(NO_MEMORY)) as (connection, waited, _):
        with pytest.raises(StoreProblem, match="memory"):
            count(connection)

        assert TIMEOUT_S - MAX_PAUSE_S < sum(waited.pauses_s) <= TIMEOUT_S


def test_a_full_disk_is_told_at_once():
    with connected(Script(FULL_DISK)) as (connection, waited, _):
        with pytest.raises(StoreProblem, match="disk"):
            count(connection)

        assert waited.pauses_s == []


def test_a_shard_that_has_not_started_yet_is_waited_for():
    with connected(Script(*[NO_SHARD] * 3, COUNTED)) as (connection, waited, _):
        assert count(connection) == 7

        assert waited.pauses_s == [PAUSE_S, 2 * PAUSE_S, 4 * PAUSE_S]


def test_a_shard_that_stays_away_is_given_up_soon_and_not_waited_for_by_the_next_request():
    with connected(Script(NO_SHARD)) as (connection, waited, _):
        with pytest.raises(ServiceUnreachable, match="no node serves"):
            count(connection)
        waited_s = sum(waited.pauses_s)
        with pytest.raises(ServiceUnreachable, match="no node serves"):
            count(connection)

        assert 0 < waited_s <= UNSERVED_S
        assert sum(waited.pauses_s) == waited_s


NOT_GOT = Reply(
    200,
    b'{"docs":[{"_index":"t","_id":"1","error":{"type":"no_shard_available_action_exception"}}]}',
)
GOT = Reply(200, {"docs": [{"_id": "1", "found": True}]})


def test_documents_whose_shard_has_not_started_yet_are_asked_for_again():
    with connected(Script(NOT_GOT, GOT)) as (connection, waited, _):
        answer = connection.client.mget(index="tables", ids=["1"])

        assert answer["docs"][0]["found"]
        assert waited.pauses_s == [PAUSE_S]


def test_a_document_that_holds_the_words_of_that_trouble_is_not_taken_for_it():
    words = {"_id": "1", "found": True, "_source": {"name": "no_shard_available_action_exception"}}
    with connected(Script(Reply(200, {"docs": [words]}))) as (connection, waited, _):
        connection.client.mget(index="tables", ids=["1"])

        assert waited.pauses_s == []
