"""Bulk writes over several connections, against a server that is busy, restarts, or breaks off."""

import threading
from contextlib import closing
from pathlib import Path

import pytest
from bulk_server import (
    REJECTED,
    bulk_server,
    fail,
    refuse,
    reset,
    reset_after_taking,
    take,
)

from polaris_search.errors import ServiceUnreachable, StoreProblem
from polaris_search.records import EnrichedTable, Provenance, RawTable
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits, Write
from polaris_search.store.elasticsearch.bulk.sending import ALONE_TRIES, MOVED_TRIES, Pace
from polaris_search.store.elasticsearch.bulk.side_by_side import send_all
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import open_elasticsearch

RETIRED = {
    "type": "cluster_block_exception",
    "reason": "index [tables-v1-old] blocked by: [FORBIDDEN/8/index write (api)];",
}
GONE = {"type": "index_not_found_exception", "reason": "no such index [tables-v1-old]"}
UNKNOWN_USER = "security_exception"


def limited(**changes):
    return BulkLimits(**{"connections": 1, "chunk_tables": 200, **changes})


ONE = limited()


class FakeTime:
    """A clock that moves only where somebody waits, and by just that."""

    def __init__(self):
        self.now_s = 1000.0
        self.waits_s = []
        self.pace = Pace(clock_s=lambda: self.now_s, wait=self.wait, spread=lambda: 1.0)

    def wait(self, stop, seconds):
        self.waits_s.append(seconds)
        self.now_s += seconds


@pytest.fixture
def server():
    with bulk_server() as running:
        yield running


@pytest.fixture
def time():
    return FakeTime()


@pytest.fixture
def send(server, time):
    """Send these documents, `d0` and so on or as named, and return what became of them."""
    settings = read_settings(
        {"POLARIS_STORE": server.address, "POLARIS_ES_TIMEOUT_S": "5"}, Path("/nonexistent")
    )
    with closing(connect(settings)) as connection:
        yield lambda writes, limits=ONE: send_all(connection, "tables", writes, limits, time.pace)


def writes(count, n_bytes=10):
    return [write(number, f"d{number}", b"%d" % number, n_bytes) for number in range(count)]


def write(number, document, text=b"1", n_bytes=10):
    body = b'{"n":"' + text.rjust(n_bytes, b".") + b'"}\n'
    return Write(
        number, f"t:{document}", document, b'{"index":{"_id":"%s"}}\n%s' % (document.encode(), body)
    )


def is_at_rest():
    return not any("ThreadPoolExecutor" in thread.name for thread in threading.enumerate())


def is_there_once(server, count):
    return sorted(server.kept) == sorted(f"d{number}" for number in range(count))


def test_each_write_arrives_once_and_is_counted(server, send):
    sent = send(writes(450))

    assert (sent.done, sent.unwritten) == (450, ())
    assert is_there_once(server, 450)
    assert [len(ids) for ids in server.requests] == [200, 200, 50]


def test_a_write_refused_once_by_a_busy_server_is_sent_again_alone(server, send, time):  # X11
    server.reply(refuse(429, REJECTED, only=lambda document: document == "d3"))

    sent = send(writes(5))

    assert (sent.done, sent.unwritten) == (5, ())
    assert server.requests[1:] == [["d3"]]
    assert time.waits_s == [0.1]


def test_what_a_busy_server_refuses_goes_in_smaller_requests_and_ever_longer_waits(
    server, send, time
):
    server.reply(*[refuse(429, REJECTED)] * 3)

    sent = send(writes(8))

    assert sent.done == 8
    assert [len(ids) for ids in server.requests] == [8, 4, 2, 1, 1, 2, 4]
    assert time.waits_s == [0.1, 0.2, 0.4]


def test_a_server_that_is_busy_for_ever_is_given_up_and_told(server, send, time):
    server.otherwise = refuse(429, REJECTED)

    with pytest.raises(StoreProblem, match=r"too busy\. Run the command again later"):
        send(writes(400), limited(patience_s=3.0))

    assert sum(time.waits_s) == pytest.approx(0.1 + 0.2 + 0.4 + 0.8 + 1.6)


def test_waits_end_doubling_and_are_spread(server, send, time):
    server.otherwise = fail(503, None)
    limits = limited(patience_s=10.0, backoff_s=1.0, longest_backoff_s=3.0)

    with pytest.raises(ServiceUnreachable):
        send(writes(1), limits)
    time.pace = Pace(time.pace.clock_s, time.wait, spread=lambda: 0.0)
    with pytest.raises(ServiceUnreachable):
        send(writes(1), limits)

    assert time.waits_s[:5] == [1.0, 2.0, 3.0, 3.0, 3.0]
    assert time.waits_s[5:8] == [0.5, 1.0, 1.5]


def test_a_document_that_never_finds_room_is_refused_and_all_others_are_stored(server, send):
    server.otherwise = refuse(429, REJECTED, only=lambda document: document == "d77")

    (refused,) = send(writes(200)).unwritten

    assert (refused.number, refused.table_id) == (77, "t:d77")
    assert "the server is too busy" in refused.reason
    assert len(server.kept) == 199
    assert server.requests.count(["d77"]) == ALONE_TRIES


@pytest.mark.parametrize("with_room_for", [1, 5, 13])
def test_where_one_document_takes_all_the_room_the_others_still_arrive(server, send, with_room_for):
    """A shard refuses a whole request for one document in it that is too large for its memory."""

    def choke(server, documents):
        return (refuse(429, REJECTED) if "d5" in documents else take)(server, documents)

    server.otherwise = choke

    sent = send(writes(with_room_for + 6))

    assert [one.table_id for one in sent.unwritten] == ["t:d5"]
    assert sent.done == with_room_for + 5


def test_what_is_refused_for_good_is_told_in_the_order_given(server, send):
    error = {"type": "document_parsing_exception", "reason": "odd"}
    a_later_one_is_over = threading.Event()

    def first_last(server, documents):
        if "d0" in documents:
            a_later_one_is_over.wait(10)
        elif "d8" in documents:  # no room for this one before an earlier one is over
            a_later_one_is_over.set()
        return refuse(400, error, only=("d1", "d2", "d5").__contains__)(server, documents)

    server.otherwise = first_last

    sent = send(writes(10), limited(connections=2, chunk_tables=2))

    assert [one.number for one in sent.unwritten] == [1, 2, 5]
    assert [one.status for one in sent.unwritten] == [400] * 3
    assert sent.done == 7


@pytest.mark.parametrize(
    "reply",
    [
        reset,
        reset_after_taking,
        fail(502, None),
        fail(503, "cluster_block_exception"),
        fail(504, None),
        fail(429, "circuit_breaking_exception"),
        fail(429, None),
    ],
)
def test_a_request_that_fails_in_passing_is_made_again_and_nothing_is_lost_or_doubled(
    server, send, reply
):
    server.reply(take, reply, reply)

    sent = send(writes(600), limited(connections=2))

    assert (sent.done, sent.unwritten) == (600, ())
    assert is_there_once(server, 600)


def test_a_connection_that_breaks_in_the_midst_of_a_body_is_made_again(server, send):
    server.resets_in_mid_body = 2

    sent = send(writes(200, n_bytes=20_000))  # more than the sockets hold by themselves

    assert sent.done == 200
    assert is_there_once(server, 200)
    assert len(server.requests) == 1


def test_a_server_that_does_not_answer_in_time_is_asked_again(server, time):
    answer = threading.Event()

    def late(server, documents):
        answer.wait(10)
        return take(server, documents)

    def in_time(server, documents):
        answer.set()
        return take(server, documents)

    server.reply(late, in_time)
    settings = read_settings(
        {"POLARIS_STORE": server.address, "POLARIS_ES_TIMEOUT_S": "1"}, Path("/nonexistent")
    )

    with closing(connect(settings)) as connection:
        sent = send_all(connection, "tables", writes(3), ONE, time.pace)

    assert sent.done == 3


def test_a_server_that_stays_away_is_given_up_when_patience_ends(server, send, time):
    server.otherwise = reset
    began_s = time.now_s

    with pytest.raises(ServiceUnreachable, match="ended the connection without an answer"):
        send(writes(1), limited(patience_s=20.0))

    assert 20 <= time.now_s - began_s <= 22


def test_patience_begins_anew_with_each_request_that_gets_through(server, send, time):
    rounds = [*[fail(503, None)] * 6, take]  # about 5 s each
    server.reply(*rounds * 6)

    sent = send(writes(1200), limited(patience_s=10.0))

    assert sent.done == 1200
    assert sum(time.waits_s) > 20


def test_patience_begins_anew_as_long_as_some_of_a_request_gets_through(server, send, time):
    starting = {"type": "unavailable_shards_exception", "reason": "primary is not active"}

    def take_the_first(server, documents):
        first = next(iter(documents))
        return refuse(503, starting, only=lambda one: one != first)(server, documents)

    server.otherwise = take_the_first

    sent = send(writes(20), limited(patience_s=3.0))

    assert (sent.done, sent.unwritten) == (20, ())
    assert sum(time.waits_s) > 20


def test_a_server_that_just_came_back_may_not_know_the_user_yet(server, send):
    server.reply(reset, fail(401, UNKNOWN_USER), fail(403, UNKNOWN_USER), take)

    assert send(writes(1)).done == 1


def test_a_server_that_was_not_away_is_believed_that_the_user_may_not_write(server, send):
    server.otherwise = fail(403, UNKNOWN_USER)

    with pytest.raises(StoreProblem, match="lacks a right"):
        send(writes(1))

    assert len(server.requests) == 1


def test_a_request_too_large_for_a_proxy_is_cut_until_it_passes_and_so_are_later_ones(
    server, send, time
):
    def narrow(server, documents):
        size = sum(map(len, documents.values()))
        return (fail(413, None) if size > 30_000 else take)(server, documents)

    server.otherwise = narrow

    sent = send(writes(400, n_bytes=500))

    assert sent.done == 400
    assert is_there_once(server, 400)
    assert [len(ids) for ids in server.requests] == [200, 100, 50, *[50] * 7]
    assert time.waits_s == []


def test_a_document_too_large_for_a_proxy_is_refused_with_its_size(server, send):
    def narrow(server, documents):
        size = sum(map(len, documents.values()))
        return (fail(413, None) if size > 1_000_000 else take)(server, documents)

    server.otherwise = narrow
    large = write(1, "large", n_bytes=2_000_000)

    (refused,) = send([write(0, "d0"), large, write(2, "d1")]).unwritten

    assert refused.table_id == "t:large"
    assert refused.reason.startswith("Its document has 2.0 MB, more than the server, or a proxy")
    assert is_there_once(server, 2)


@pytest.mark.parametrize(("status", "error"), [(403, RETIRED), (404, GONE)])
def test_writes_to_an_index_that_was_just_replaced_are_sent_again_through_the_alias(
    server, send, status, error
):
    late = {"d1", "d3"}
    server.reply(refuse(status, error, only=late.__contains__))

    sent = send(writes(5))

    assert (sent.done, sent.unwritten) == (5, ())
    assert server.requests[1:] == [["d1", "d3"]]


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [(403, RETIRED, r"the index is blocked .* Lift the block"), (404, GONE, "no index behind")],
)
def test_an_index_that_stays_blocked_or_gone_is_told_after_about_a_second(
    server, send, time, status, error, told
):
    server.otherwise = refuse(status, error)

    with pytest.raises(StoreProblem, match=told):
        send(writes(500))

    assert len(server.requests) == MOVED_TRIES
    assert sum(time.waits_s) == pytest.approx(0.1 + 0.2 + 0.4 + 0.8)


@pytest.mark.parametrize(
    ("status", "kind", "reason"),
    [
        (429, "cluster_block_exception", "[TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage]"),
        (403, "cluster_block_exception", "[FORBIDDEN/5/index read-only (api)]"),
        (403, "security_exception", "unauthorized"),
        (400, "index_closed_exception", "closed"),
    ],
)
def test_what_would_meet_every_table_alike_is_told_at_once(
    server, send, time, status, kind, reason
):
    server.otherwise = refuse(status, {"type": kind, "reason": reason})

    with pytest.raises(StoreProblem):
        send(writes(500))

    assert (len(server.requests), time.waits_s) == (1, [])


def test_a_full_disk_that_refuses_whole_requests_is_told_at_once(server, send, time):
    server.otherwise = fail(429, "cluster_block_exception")

    with pytest.raises(StoreProblem):
        send(writes(500))

    assert (len(server.requests), time.waits_s) == (1, [])


def test_a_shard_that_comes_back_takes_what_it_refused(server, send):
    starting = {"type": "unavailable_shards_exception", "reason": "primary is not active"}
    closing = {"type": "node_closed_exception", "reason": "node closed"}
    server.reply(refuse(500, closing), refuse(503, starting), refuse(503, starting))

    sent = send(writes(5))

    assert (sent.done, sent.unwritten) == (5, ())
    assert [len(ids) for ids in server.requests] == [5] * 4


def test_a_document_that_the_server_stumbles_over_is_refused_and_stops_no_other(server, send):
    error = {"type": "null_pointer_exception", "reason": "x is null"}
    server.otherwise = refuse(500, error, only=lambda document: document == "d7")

    sent = send(writes(300))

    assert [one.table_id for one in sent.unwritten] == ["t:d7"]
    assert "x is null" in sent.unwritten[0].reason
    assert sent.done == 299


def test_so_many_requests_as_there_are_connections_are_under_way_at_a_time(server, send):
    together = threading.Barrier(3)

    def meet(server, documents):
        together.wait(10)
        return take(server, documents)

    server.otherwise = meet

    sent = send(writes(60), limited(connections=3, chunk_tables=10))

    assert sent.done == 60
    assert not together.broken


def test_a_store_writes_over_as_many_connections_as_its_setting_says(server):
    n_connections = 12  # more than the client keeps open by itself
    together = threading.Barrier(n_connections)

    def meet(server, documents):
        together.wait(10)
        return take(server, documents)

    server.otherwise = meet
    settings = read_settings(
        {"POLARIS_STORE": server.address, "POLARIS_ES_CONNECTIONS": str(n_connections)},
        Path("/nonexistent"),
    )
    tables = [
        EnrichedTable(RawTable(f"t{number}", "zebra"), Provenance("h"))
        for number in range(n_connections * BulkLimits().chunk_tables)
    ]

    with closing(open_elasticsearch(settings)) as store:
        report = store.put(tables)

    assert report.stored == len(tables)
    assert not together.broken


def test_writes_are_not_asked_for_faster_than_the_server_takes_them(server, send):
    most = (2 + 1 + 1) * 100  # under way, waiting, being filled
    filled = threading.Event()
    answered = []
    ahead = []

    def hold(server, documents):
        filled.wait(10)
        answered.append(len(documents))
        return take(server, documents)

    def given():
        for one in writes(1000):
            ahead.append(one.number + 1 - sum(answered))
            if ahead[-1] == most:
                filled.set()
            yield one

    server.otherwise = hold

    sent = send(given(), limited(connections=2, chunk_tables=100))

    assert sent.done == 1000
    assert max(ahead) == most


def test_of_two_writes_of_one_document_the_later_begins_when_the_former_is_over(server, send):
    first_is_over = threading.Event()
    began_early = []

    def slow(server, documents):
        began_early.append(not first_is_over.wait(0.2) and len(server.requests) > 1)
        first_is_over.set()
        return take(server, documents)

    server.reply(slow)

    sent = send(
        [write(0, "a", b"old"), write(1, "a", b"new")], limited(connections=4, chunk_tables=1)
    )

    assert sent.done == 2
    assert began_early == [False]
    assert b"new" in server.kept["a"]


def test_a_former_write_that_is_sent_again_does_not_overtake_the_later_one(server, send):
    server.reply(refuse(429, REJECTED), refuse(429, REJECTED))

    send([write(0, "a", b"old"), write(1, "b"), write(2, "a", b"new")], limited(connections=4))

    assert b"new" in server.kept["a"]


def test_when_one_request_ends_in_a_problem_no_other_is_made_any_more(server, send):
    flooded = threading.Event()

    def flood(server, documents):
        flooded.set()
        error = {"type": "cluster_block_exception", "reason": "flood-stage"}
        return refuse(429, error)(server, documents)

    def slow(server, documents):
        flooded.wait(10)
        return take(server, documents)

    server.reply(slow, slow, flood)

    with pytest.raises(StoreProblem, match="disk is so full"):
        send(writes(10_000), limited(connections=3, chunk_tables=10))

    assert len(server.requests) < 100  # of 1,000: some more may begin before the flood is read
    assert is_at_rest()


def test_what_the_iterable_raises_comes_out_and_nothing_is_under_way(server, send):
    def broken():
        yield from writes(250)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        send(broken())

    assert len(server.kept) == 200
    assert is_at_rest()


def test_whoever_gives_up_does_not_wait_for_the_next_try(server, send, time):
    asked = threading.Event()

    def away(server, documents):
        asked.set()
        return fail(503, None)(server, documents)

    def broken():
        yield from writes(200)
        asked.wait(10)
        raise ZeroDivisionError

    server.otherwise = away
    time.pace = Pace()
    limits = limited(backoff_s=3600.0, longest_backoff_s=3600.0)

    with pytest.raises(ZeroDivisionError):
        send(broken(), limits)

    assert is_at_rest()
