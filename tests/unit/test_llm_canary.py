"""What a look at a server shows: what it does, what it says, and what cannot be known."""

import asyncio
import json
from itertools import count

import pytest

from polaris_search.llm.canary import (
    PROMPTS,
    Finding,
    adapter_finding,
    context_finding,
    schema_finding,
)
from polaris_search.llm.failures import ChatRefused, ChatTroubled
from polaris_search.llm.identity import Identity
from polaris_search.llm.model import ChatReply

ADAPTED = Identity("base-8b", "night-1", "night-1")


def asking(answer):
    """Return an ask whose reply is what `answer` makes of the request, raised if it is an error."""

    async def ask(request):
        asking.asked.append(request)
        found = answer(request)
        if isinstance(found, Exception):
            raise found
        return ChatReply(found, "stop", 1, 1, "m")

    asking.asked = []
    return ask


def schema_look(text_or_error, kind="vllm"):
    return asyncio.run(schema_finding(asking(lambda _: text_or_error), kind))


def adapter_look(adapter, base, kind="tgi", identity=ADAPTED):
    ask_base = asking(base) if base else None
    return asyncio.run(adapter_finding(asking(adapter), ask_base, kind, identity))


def prompt_of(request):
    return request.messages[-1].content


def test_a_server_that_obeys_against_its_prompt_is_seen_to_hold_replies_to_a_schema():
    finding = schema_look('{"canary":"sings"}')

    assert finding.verdict == "seen"
    assert asking.asked[0].schema is not None
    assert "No JSON" in prompt_of(asking.asked[0])


@pytest.mark.parametrize(
    "text",
    ["The sea is wide.", "{}", "[]", '{"canary":1}', '{"canary":"a","b":"c"}', '{"can', "", "null",
     '```json\n{"canary":"sings"}\n```', '{"a":' * 100_000],
)  # fmt: skip
def test_a_server_that_does_as_prompted_does_not_hold_replies_to_a_schema(text):
    finding = schema_look(text, "openai")

    assert finding.verdict == "weak"
    assert "POLARIS_LLM_KIND" in finding.says
    assert "it is openai now" in finding.says


def test_a_server_that_leaves_the_pattern_out_is_told_from_one_that_leaves_all_out():
    finding = schema_look(json.dumps({"canary": "See http://sea.example!"}))

    assert finding.verdict == "weak"
    assert "not to its patterns" in finding.says


@pytest.mark.parametrize("status", [400, 422])
def test_a_schema_that_is_refused_is_wrong_in_the_servers_words(status):
    finding = schema_look(ChatRefused(status, "http://it refuses: value is missing."), "tgi")

    assert finding.verdict == "wrong"
    assert "shape of tgi" in finding.says
    assert "value is missing" in finding.says


@pytest.mark.parametrize(
    "error", [ChatRefused(401, "Denied."), ChatRefused(404, "No."), ChatTroubled("timeout", "Late")]
)
def test_what_has_nothing_to_do_with_the_schema_is_not_taken_for_it(error):
    with pytest.raises(type(error)):
        schema_look(error)


def test_an_adapter_that_writes_otherwise_than_its_base_is_seen():
    finding = adapter_look(lambda _: "By the adapter.", lambda _: "By the base.")

    assert finding.verdict == "seen"
    assert "'night-1'" in finding.says


def test_an_adapter_is_asked_for_the_likeliest_words():
    adapter_look(lambda _: "a", lambda _: "b")

    assert {request.temperature for request in asking.asked} == {0.0}
    assert {request.schema for request in asking.asked} == {None}


def test_a_name_that_the_base_answers_to_is_wrong():
    finding = adapter_look(prompt_of, prompt_of)

    assert finding.verdict == "wrong"
    assert "POLARIS_LLM_MODEL" in finding.says


def test_an_adapter_that_differs_for_one_prompt_alone_is_seen():
    def adapter(request):
        return "Otherwise." if prompt_of(request) == PROMPTS[-1] else prompt_of(request)

    assert adapter_look(adapter, prompt_of).verdict == "seen"


def test_a_base_that_never_answers_alike_proves_nothing():
    numbers = count()

    finding = adapter_look(lambda _: f"{next(numbers)}", lambda _: f"{next(numbers)}")

    assert finding.verdict == "unknown"
    assert "cannot be found out" in finding.says


def test_a_list_of_adapters_is_believed_and_called_the_servers_word():
    finding = adapter_look(lambda _: "never asked", None, kind="vllm")

    assert finding.verdict == "told"
    assert asking.asked == []


def test_where_no_adapter_is_asked_for_there_is_nothing_to_say_but_of_openai():
    base = Identity("gpt", None, "gpt")

    assert adapter_look(prompt_of, None, "vllm", base) is None
    assert adapter_look(prompt_of, None, "openai", base).verdict == "unknown"


def test_a_context_is_the_servers_word_or_said_to_be_unknown():
    known = context_finding(Identity("m", None, "m", 8192))

    assert known == Finding(
        "context length", "told", "8,192 tokens for a prompt and its reply, as the server says."
    )
    assert context_finding(Identity("m", None, "m")).verdict == "unknown"
