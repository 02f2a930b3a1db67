"""A server that is away for a while loses nothing; one that is away for good is asked no more."""

from collections.abc import Iterator

import pytest
from asking_llm import HELLO, Slept, ask, closed_address
from fakes_llm import Answer, ChatServer, chat_server, completion

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.circuit import Circuit
from polaris_search.llm.model import ChatReply


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


def test_open_circuit_asks_no_more_and_says_why():
    slept = Slept()

    errors = ask(closed_address(), *[HELLO] * 5, slept=slept, circuit=Circuit(limit=3))

    assert all(isinstance(error, ServiceUnreachable) for error in errors)
    # Three requests with four waits each, then none.
    assert len(slept.waits) == 3 * 4
    assert "asked no more" in str(errors[4])
    assert "No connection" in str(errors[4])


def test_blip_that_meets_all_requests_at_once_loses_none(server):
    server.enqueue(*[Answer(drops=True)] * 16, *[completion()] * 32)

    replies = ask(server.url, *[HELLO] * 32, concurrency=16)

    assert all(isinstance(reply, ChatReply) for reply in replies)


def test_one_round_of_lost_requests_opens_the_circuit(server):
    server.enqueue(*[Answer(503, "away")] * 100)

    errors = ask(server.url, *[HELLO] * 20, concurrency=4)

    assert isinstance(errors[-1], ServiceUnreachable)
    assert "HTTP 503" in str(errors[-1])
    # Four requests have five attempts each; the next ones have begun when the last of them is lost.
    assert 4 * 5 <= len(server.asked) < 7 * 5


@pytest.mark.parametrize("status", [401, 403, 404, 307])
def test_refusal_that_meets_every_request_comes_to_an_end(server, status):
    server.enqueue(*[Answer(status, '{"error":"No."}', {"Location": "/other"})] * 10)

    errors = ask(server.url, *[HELLO] * 10)

    assert len(server.asked) == 3
    assert f"HTTP {status}" in str(errors[-1])


def test_quota_that_is_used_up_comes_to_an_end_with_the_servers_words(server):
    quota = '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}'
    server.enqueue(*[Answer(429, quota)] * 100)

    errors = ask(server.url, *[HELLO] * 10)

    assert len(server.asked) == 3 * 5
    assert "You exceeded your current quota" in str(errors[-1])


def test_refusal_of_one_requests_content_is_no_reason_to_stop(server):
    server.enqueue(*[Answer(400, "odd")] * 9, completion())

    replies = ask(server.url, *[HELLO] * 10)

    assert isinstance(replies[-1], ChatReply)
