"""Who answers at a chat server: what each kind says of itself, and what is made of nonsense."""

import asyncio
import json
import re

import pytest
from asking_llm import HELLO, closed_address
from fakes_llm import Answer, chat_server, completion

from polaris_search.errors import ServiceUnreachable, UsageError
from polaris_search.llm.identity import (
    Identity,
    identify,
    listed_identity,
    llamacpp_identity,
    tgi_identity,
)
from polaris_search.llm.wire.access import chat_access
from polaris_search.llm.wire.caller import Caller


def test_vllm_tells_an_adapter_by_its_parent():
    listing = {
        "data": [
            {"id": "base-8b", "parent": None, "max_model_len": 8192},
            {"id": "polaris-desc-1", "parent": "base-8b"},
        ]
    }

    assert listed_identity(listing, "polaris-desc-1") == Identity(
        "base-8b", "polaris-desc-1", "polaris-desc-1", 8192
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


def test_a_generic_server_with_a_named_model_need_not_say_what_it_serves():
    assert identify(closed_address(), "openai", "gpt", None) == Identity("gpt", None, "gpt")


@pytest.mark.parametrize(
    "entry",
    [
        {"max_model_len": 4096},
        {"context_length": 4096},
        {"context_window": 4096},
        {"max_context_length": 4096},
        {"meta": {"n_ctx": 4096}},
    ],
)
def test_a_generic_server_tells_its_context_by_any_of_the_usual_names(entry):
    listing = {"data": [{"id": "other", "max_model_len": 1}, {"id": "gpt", **entry}]}
    with chat_server() as server:
        server.gets["/v1/models"] = Answer(body=json.dumps(listing))

        found = identify(server.url, "openai", "gpt", None)

    assert found.context_tokens == 4096


LLAMACPP = {"data": [{"id": "/models/small.Q4_1.gguf", "meta": {"n_ctx": 1536}}]}
ADAPTERS = {
    "data": [
        {"id": 0, "path": "/loras/night-1.gguf", "scale": 0.0},
        {"id": 1, "path": "/loras/night-2.gguf", "scale": 0.0},
    ]
}


def test_llamacpp_is_told_which_of_its_adapters_to_use():
    found = llamacpp_identity(LLAMACPP, ADAPTERS, "night-2")

    assert found == Identity(
        "small.Q4_1", "night-2", "/models/small.Q4_1.gguf", 1536, loras=((0, 0.0), (1, 1.0))
    )


@pytest.mark.parametrize("name", [None, "small.Q4_1", "/models/small.Q4_1.gguf"])
def test_adapters_that_llamacpp_was_started_with_are_on_the_model_unasked(name):
    on = {"data": [ADAPTERS["data"][0], ADAPTERS["data"][1] | {"scale": 0.5}]}

    found, base = llamacpp_identity(LLAMACPP, on, name), llamacpp_identity(LLAMACPP, ADAPTERS, name)

    assert (base.adapter, base.loras) == (None, ((0, 0.0), (1, 0.0)))
    assert (found.adapter, found.loras) == ("night-2", ((0, 0.0), (1, 0.5)))


def test_an_adapter_that_llamacpp_does_not_list_is_refused_with_those_it_does():
    with pytest.raises(UsageError, match=r"no 'typo'.* night-1, night-2, small\.Q4_1\."):
        llamacpp_identity(LLAMACPP, ADAPTERS, "typo")


def test_each_request_to_llamacpp_says_which_adapters_are_on():
    with chat_server() as server:
        server.gets["/v1/models"] = Answer(body=json.dumps(LLAMACPP))
        server.gets["/lora-adapters"] = Answer(body=json.dumps(ADAPTERS["data"]))
        server.enqueue(completion())
        found = identify(server.url, "llamacpp", "night-1", None)
        caller = Caller(
            server.url,
            "llamacpp",
            asked_as=found.asked_as,
            api_key=None,
            timeout_s=5,
            loras=found.loras,
        )

        async def run():
            await caller.ask(HELLO)
            await caller.close()

        asyncio.run(run())

    assert server.asked[0].body["lora"] == [{"id": 0, "scale": 1.0}, {"id": 1, "scale": 0.0}]


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
