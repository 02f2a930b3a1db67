"""What every chat model promises, kept by the stand-in of the tests and by a real model.

The real one is the small model on llama.cpp: as the product starts it, over HTTP as anyone does,
and behind TGI's API. So three kinds of server are asked in their own shapes, and write.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from fakes_llm import FakeLLM
from made_up_adapter import ADAPTER

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.failures import PromptTooLong
from polaris_search.llm.local.child_server import LocalPlan, local_server
from polaris_search.llm.local.local_model import LocalChatModel
from polaris_search.llm.model import ChatMessage, ChatModel, ChatRequest
from polaris_search.llm.opening import local_plan, open_chat_model
from polaris_search.settings import read_settings

T = TypeVar("T")

TEXT = {"type": "string", "pattern": "^[A-Za-z]{2,9}([ ][A-Za-z]{2,9}){1,3}$"}
SCHEMA = {
    "type": "object",
    "properties": {"animal": TEXT, "home": TEXT},
    "required": ["animal", "home"],
    "additionalProperties": False,
}
ASKED = (ChatMessage("user", "Name an animal and its home as JSON, with links and numbers."),)


def local_settings(folder: Path):
    return read_settings({"POLARIS_LLM_KIND": "local", "POLARIS_HOME": str(folder)})


@pytest.fixture
def plan(tmp_path: Path) -> LocalPlan:
    return local_plan(local_settings(tmp_path), slot_tokens=512)


@pytest.fixture(
    params=["fake", *(pytest.param(k, marks=pytest.mark.llm) for k in ("local", "llamacpp", "tgi"))]
)
def model(request: pytest.FixtureRequest) -> ChatModel:
    if request.param == "fake":
        return FakeLLM()
    if request.param == "local":
        return LocalChatModel(request.getfixturevalue("plan"), timeout_s=60)
    if request.param == "tgi":
        return opened("tgi", request.getfixturevalue("tgi_url"))
    return opened("llamacpp", request.getfixturevalue("llama").url)


def opened(kind: str, url: str, **more: str) -> ChatModel:
    told = {"POLARIS_LLM_KIND": kind, "POLARIS_LLM_URL": url, "POLARIS_LLM_TIMEOUT_S": "60"}
    model = open_chat_model(read_settings(told | more))
    assert model is not None
    return model


def with_model(model: ChatModel, use: Callable[[], Awaitable[T]]) -> T:
    async def run() -> T:
        try:
            return await use()
        finally:
            await model.close()

    return asyncio.run(run())


def test_reply_obeys_the_schema_without_free_white_space(model: ChatModel):
    async def use():
        return [
            await model.chat(ChatRequest(ASKED, 100, SCHEMA, temperature=1.0, seed=seed))
            for seed in range(3)
        ]

    for reply in with_model(model, use):
        found = json.loads(reply.text)
        assert list(found) == ["animal", "home"]
        assert all(re.search(TEXT["pattern"], text) for text in found.values())
        # TGI's own grammars allow one blank between the parts, no more.
        assert not re.search(r"\s\s|[\n\t]", reply.text)
        assert reply.finish_reason == "stop"


def test_same_seed_gives_the_same_text_and_another_seed_another(model: ChatModel):
    async def use():
        return [
            (await model.chat(ChatRequest(ASKED, 30, seed=seed, temperature=1.0))).text
            for seed in (7, 7, 7, 8)
        ]

    texts = with_model(model, use)

    # The first prompt is read, the others come out of the cache: the first may differ.
    assert texts[1] == texts[2]
    assert texts[2] != texts[3]


def test_reply_ends_at_max_tokens_and_says_so(model: ChatModel):
    reply = with_model(model, lambda: model.chat(ChatRequest(ASKED, 3)))

    assert reply.finish_reason == "length"
    assert reply.completion_tokens == 3
    assert reply.prompt_tokens > 3
    assert reply.model


def test_many_requests_at_a_time_are_answered_each_with_its_own(model: ChatModel):
    def asked(seed):
        return ChatRequest(ASKED, 60, SCHEMA, temperature=1.0, seed=seed)

    async def use():
        await model.begin_with((ChatMessage("system", "You name animals."),))
        return await asyncio.gather(*(model.chat(asked(seed)) for seed in range(5)))

    replies = with_model(model, use)

    assert len({reply.text for reply in replies}) > 1
    assert all(json.loads(reply.text) for reply in replies)


def test_several_replies_to_one_prompt_are_each_whole_and_the_prompt_is_counted_once(
    model: ChatModel,
):
    one = ChatRequest(ASKED, 60, SCHEMA, temperature=1.0, seed=7)

    async def use():
        return await model.chat(one), await model.chat(replace(one, n_replies=3))

    alone, first = with_model(model, use)

    replies = first.all_replies
    # TGI gives one reply to a request, whatever is wished for.
    assert len(replies) in (1, 3)
    assert len({reply.text for reply in replies}) == len(replies)
    assert all(list(json.loads(reply.text)) == ["animal", "home"] for reply in replies)
    assert [reply.prompt_tokens for reply in replies] == [alone.prompt_tokens, 0, 0][: len(replies)]
    assert all(reply.completion_tokens > 0 for reply in replies)
    assert [reply.seed for reply in replies] in ([7, 8, 9], [None])
    assert model.usage().requests == 2


@pytest.mark.llm
def test_llama_cpp_samples_the_next_of_several_replies_with_the_next_seed(llama):
    model = opened("llamacpp", llama.url)
    one = ChatRequest(ASKED, 30, temperature=1.0, seed=7)

    async def use():
        await model.chat(one)  # reads the prompt: the others have it from the cache
        several = await model.chat(replace(one, n_replies=3))
        return several, [await model.chat(replace(one, seed=seed)) for seed in (7, 8, 9)]

    several, alone = with_model(model, use)

    assert [reply.text for reply in several.all_replies] == [reply.text for reply in alone]
    told = [reply.completion_tokens for reply in alone]
    assert several.written_tokens == pytest.approx(sum(told), rel=0.5)


@pytest.mark.llm
@pytest.mark.parametrize("kind", ["llamacpp", "tgi"])
def test_an_adapter_is_asked_for_by_its_name_and_writes_other_text(llama, tgi_url, kind):
    url = llama.url if kind == "llamacpp" else tgi_url
    base, adapted = opened(kind, url), opened(kind, url, POLARIS_LLM_MODEL=ADAPTER)
    greedy = ChatRequest(ASKED, 12, temperature=0.0)

    async def use():
        asked = [base, adapted, base, adapted]
        texts = [(await model.chat(greedy)).text for model in asked]
        await adapted.close()
        return texts

    texts = with_model(base, use)

    assert (base.adapter, adapted.adapter) == (None, ADAPTER)
    assert base.model == adapted.model
    # A prompt that is read anew and one out of the cache may be answered differently.
    assert set(texts[::2]).isdisjoint(texts[1::2])


@pytest.mark.llm
def test_prompt_longer_than_a_slot_is_too_long(plan):
    model = LocalChatModel(plan, timeout_s=60)
    long = ChatRequest((ChatMessage("user", "dog " * 1000),), 10)

    with pytest.raises(PromptTooLong):
        with_model(model, lambda: model.chat(long))


@pytest.mark.llm
def test_killed_server_is_started_again(plan):
    model = LocalChatModel(plan, timeout_s=60)

    async def use():
        first = await model.chat(ChatRequest(ASKED, 3))
        server, _ = await model._process._running()
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
        return first, await model.chat(ChatRequest(ASKED, 3))

    first, second = with_model(model, use)

    assert first.completion_tokens == second.completion_tokens == 3


@pytest.mark.llm
def test_server_ends_with_its_context_and_leaves_no_files(plan):
    with local_server(plan) as server:
        folder = Path(server.folder.name)
        assert folder.exists()
        assert server.is_running

    assert server.process.returncode == 0
    assert not folder.exists()
    assert plan.log_path.stat().st_size > 0


@pytest.mark.llm
def test_server_dies_with_a_killed_parent(tmp_path):
    program = textwrap.dedent(
        f"""
        import pathlib, sys, time
        from polaris_search.llm.local.child_server import start_local_server
        from polaris_search.llm.opening import local_plan
        from polaris_search.settings import read_settings
        settings = read_settings(
            {{"POLARIS_LLM_KIND": "local", "POLARIS_HOME": {str(tmp_path)!r}}}
        )
        server = start_local_server(local_plan(settings, slot_tokens=512))
        print(server.process.pid, server.folder.name, flush=True)
        time.sleep(600)
        """
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child_pid, folder = parent.stdout.readline().split()
    child = os.pidfd_open(int(child_pid)) if hasattr(os, "pidfd_open") else None

    parent.kill()
    parent.wait()
    parent.stdout.close()

    assert child is not None
    assert ended_within_s(child, 10)
    assert not Path(folder).exists()


@pytest.mark.llm
def test_damaged_model_is_named(tmp_path):
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"GGUF" + b"\x00" * 100)
    plan = LocalPlan(damaged, tmp_path / "local-model.log")

    with pytest.raises(ServiceUnreachable, match=r"damaged\.gguf"), local_server(plan):
        pass


def ended_within_s(pidfd: int, seconds: float) -> bool:
    import select

    ready, _, _ = select.select([pidfd], [], [], seconds)
    os.close(pidfd)
    return bool(ready)
