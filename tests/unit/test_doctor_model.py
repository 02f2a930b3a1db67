"""What `doctor` says of chat servers: what was seen, what is their word, what is not verified."""

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from asking_llm import closed_address
from fakes_llm import CANARY, Answer, chat_server
from scripted_llm import ADAPTER, BASE, CONTEXT_TOKENS, ScriptedLlm, scripted_server

from polaris_search.cli.doctor_model import model_checks
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


def scripted(servers: ExitStack) -> str:
    return servers.enter_context(scripted_server(ScriptedLlm())).address


def serving(servers: ExitStack, name: str):
    server = servers.enter_context(chat_server())
    server.gets["/v1/models"] = Answer(body=json.dumps({"data": [{"id": name}]}))
    server.enqueue(CANARY)
    return server


def check_named(checks, name):
    return [check for check in checks if check.name == name]


def test_doctor_says_of_each_server_what_was_seen_and_what_is_its_word(servers):
    urls = [scripted(servers), scripted(servers)]

    checks = model_checks(settings(*urls, model=ADAPTER))

    assert [check.ok for check in checks] == [True] * 8
    assert [c.found for c in check_named(checks, "model server")] == [
        f"vllm at {url} answers as {BASE} with {ADAPTER}" for url in urls
    ]
    assert check_named(checks, "adapter")[0].found == f"The server lists the adapter '{ADAPTER}'."
    assert f"{CONTEXT_TOKENS:,} tokens" in check_named(checks, "context length")[0].found


def test_doctor_says_what_it_could_not_verify(servers):
    server = servers.enter_context(chat_server())
    server.enqueue(CANARY)

    checks = model_checks(settings(server.url, kind="openai", model="gpt"))

    assert all(check.ok for check in checks)
    assert check_named(checks, "adapter")[0].found.startswith("not verified: ")
    assert check_named(checks, "context length")[0].found.startswith("not verified: ")


def test_doctor_fails_for_an_adapter_that_is_not_served(servers):
    checks = model_checks(settings(scripted(servers), kind="tgi", model="polaris-typo"))

    assert [check.ok for check in check_named(checks, "adapter")] == [False]


def test_doctor_fails_for_the_server_that_is_down_and_for_it_alone(servers):
    down, up = closed_address(), scripted(servers)

    checks = model_checks(settings(down, up))

    assert [(c.ok, c.exit_code) for c in check_named(checks, "model server")] == [
        (False, 3),
        (True, 1),
    ]
    assert down in checks[0].found


def test_doctor_fails_where_servers_do_not_serve_the_same(servers):
    urls = [serving(servers, name).url for name in ("llama-8b", "qwen-7b")]

    checks = check_named(model_checks(settings(*urls)), "model server")

    assert [check.ok for check in checks] == [True, False]
    assert "do not serve the same" in checks[1].found


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer(503, "loading"), "HTTP 503"),
        (Answer(429, "busy"), "busy"),
        (Answer(drops=True), "broke off"),
        (Answer(hangs=True), "wrote nothing while it was waited for"),
    ],
)
def test_doctor_asks_a_server_in_trouble_once(servers, answer, says):
    server = servers.enter_context(chat_server())
    server.enqueue(answer, CANARY)

    (check,) = model_checks(settings(server.url, kind="openai", model="m", timeout_s="1"))

    assert not check.ok
    assert says in check.found
    server.wait_until_asked(1)
    assert len(server.asked) == 1
