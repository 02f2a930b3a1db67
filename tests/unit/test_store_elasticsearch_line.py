"""What is told where no whole answer comes: no server, no way there, no TLS, half an answer."""

import re
import threading
from contextlib import closing

import pytest
from http_server import CUT_OFF, Reply, Script, http_server
from unhappy import at, error_body, told, told_of

from polaris_search.errors import ServiceUnreachable, StoreProblem
from polaris_search.store.elasticsearch.server.connection import connect

BROKEN = {
    "half an answer": b'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"a":',
    "a broken gzip": b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc",
    "a broken chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n{",
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_answer_that_breaks_off_is_told_as_such(name):
    error = told_of(Reply(raw=BROKEN[name]))

    assert isinstance(error, ServiceUnreachable)
    assert "broke off, or came garbled. Look at its log, and at any proxy" in str(error)


def test_json_that_ends_too_early_is_told_as_an_answer_that_broke_off():
    error = told_of(Reply(200, b'{"polaris-tables-v1-x": {"mappings"'))

    assert isinstance(error, ServiceUnreachable)
    assert "broke off" in str(error)


def test_a_server_that_speaks_no_http_is_told_as_foreign():
    error = told_of(Reply(raw=b"SSH-2.0-OpenSSH_9.2\r\n"))

    assert isinstance(error, StoreProblem)
    assert "is not Elasticsearch" in str(error)


def test_a_connection_that_ends_without_an_answer_hints_at_tls():
    error = told_of(CUT_OFF)

    assert isinstance(error, ServiceUnreachable)
    assert "ended the connection without an answer. If it uses TLS, write https://" in str(error)


def test_a_server_that_is_not_there_is_named_without_its_password():
    error = told("http://ann:hunter2@127.0.0.1:9")

    assert str(error) == (
        "Elasticsearch at http://127.0.0.1:9: nothing answers there. "
        "Start it, or correct host and port in POLARIS_STORE."
    )
    assert error.exit_code == 3


def test_a_request_that_is_made_only_once_is_told_as_well_as_one_that_is_repeated():
    with closing(connect(at("http://127.0.0.1:9"))) as connection:
        once = connection.at_once.options(max_retries=0)

        with (
            pytest.raises(ServiceUnreachable, match="nothing answers there"),
            connection.answering(),
        ):
            once.count(index="tables")


def test_a_host_to_which_there_is_no_way_is_told_with_what_the_system_says():
    error = told("http://ann:hunter2@255.255.255.255:9200")

    assert isinstance(error, ServiceUnreachable)
    assert re.search(r"cannot be reached from here \([\w ]+\)\. Look at the network", str(error))


def test_a_host_that_nobody_knows_is_told_apart_from_a_server_that_is_down():
    error = told("http://ann:hunter2@no-such-host.invalid:9200")

    assert isinstance(error, ServiceUnreachable)
    assert "no computer of that name is known here. Correct the host" in str(error)


def test_a_server_without_tls_behind_an_https_address_says_what_to_write():
    with http_server(Script(Reply(200, {}))) as server:
        error = told(server.address.replace("http:", "https:"))

    assert isinstance(error, ServiceUnreachable)
    assert "it does not use TLS there. Write http:// in POLARIS_STORE" in str(error)


WHY_SILENT = {
    "it is overloaded": (
        Reply(200, {"status": "green"}),
        "it did not answer in time. Look whether",
    ),
    "shards are missing": (Reply(200, {"status": "red"}), "has shards that no node serves. Start"),
    "there is no master": (
        Reply(503, error_body("master_not_discovered_exception", None)),
        "no elected master",
    ),
    "nobody may ask": (
        Reply(403, error_body("security_exception", "action [health] is unauthorized")),
        "it did not answer in time. Look whether",
    ),
}


@pytest.mark.parametrize("why", WHY_SILENT)
def test_a_server_that_is_silent_is_asked_why_as_far_as_one_may(why):
    health, sentence = WHY_SILENT[why]
    over = threading.Event()

    def silent_but_for_its_health(asked):
        if not asked.path.startswith("/_cluster/health"):
            over.wait(30)
        return health

    with http_server(silent_but_for_its_health) as server:
        error = told(server.address, es_timeout_s=1.0)
        over.set()

    assert isinstance(error, ServiceUnreachable)
    assert sentence in str(error)
