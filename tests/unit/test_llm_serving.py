"""The servers of POLARIS_LLM_URL: looked over, compared, asked together; each secret its own."""

import asyncio
import base64
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest
from asking_llm import HELLO, closed_address
from fakes_llm import CANARY, Answer, chat_server, completion
from faulty_server import Faulty, faulty_server
from scripted_llm import ADAPTER, BASE, CONTEXT_TOKENS, ScriptedLlm, scripted_server, sign_of

from polaris_search.errors import ServiceUnreachable, UsageError
from polaris_search.llm.model import ChatReply
from polaris_search.llm.opening import open_chat_model
from polaris_search.llm.serving import patience_of
from polaris_search.settings import read_settings


@pytest.fixture
def servers() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def settings(*urls: str, **more: str):
    told = {"POLARIS_LLM_URL": ", ".join(urls), "POLARIS_LLM_KIND": "vllm"}
    return read_settings(
        told | {f"POLARIS_LLM_{name.upper()}": value for name, value in more.items()}
    )


def opened(*urls: str, **more: str):
    model = open_chat_model(settings(*urls, **more))
    assert model is not None
    return model


def ask(model, times: int) -> list[ChatReply | BaseException]:
    async def run():
        try:
            asked = [model.chat(replace(HELLO, seed=n)) for n in range(times)]
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(run())


def scripted(servers: ExitStack, *adapters: str) -> str:
    return servers.enter_context(scripted_server(ScriptedLlm(adapters or (ADAPTER,)))).address


def serving(servers: ExitStack, name: str, **more):
    """A server that lists one model and answers as often as its canary asks, no more."""
    server = servers.enter_context(chat_server())
    server.gets["/v1/models"] = Answer(body=json.dumps({"data": [{"id": name, **more}]}))
    server.enqueue(CANARY)
    return server


def test_tgi_that_knows_the_adapter_is_opened_under_it(servers):
    model = opened(scripted(servers), kind="tgi", model=ADAPTER)

    assert (model.model, model.adapter, model.context_tokens) == (BASE, ADAPTER, CONTEXT_TOKENS)


def test_tgi_that_answers_a_wrong_adapter_from_its_base_is_refused_at_the_opening(servers):
    with pytest.raises(UsageError, match=r"polaris-typo.* word for word .* POLARIS_LLM_MODEL"):
        opened(scripted(servers), kind="tgi", model="polaris-typo")


def test_vllm_that_does_not_list_the_adapter_is_refused_with_what_it_lists(servers):
    with pytest.raises(UsageError, match=f"no 'polaris-typo'.*{BASE}, {ADAPTER}"):
        opened(scripted(servers), model="polaris-typo")


def test_a_reply_under_another_name_than_the_adapters_is_asked_again_and_not_kept(servers):
    faulty = Faulty(ScriptedLlm(), seed=0, share=0.3, faults=["other_model"], sound=1)
    address = servers.enter_context(faulty_server(faulty)).address
    model = opened(address, model=ADAPTER)
    model._patience = replace(model._patience, sleep=lambda _: asyncio.sleep(0))

    replies = ask(model, 60)

    assert faulty.met["other_model"] > 5
    assert all(sign_of(ADAPTER) in reply.text for reply in replies)


def test_servers_of_one_model_share_the_requests_out(servers):
    both = [ScriptedLlm(), ScriptedLlm()]
    addresses = [servers.enter_context(scripted_server(one)).address for one in both]
    model = opened(*addresses, model=ADAPTER)

    replies = ask(model, 100)

    assert all(isinstance(reply, ChatReply) for reply in replies)
    turns = [server.turns for server in model._servers]
    assert sum(turns) == 100
    assert min(turns) >= 30


def test_servers_of_different_models_are_refused_by_name(servers):
    urls = [serving(servers, name).url for name in ("llama-8b", "qwen-7b")]

    with pytest.raises(UsageError, match=r"do not serve the same: llama-8b at http.*, qwen-7b at"):
        opened(*urls)


def test_servers_of_one_model_but_one_without_the_adapter_are_refused_with_the_address(servers):
    with_it, without = scripted(servers, ADAPTER), scripted(servers, "other-adapter")

    with pytest.raises(UsageError, match=f"^{without}: .*no '{ADAPTER}'"):
        opened(with_it, without, model=ADAPTER)


def test_a_server_that_is_down_at_the_opening_is_told_and_left_out(servers, caplog):
    down = closed_address()
    model = opened(down, scripted(servers))

    replies = ask(model, 5)

    assert all(isinstance(reply, ChatReply) for reply in replies)
    assert len(model._servers) == 1
    (told,) = [record.message for record in caplog.records if "left out" in record.message]
    assert f"No connection to the chat server at {down}" in told


def test_where_every_server_is_down_each_is_named():
    down = [closed_address(), closed_address()]

    with pytest.raises(ServiceUnreachable) as told:
        opened(*down)

    assert all(address in str(told.value) for address in down)


def test_a_server_that_dies_on_the_way_leaves_its_requests_to_the_others(servers):
    dying = Faulty(ScriptedLlm(), seed=0, share=1.0, faults=["reset"], sound=5)
    model = opened(
        servers.enter_context(faulty_server(dying)).address, scripted(servers), concurrency="8"
    )

    replies = ask(model, 100)

    assert all(isinstance(reply, ChatReply) for reply in replies)
    assert dying.met["reset"] > 0
    assert model.usage().failed == 0


def test_the_shortest_context_of_all_servers_is_that_of_the_model(servers):
    urls = [
        serving(servers, "m", **told).url
        for told in ({"max_model_len": 8192}, {"max_model_len": 4096}, {})
    ]

    assert opened(*urls).context_tokens == 4096


def test_each_server_is_sent_its_own_credentials_and_no_message_holds_any(servers, caplog):
    caplog.set_level("DEBUG")
    there = [serving(servers, "m"), serving(servers, "m")]
    passwords = ["hunter2", "s3cr,et"]
    urls = [
        server.url.replace("http://", f"http://ann:{password}@")
        for server, password in zip(there, passwords, strict=True)
    ]
    for server in there:
        server.enqueue(*[Answer(500, f"ann: {' '.join(passwords)}")] * 40)
    model = opened(*urls, deadline_s="0.5")

    errors = ask(model, 4)

    for server, password in zip(there, passwords, strict=True):
        basic = base64.b64encode(f"ann:{password}".encode()).decode()
        assert {one.headers["authorization"] for one in server.asked} == {f"Basic {basic}"}
    told = " ".join(map(str, errors)) + caplog.text
    assert "HTTP 500" in told
    assert not any(own in told for own, server in zip(passwords, there, strict=True))


@pytest.mark.parametrize(
    ("told", "deadline_s"),
    [({}, 2 * 120 + 30), ({"timeout_s": "4"}, 2 * 4 + 30), ({"deadline_s": "7"}, 7)],
)
def test_a_request_has_two_timeouts_and_half_a_minute_unless_a_deadline_is_set(told, deadline_s):
    assert patience_of(settings("http://it", **told)).deadline_s == deadline_s


def test_replies_that_are_not_held_to_a_schema_are_told_at_the_opening(servers, caplog):
    server = servers.enter_context(chat_server())
    server.gets["/v1/models"] = Answer(body=json.dumps({"data": [{"id": "m"}]}))
    server.enqueue(completion("The sea is wide."))

    opened(server.url)

    assert "not held to a schema" in caplog.text


def test_a_schema_that_is_refused_refuses_the_opening(servers):
    server = servers.enter_context(chat_server())
    server.gets["/v1/models"] = Answer(body=json.dumps({"data": [{"id": "m"}]}))
    server.enqueue(Answer(400, '{"error":{"message":"unknown field response_format"}}'))

    with pytest.raises(UsageError, match="unknown field response_format"):
        opened(server.url)


@pytest.mark.parametrize("text", [",", " , ,"])
def test_a_list_of_no_address_is_refused(text):
    with pytest.raises(UsageError, match="POLARIS_LLM_URL"):
        open_chat_model(read_settings({"POLARIS_LLM_URL": text}))
