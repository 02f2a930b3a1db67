"""Keys and passwords are sent to the chat server that they are for, and stand in no message."""

import base64
import json
import logging
from collections.abc import Iterator

import pytest
from asking_llm import HELLO, ask
from fakes_llm import Answer, ChatServer, chat_server, completion

from polaris_search.llm.failures import ChatRefused
from polaris_search.llm.model import ChatReply


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


def test_key_stands_in_no_message(server):
    server.enqueue(Answer(401, "bad key s3cret"), Answer(400, "s3cret is odd"))

    errors = ask(server.url, HELLO, HELLO, api_key="s3cret")

    assert "POLARIS_LLM_API_KEY" in str(errors[0])
    assert not any("s3cret" in str(error) for error in errors)


def test_redirect_is_not_followed_and_told(server):
    with chat_server() as other:
        server.enqueue(Answer(307, "", {"Location": other.url + "/v1/chat/completions"}))

        (error,) = ask(server.url, HELLO, api_key="s3cret")

        assert not other.asked
    assert isinstance(error, ChatRefused)
    assert "redirects to another address" in str(error)


@pytest.mark.parametrize(
    ("address", "pair"),
    [("ann:hun%74er2@", "ann:hunter2"), ("hunter2@", "hunter2:"), (":hunter2@", ":hunter2")],
)
def test_credentials_in_the_address_are_sent_and_stand_in_no_message(server, caplog, address, pair):
    caplog.set_level(logging.DEBUG)
    basic = "Basic " + base64.b64encode(pair.encode()).decode()
    url = server.url.replace("http://", f"http://{address}")
    server.enqueue(
        completion(), Answer(400, f"odd: {basic}"), Answer(400, "hunter2?"), Answer(drops=True)
    )

    reply, *errors = ask(url, *[HELLO] * 4, attempts=1)

    assert isinstance(reply, ChatReply)
    assert server.asked[0].headers["authorization"] == basic
    told = " ".join(map(str, errors)) + caplog.text
    assert not any(secret in told for secret in ("hunter2", "hun%74er2", basic.split()[1]))
    assert server.url in told


@pytest.mark.parametrize("key", ['a"b\\c', "it's s3cret", "s3cret\n", "s3cr\u00e9t"])
def test_odd_key_stands_in_no_message(server, key):
    told = json.dumps({"odd": key})
    server.enqueue(*[Answer(status, told) for status in (400, 404, 500)])

    errors = ask(server.url, *[HELLO] * 3, attempts=1, api_key=key)

    assert not any(key.strip() in str(error) or "s3cr" in str(error) for error in errors)
