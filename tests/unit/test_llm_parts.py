"""The pure parts of the chat client: waits, circuit, grammar, and who answers at a server."""

import json
import re
from datetime import UTC, datetime

import pytest
from fakes_llm import Answer, chat_server

from polaris_search.errors import ServiceUnreachable, UsageError
from polaris_search.llm.access import chat_access
from polaris_search.llm.circuit import Circuit
from polaris_search.llm.grammar import gbnf
from polaris_search.llm.identity import Identity, identify, listed_identity, tgi_identity
from polaris_search.llm.retries import RetryPolicy, retry_after_s


def test_waits_double_up_to_the_longest():
    policy = RetryPolicy(attempts=7, first_wait_s=1.0, longest_wait_s=10.0)

    waits = [policy.wait_s(n, None, lambda: 0.0) for n in range(1, 7)]

    assert waits == [1, 2, 4, 8, 10, 10]
    assert policy.wait_s(7, None, lambda: 1.0) is None


def test_attempts_are_spread_over_a_servers_restart():
    def waits(chance):
        return [RetryPolicy().wait_s(n, None, lambda: chance) for n in range(1, 6)]

    assert waits(0.0) == [2, 4, 8, 8, None]
    # Chance takes a quarter at most: 3/4 of 22 s.
    assert waits(1.0) == [1.5, 3, 6, 6, None]


def test_server_that_asks_for_too_long_a_rest_is_given_up():
    policy = RetryPolicy(longest_retry_after_s=60)

    assert policy.wait_s(1, 60.0, lambda: 0.0) == 60
    assert policy.wait_s(1, 61.0, lambda: 0.0) is None


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        (" 3 ", 3.0),
        ("Mon, 30 Nov 2026 02:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 01:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, seconds):
    now = datetime(2026, 11, 30, 2, 0, 0, tzinfo=UTC).timestamp()

    assert retry_after_s(header, lambda: now) == seconds


def test_circuit_opens_after_requests_lost_on_end_and_stays_open():
    circuit = Circuit(limit=3)

    circuit.lost("One.")
    circuit.lost("Two.")
    circuit.worked()
    circuit.lost("Three.")
    circuit.lost("Four.")
    assert circuit.reason is None
    circuit.lost("Five.")
    circuit.worked()
    circuit.lost("Six.")

    assert circuit.reason == "Five."


def test_grammar_leaves_no_room_for_blanks_and_shares_equal_rules():
    text = {"type": "string", "pattern": "^[a-z]{2,5}$"}
    schema = {
        "type": "object",
        "properties": {"a": text, "b c": text, "n": {"type": "string", "pattern": "^(x|[yz])+$"}},
        "required": ["a", "b c", "n"],
        "additionalProperties": False,
    }
    # x alone is a literal, which GBNF wants quoted: such a pattern is not converted.
    assert gbnf(schema) is None

    schema["properties"]["n"] = {"type": "string", "pattern": "^([x]|[yz])+$"}

    assert gbnf(schema) == (
        r'root ::= "{" "\"a\":\"" text-0 "\"" "," '
        r'"\"b c\":\"" text-0 "\"" "," "\"n\":\"" text-1 "\"" "}"'
        "\ntext-0 ::= [a-z]{2,5}\ntext-1 ::= ([x]|[yz])+"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"type": "array"},
        {"additionalProperties": True},
        {"required": []},
        {"properties": {"a": {"type": "integer"}}},
        {"properties": {"a": {"type": "string"}}},
        {"properties": {"a": {"type": "string", "pattern": "^[a-z]$", "maxLength": 3}}},
        {"properties": {"a": {"type": "string", "pattern": "^\\w+$"}}},
        {"properties": {"a": {"type": "string", "pattern": '^["]$'}}},
        {"title": "x"},
    ],
)
def test_grammar_is_refused_for_what_it_does_not_know(change):
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": "^[a-z]+$"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert gbnf(schema) is not None

    assert gbnf(schema | change) is None


def test_vllm_tells_an_adapter_by_its_parent():
    listing = {
        "data": [
            {"id": "base-8b", "parent": None, "max_model_len": 8192},
            {"id": "polaris-desc-1", "parent": "base-8b"},
        ]
    }

    assert listed_identity(listing, "polaris-desc-1") == Identity(
        "base-8b", "polaris-desc-1", "polaris-desc-1"
    )
    assert listed_identity(listing, None) == Identity("base-8b", None, "base-8b", 8192)


def test_llamacpp_model_is_named_without_its_folder():
    listing = {"data": [{"id": "/models/small.Q4_1.gguf", "meta": {"n_ctx": 1536}}]}

    found = listed_identity(listing, None)

    assert found == Identity("small.Q4_1", None, "/models/small.Q4_1.gguf", 1536)


@pytest.mark.parametrize(("name", "says"), [("typo", "can be: a, b"), (None, "one of: a, b")])
def test_unknown_or_undecided_model_lists_what_there_is(name, says):
    with pytest.raises(UsageError, match=re.escape(says)):
        listed_identity({"data": [{"id": "b"}, {"id": "a"}]}, name)


def test_tgi_takes_any_other_name_for_an_adapter():
    info = {"model_id": "meta/llama", "max_total_tokens": 4096}

    assert tgi_identity(info, None) == Identity("meta/llama", None, "tgi", 4096)
    assert tgi_identity(info, "tgi") == Identity("meta/llama", None, "tgi", 4096)
    assert tgi_identity(info, "night-1") == Identity("meta/llama", "night-1", "night-1", 4096)


def test_server_is_asked_below_its_v1_address():
    with chat_server() as server:
        server.gets["/v1/models"] = Answer(body=json.dumps({"data": [{"id": "m"}]}))

        found = identify(server.url + "/v1/", "vllm", None, None)

    assert found == Identity("m", None, "m")


def test_generic_server_with_a_named_model_is_asked_nothing():
    assert identify("http://nowhere.invalid", "openai", "gpt", None) == Identity("gpt", None, "gpt")


@pytest.mark.parametrize(
    "answer", [Answer(503, "loading"), Answer(200, "<html>"), Answer(200, "3")]
)
def test_server_that_does_not_say_what_it_serves_is_unreachable(answer):
    with chat_server() as server:
        server.gets["/v1/models"] = answer

        with pytest.raises(ServiceUnreachable, match="POLARIS_LLM_URL"):
            identify(server.url, "vllm", None, None)


@pytest.mark.parametrize(
    "body",
    [
        '{"data": null}',
        "{}",
        '{"data": {"id": "m"}}',
        '{"data": ["m"]}',
        '{"data": [{"id": null}]}',
        '{"data": [{"id": "m", "meta": "x"}]}',
        '{"data": [{"id": "m", "parent": 3}]}',
        "[]",
        '{"a":' * 100_000,
    ],
)
@pytest.mark.parametrize("name", ["m", None])
def test_list_of_models_that_is_none_is_told_in_words(body, name):
    with chat_server() as server:
        server.gets["/v1/models"] = Answer(body=body)

        with pytest.raises(ServiceUnreachable, match="POLARIS_LLM_URL") as told:
            identify(server.url, "vllm", name, None)

    assert "object" not in str(told.value)


@pytest.mark.parametrize("told", [10**30, -1, "many", True, None, [1]])
def test_absurd_context_is_taken_for_none(told):
    listing = {"data": [{"id": "m", "max_model_len": told}]}

    assert listed_identity(listing, None).context_tokens is None
    assert tgi_identity({"model_id": None, "max_total_tokens": told}, None) == Identity(
        "tgi", None, "tgi"
    )


@pytest.mark.parametrize(
    "answer",
    [
        Answer(401, "no: s3cret"),
        Answer(401, "no key like hunte***"),
        Answer(403, "no: YW5uOmh1bnRlcjI="),
        Answer(500, "ann:hunter2"),
        Answer(200, "hunter2"),
        Answer(307, "", {"Location": "http://hunter2/"}),
        Answer(drops=True),
    ],
)
def test_asking_what_is_served_repeats_no_credentials(answer, caplog):
    caplog.set_level("INFO")
    with chat_server() as server:
        server.gets["/v1/models"] = answer
        url = server.url.replace("http://", "http://ann:hunter2@")

        with pytest.raises(ServiceUnreachable) as told:
            identify(url, "vllm", None, "s3cret")

    shown = str(told.value) + caplog.text
    assert server.url in shown
    assert not any(secret in shown for secret in ("hunte", "s3cret", "YW5uOmh1bnRlcjI="))


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1",
        "http://",
        "http://ann:hunter2@",
        "http://ann:hun#ter2@host",
        "http://ann:hunter2@host:x",
        "http://host:99999",
        "http://a b",
        "http://host/\x00",
        "ftp://host",
        "localhost:8000",
    ],
)
def test_address_that_is_none_is_refused_without_its_password(url):
    with pytest.raises(UsageError, match="POLARIS_LLM_URL") as refused:
        chat_access(url, None)

    assert "hun" not in str(refused.value)


def test_access_shows_no_credentials_in_a_trace():
    access = chat_access("http://ann:hunter2@host:80/v1?token=hunter2", "s3cret")

    assert access.shown == "http://host/v1"
    assert "s3cret" not in repr(access)
    assert "hunter2" not in access.shown
