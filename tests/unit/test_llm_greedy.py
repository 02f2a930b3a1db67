"""One prompt answered greedily: what is sent, what is read of the answer, and what is none."""

import json

import pytest
from asking_llm import closed_address
from fakes_llm import Answer, chat_server, completion

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.failures import ChatRefused, ChatTroubled
from polaris_search.llm.wire.access import chat_access
from polaris_search.llm.wire.greedy import Greedy, greedy


@pytest.fixture
def server():
    with chat_server() as running:
        yield running


def ask(url: str, **more):
    access = chat_access(url, "s3cret")
    return greedy(access, "night-2", "Hello", max_tokens=3, timeout_s=5, **more)


def choice(content: object, logprobs: object) -> dict:
    message = {"role": "assistant", "content": content}
    return {"choices": [{"index": 0, "message": message, "logprobs": logprobs}]}


def test_text_and_likelihoods_are_read_and_the_likeliest_words_asked_for(server):
    told = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -2}]}
    server.enqueue(completion(**choice("a b", told)))

    reply = ask(server.url + "/v1", loras=[(1, 0.5)])

    assert reply == Greedy("a b", "served-model", (-0.5, -2.0))
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == "Bearer s3cret"
    assert asked.body == {
        "model": "night-2",
        "messages": [{"role": "user", "content": "Hello"}],
        "max_tokens": 3,
        "temperature": 0.0,
        "seed": 1,
        "logprobs": True,
        "lora": [{"id": 1, "scale": 0.5}],
    }


@pytest.mark.parametrize("told", [None, {}, {"content": None}, {"content": []}])
def test_a_server_that_tells_no_likelihoods_is_known_by_its_words(server, told):
    server.enqueue(completion(**choice("a b", told)))

    assert ask(server.url).logprobs is None


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        '{"choices": []}',
        json.dumps(choice(["no", "text"], None)),
        json.dumps(choice("a", {"content": [{"token": "a"}]})),
    ],
)
def test_what_is_no_reply_is_told_with_what_to_check(server, body):
    server.enqueue(Answer(body=body))

    with pytest.raises(ChatTroubled, match="no chat reply. Check POLARIS_LLM_URL"):
        ask(server.url)


def test_a_refusal_is_the_servers_own(server):
    server.enqueue(Answer(404, json.dumps({"error": {"message": "no such model"}})))

    with pytest.raises(ChatRefused, match="no such model"):
        ask(server.url)


def test_a_server_that_is_not_there_is_unreachable():
    with pytest.raises(ServiceUnreachable, match="Start the server"):
        ask(closed_address())
