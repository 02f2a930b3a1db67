"""The client against a real HTTP server: what is sent, and what becomes of each kind of trouble."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from asking_llm import HELLO, Slept, ask, closed_address, served_model
from fakes_llm import Answer, ChatServer, chat_server, completion

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.failures import ChatRefused, ChatTroubled, PromptTooLong
from polaris_search.llm.identity import Identity
from polaris_search.llm.model import ChatReply, ChatRequest
from polaris_search.llm.traffic.client import ServedChatModel

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


def test_reply_is_returned_with_its_tokens(server):
    server.enqueue(completion("Hi.", "length"))

    (reply,) = ask(server.url, HELLO)

    assert reply == ChatReply("Hi.", "length", 11, 3, "served-model", seed=HELLO.seed)


@pytest.mark.parametrize(
    ("kind", "sent", "seeds"),
    [
        ("vllm", 3, [42, 43, 44]),
        ("llamacpp", 3, [42, 43, 44]),
        ("openai", 3, [None, None, None]),
        ("tgi", None, [None, None, None]),
    ],
)
def test_several_replies_are_asked_for_where_the_kind_knows_them(server, kind, sent, seeds):
    server.enqueue(completion("a", "stop", "b", "c"))

    (reply,) = ask(server.url, replace(HELLO, n_replies=3), kind=kind)

    assert server.asked[0].body.get("n") == sent
    assert [one.text for one in reply.all_replies] == ["a", "b", "c"]
    assert [one.seed for one in reply.all_replies] == seeds
    assert [one.prompt_tokens for one in reply.all_replies] == [11, 0, 0]


@pytest.mark.parametrize(
    ("kind", "written"), [("openai", [1, 2, 9]), ("vllm", [1, 2, 9]), ("llamacpp", [12, 24, 108])]
)
def test_tokens_of_several_replies_are_shared_out_by_length(server, kind, written):
    usage = {"prompt_tokens": 11, "completion_tokens": 12, "total_tokens": 23}
    server.enqueue(completion("a", "stop", "bb", "c" * 9, usage=usage))

    (reply,) = ask(server.url, replace(HELLO, n_replies=3), kind=kind)

    assert [one.completion_tokens for one in reply.all_replies] == written
    assert reply.written_tokens == sum(written)


def test_replies_that_were_not_asked_for_are_left_aside(server):
    server.enqueue(completion("a", "stop", "b"))

    (reply,) = ask(server.url, HELLO)

    assert [one.text for one in reply.all_replies] == ["a"]


def test_replies_out_of_order_are_put_in_order(server):
    document = json.loads(completion("a", "stop", "b").body)
    document["choices"].reverse()
    server.enqueue(Answer(body=json.dumps(document)))

    (reply,) = ask(server.url, replace(HELLO, n_replies=2))

    assert [(one.text, one.seed) for one in reply.all_replies] == [("a", 42), ("b", 43)]


def test_request_carries_decoding_and_seed(server):
    server.enqueue(completion())

    ask(server.url + "/v1/", HELLO)

    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.body == {
        "model": "asked",
        "messages": [{"role": "user", "content": "Hello"}],
        "max_tokens": 30,
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 50,
        "seed": 42,
        "stream": False,
    }


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("tgi", {"type": "json_object", "value": SCHEMA}),
        ("vllm", {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA}}),
        (
            "openai",
            {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
            },
        ),
        ("llamacpp", {"type": "json_object", "schema": SCHEMA}),
    ],
)
def test_each_kind_of_server_is_sent_the_schema_in_its_own_shape(server, kind, sent):
    server.enqueue(completion('{"a":"b"}'))

    ask(server.url, ChatRequest(HELLO.messages, 30, SCHEMA), kind=kind)

    assert server.asked[0].body["response_format"] == sent
    assert ("top_k" in server.asked[0].body) == (kind in ("vllm", "llamacpp"))


def test_key_is_sent_where_one_is_set(server):
    server.enqueue(completion())

    ask(server.url, HELLO, api_key="s3cret")

    assert server.asked[0].headers["authorization"] == "Bearer s3cret"


def test_no_key_of_the_machine_is_sent_where_none_is_set(server, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_machine_token")
    server.enqueue(completion())

    ask(server.url, HELLO)

    assert "authorization" not in server.asked[0].headers
    assert "hf_machine_token" not in str(server.asked[0].headers)


def test_own_machine_is_reached_without_the_proxy(server, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    server.enqueue(completion("Direct."))

    (reply,) = ask(server.url, HELLO)

    assert reply.text == "Direct."


def test_offline_mode_of_the_hub_does_not_stop_a_chat_server(server, monkeypatch):
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    server.enqueue(completion("Still here."))

    (reply,) = ask(server.url, HELLO)

    assert reply.text == "Still here."


@pytest.mark.parametrize(("status", "turned_away"), [(429, 1), (529, 1), (503, 1), (500, 0)])
def test_a_server_that_has_no_room_is_told_from_one_that_fails(server, status, turned_away):
    server.enqueue(Answer(status, "wait"), completion())
    model = served_model(server.url)

    async def run():
        await model.chat(HELLO)
        await model.close()

    asyncio.run(run())

    assert model.usage().refused == turned_away
    assert model.usage().retries == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 424, 408])
def test_passing_trouble_is_asked_again(server, status):
    server.enqueue(Answer(status, "wait"), Answer(status, "wait"), completion("Now."))
    slept = Slept()

    (reply,) = ask(server.url, HELLO, slept=slept)

    assert reply.text == "Now."
    # 2 s, then 4 s, each less half (chance) of its quarter.
    assert slept.waits == [2 * 7 / 8, 4 * 7 / 8]


def test_retry_after_is_honoured_and_jitter_added(server):
    server.enqueue(Answer(429, "busy", {"Retry-After": "7"}), completion())
    slept = Slept()

    ask(server.url, HELLO, slept=slept)

    assert slept.waits == [7 + 2 / 2]


def test_busy_server_is_given_up_after_the_last_attempt(server):
    server.enqueue(*[Answer(429, '{"error":"Model is overloaded","error_type":"overloaded"}')] * 3)

    (error,) = ask(server.url, HELLO, attempts=3)

    assert isinstance(error, ChatTroubled)
    assert error.trouble == "overloaded"
    assert str(error) == f"{server.url} is busy (HTTP 429): Model is overloaded."
    assert len(server.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 422])
def test_fault_of_ours_is_never_asked_again(server, status):
    server.enqueue(Answer(status, '{"error":{"message":"No."}}'), completion())

    (error,) = ask(server.url, HELLO)

    assert isinstance(error, ChatRefused)
    assert error.status == status
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, '{"error":{"code":400,"message":"x","type":"exceed_context_size_error"}}'),
        (400, '{"message":"This model\'s maximum context length is 4096 tokens."}'),
        (
            422,
            '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048",'
            '"error_type":"validation"}',
        ),
    ],
)
def test_prompt_that_is_too_long_is_told_apart(server, status, body):
    server.enqueue(Answer(status, body))

    (error,) = ask(server.url, HELLO)

    assert isinstance(error, PromptTooLong)


def test_silent_server_is_a_timeout_and_asked_again(server):
    server.enqueue(Answer(hangs=True), completion("Late."))

    (reply,) = ask(server.url, HELLO, timeout_s=1.0)

    assert reply.text == "Late."


def test_connection_that_breaks_is_asked_again(server):
    server.enqueue(Answer(drops=True), completion("Back."))

    (reply,) = ask(server.url, HELLO)

    assert reply.text == "Back."


@pytest.mark.parametrize(
    "body",
    ["", "<html>proxy</html>", "[]", "{}", '{"choices":[]}', '{"choices":[{"message":null}]}',
     '{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":[1]}}]}',
     '"text"', "null", '{"choices"'],
)  # fmt: skip
def test_garbage_is_asked_again_and_named(server, body):
    server.enqueue(Answer(200, body), Answer(200, body))

    (error,) = ask(server.url, HELLO, attempts=2)

    assert isinstance(error, ChatTroubled)
    assert error.trouble == "garbage"
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("told", "cached"),
    [
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 8}}}, 8),
        ({"timings": {"cache_n": 7, "prompt_n": 2}}, 7),
        (
            {
                "usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 0}},
                "timings": {"cache_n": 7},
            },
            0,
        ),
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": None}}, None),
        ({"usage": {"prompt_tokens_details": {"cached_tokens": "8"}}, "timings": [7]}, None),
        ({"timings": {"cache_n": -1}}, None),
        ({}, None),
    ],
)
def test_cached_prompt_tokens_are_the_servers_word_where_it_gives_one(server, told, cached):
    server.enqueue(completion(**told))

    (reply,) = ask(server.url, HELLO)

    assert reply.cached_prompt_tokens == cached


def test_reply_without_usage_counts_no_tokens(server):
    server.enqueue(completion(usage=None))

    (reply,) = ask(server.url, HELLO)

    assert (reply.prompt_tokens, reply.completion_tokens) == (0, 0)


def test_server_that_is_not_there_is_unreachable_with_a_next_step():
    (error,) = ask(closed_address(), HELLO, attempts=2)

    assert isinstance(error, ServiceUnreachable)
    assert error.exit_code == 3
    assert re.fullmatch(
        r"No connection to the chat server at http://127\.0\.0\.1:\d+\. "
        "Start the server, or correct POLARIS_LLM_URL.",
        str(error),
    )


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('{"error":{"message":"engine dead"}}', "answered with an error: engine dead."),
        ('{"error":"engine dead"}', "answered with an error: engine dead."),
        ('{"detail":"engine dead"}', "answered with an error: engine dead."),
        ("[1]", "answered with something that is no chat reply. Check"),
        ("<html>Login</html>", "answered with something that is no chat reply. Check"),
        ('{"cho', "answered with something that is no chat reply. Check"),
        ('{"a":' * 100_000, "answered with something that is no chat reply. Check"),
    ],
)
def test_answer_that_is_no_reply_is_told_in_the_servers_words_or_ours(server, body, says):
    server.enqueue(Answer(200, body))

    (error,) = ask(server.url, HELLO, attempts=1)

    assert str(error).startswith(f"{server.url} {says}")


def test_body_that_breaks_off_is_told_without_the_librarys_words(server):
    server.enqueue(Answer(200, '{"cho', {"Content-Length": "1000"}))

    (error,) = ask(server.url, HELLO, attempts=1)

    assert str(error) == (
        f"The connection to the chat server at {server.url} broke off. "
        "Start the server, or correct POLARIS_LLM_URL."
    )


@pytest.mark.parametrize("count", [-5, 10**30, 1.5, "x", None, True, [1], {"a": 1}])
def test_absurd_token_counts_count_nothing(server, count):
    server.enqueue(completion(usage={"prompt_tokens": count, "completion_tokens": count}))

    (reply,) = ask(server.url, HELLO)

    assert (reply.prompt_tokens, reply.completion_tokens) == (0, 0)


def test_requests_at_a_time_are_limited():
    most = 0
    now = 0

    class Counting:
        async def ask(self, request):
            nonlocal most, now
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1
            return ChatReply("x", "stop", 1, 1, "m")

        async def close(self):
            pass

    async def run():
        model = ServedChatModel(Counting(), Identity("m", None, "m"), concurrency=3)
        await asyncio.gather(*(model.chat(HELLO) for _ in range(20)))

    asyncio.run(run())

    assert most == 3
