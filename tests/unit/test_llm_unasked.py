"""The chat model of a dry run: it knows who would answer, and refuses to be asked."""

import asyncio

import pytest
from http_server import http_server
from scripted_llm import ADAPTER, BASE, CONTEXT_TOKENS, ScriptedLlm

from polaris_search.errors import ServiceUnreachable, UsageError
from polaris_search.llm.model import ChatMessage, ChatRequest, Usage
from polaris_search.llm.unasked import unasked_chat_model
from polaris_search.settings import read_settings

AWAY = "http://127.0.0.1:1"


def settings(tmp_path, **set_):
    named = {f"POLARIS_{name.upper()}": value for name, value in set_.items()}
    return read_settings({"POLARIS_HOME": str(tmp_path), **named}, tmp_path / "none.toml")


def test_the_first_server_that_answers_says_who_would_write(tmp_path):
    with http_server(ScriptedLlm()) as server:
        url = f"{AWAY},{server.address}"

        model, away = unasked_chat_model(
            settings(tmp_path, llm_url=url, llm_kind="vllm", llm_model=ADAPTER)
        )

        assert [asked.method for asked in server.asked if asked.method != "GET"] == []
    assert away is None
    assert (model.model, model.adapter, model.context_tokens) == (BASE, ADAPTER, CONTEXT_TOKENS)
    assert model.usage() == Usage()


def test_without_a_server_it_is_the_model_that_the_settings_name(tmp_path):
    model, away = unasked_chat_model(
        settings(tmp_path, llm_url=AWAY, llm_kind="vllm", llm_model="base-8b")
    )

    assert (model.model, model.adapter, model.context_tokens) == ("base-8b", None, None)
    assert isinstance(away, ServiceUnreachable)


def test_without_a_model_set_there_is_none(tmp_path):
    assert unasked_chat_model(settings(tmp_path)) == (None, None)


def test_a_server_that_serves_no_such_model_is_told(tmp_path):
    with http_server(ScriptedLlm()) as server, pytest.raises(UsageError, match="serves no 'x'"):
        unasked_chat_model(
            settings(tmp_path, llm_url=server.address, llm_kind="vllm", llm_model="x")
        )


def test_a_question_is_refused(tmp_path):
    model, _ = unasked_chat_model(settings(tmp_path, llm_url=AWAY, llm_kind="vllm"))

    with pytest.raises(ServiceUnreachable, match="dry run"):
        asyncio.run(model.chat(ChatRequest((ChatMessage("user", "Say yes."),), max_tokens=1)))
