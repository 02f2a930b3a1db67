"""What is sent to vLLM and OpenAI, and what they answer, against what the two have published.

Neither runs where these tests run: vLLM wants a GPU, OpenAI an account. So requests are compared
field by field with the published ones, and replies, lists and errors of the published shapes are
replayed. Sources, as read on 2026-11-30:

- OpenAI: API reference "Create chat completion", the types generated from its OpenAPI document in
  openai-python (types/chat/completion_create_params.py); "Structured outputs" guide, strict mode.
- vLLM main of 2026: ChatCompletionRequest and ChatCompletionResponse
  (entrypoints/openai/chat_completion/protocol.py), the list of models and the runtime loading of
  adapters (entrypoints/openai/models/serving.py, docs/features/lora.md).
"""

import json
from collections.abc import Iterator

import pytest
from asking_llm import ask
from fakes_llm import Answer, ChatServer, chat_server, completion

from ingest.describe.schema import description_schema
from polaris_search.errors import UsageError
from polaris_search.llm.failures import ChatRefused, PromptTooLong
from polaris_search.llm.identity import Identity, listed_identity
from polaris_search.llm.model import ChatMessage, ChatReply, ChatRequest

SCHEMA = description_schema(700)
ASKED = ChatRequest(
    (ChatMessage("system", "You describe."), ChatMessage("user", "Dogs.")), 700, SCHEMA
)

# Each field that this product may send, and whether a value is of the published type.
SHARED_FIELDS = {
    "messages": lambda value: all(set(turn) == {"role", "content"} for turn in value),
    "model": lambda value: isinstance(value, str),
    "max_tokens": lambda value: isinstance(value, int),
    "max_completion_tokens": lambda value: isinstance(value, int),
    "temperature": lambda value: 0 <= value <= 2,
    "top_p": lambda value: 0 < value <= 1,
    "seed": lambda value: -(2**63) <= value < 2**63,
    "stream": lambda value: isinstance(value, bool),
    "response_format": lambda value: set(value) == {"type", "json_schema"},
}
PUBLISHED = {
    "openai": SHARED_FIELDS,
    "vllm": SHARED_FIELDS | {"top_k": lambda value: isinstance(value, int)},
}
STRICT_KEYWORDS = {"type", "properties", "required", "additionalProperties", "pattern", "enum"}
"""Of those that OpenAI's strict mode supports, the ones that this product uses."""


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


def sent(server: ChatServer, kind: str) -> dict:
    server.enqueue(completion("{}"))
    ask(server.url, ASKED, kind=kind)
    return server.asked[-1].body


@pytest.mark.parametrize("kind", ["openai", "vllm"])
def test_every_field_sent_is_published_and_of_its_type(server, kind):
    body = sent(server, kind)

    unknown = [name for name in body if name not in PUBLISHED[kind]]
    wrong = [name for name in body if not PUBLISHED[kind][name](body[name])]
    assert unknown == []
    assert wrong == []
    assert {"messages", "model"} <= set(body)


@pytest.mark.parametrize(
    ("kind", "fields"), [("openai", {"name", "schema", "strict"}), ("vllm", {"name", "schema"})]
)
def test_the_schema_is_sent_in_the_published_wrapping(server, kind, fields):
    wrapped = sent(server, kind)["response_format"]

    assert wrapped["type"] == "json_schema"
    assert set(wrapped["json_schema"]) == fields
    assert wrapped["json_schema"]["schema"] == SCHEMA
    assert wrapped["json_schema"]["name"].replace("_", "").isalnum()


def test_the_schema_is_one_that_strict_mode_takes(server):
    schema = sent(server, "openai")["response_format"]["json_schema"]["schema"]

    # Strict mode wants every field required and no others, and knows only some keywords.
    assert schema["additionalProperties"] is False
    assert schema["required"] == list(schema["properties"])
    used = set(schema).union(*schema["properties"].values())
    assert used <= STRICT_KEYWORDS


OPENAI_REPLY = {
    "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
    "object": "chat.completion",
    "created": 1741569952,
    "model": "gpt-4.1-2025-04-14",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": '{"a":"b"}',
                "refusal": None,
                "annotations": [],
            },
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {
        "prompt_tokens": 19,
        "completion_tokens": 10,
        "total_tokens": 29,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    },
    "service_tier": "default",
}
VLLM_REPLY = {
    "id": "chatcmpl-8f3c",
    "object": "chat.completion",
    "created": 1741569952,
    "model": "asked",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": '{"a":"b"}',
                "refusal": None,
                "annotations": None,
                "audio": None,
                "function_call": None,
                "reasoning": None,
            },
            "logprobs": None,
            "finish_reason": "stop",
            "stop_reason": None,
            "token_ids": None,
        }
    ],
    "service_tier": None,
    "system_fingerprint": None,
    "usage": {
        "prompt_tokens": 19,
        "total_tokens": 29,
        "completion_tokens": 10,
        "prompt_tokens_details": None,
    },
    "prompt_logprobs": None,
    "prompt_token_ids": None,
    "kv_transfer_params": None,
}


@pytest.mark.parametrize(("kind", "reply"), [("openai", OPENAI_REPLY), ("vllm", VLLM_REPLY)])
def test_a_published_reply_is_read(server, kind, reply):
    server.enqueue(Answer(body=json.dumps(reply)))

    (read,) = ask(server.url, ASKED, kind=kind)

    assert isinstance(read, ChatReply)
    assert (read.text, read.finish_reason) == ('{"a":"b"}', "stop")
    assert (read.prompt_tokens, read.completion_tokens, read.model) == (19, 10, reply["model"])


@pytest.mark.parametrize(
    ("kind", "body", "kind_of_failure", "says"),
    [
        (
            "openai",
            {
                "error": {
                    "message": "This model's maximum context length is 8192 tokens. However, your "
                    "messages resulted in 9001 tokens.",
                    "type": "invalid_request_error",
                    "param": "messages",
                    "code": "context_length_exceeded",
                }
            },
            PromptTooLong,
            "8192 tokens",
        ),
        (
            "vllm",
            {
                "error": {
                    "message": "This model's maximum context length is 8192 tokens. However, you "
                    "requested 700 output tokens and your prompt contains 7600 input tokens.",
                    "type": "BadRequestError",
                    "param": "input_tokens",
                    "code": 400,
                }
            },
            PromptTooLong,
            "8192 tokens",
        ),
        (
            "openai",
            {
                "error": {
                    "message": "Unrecognized request argument supplied: top_k",
                    "type": "invalid_request_error",
                    "param": None,
                    "code": None,
                }
            },
            ChatRefused,
            "Unrecognized request argument supplied: top_k",
        ),
    ],
)
def test_a_published_error_is_told_apart(server, kind, body, kind_of_failure, says):
    server.enqueue(Answer(400, json.dumps(body)))

    (failure,) = ask(server.url, ASKED, kind=kind)

    assert type(failure) is kind_of_failure
    assert says in str(failure)


def vllm_list(*adapters: str) -> dict:
    def card(name, **more):
        return {
            "id": name,
            "object": "model",
            "created": 1715644056,
            "owned_by": "vllm",
            "permission": [{"id": "modelperm-1", "object": "model_permission"}],
            **more,
        }

    base = card("base-8b", root="org/base-8b", parent=None, max_model_len=8192)
    # An adapter's card names no length of its own.
    loaded = [card(n, root=f"/a/{n}", parent="base-8b", max_model_len=None) for n in adapters]
    return {"object": "list", "data": [base, *loaded]}


def test_an_adapter_has_the_context_of_the_model_that_vllm_lists_as_its_parent():
    found = listed_identity(vllm_list("night-1"), "night-1")

    assert found == Identity("base-8b", "night-1", "night-1", 8192)


def test_the_base_is_asked_for_where_vllm_lists_adapters_and_none_is_named():
    assert listed_identity(vllm_list("night-1"), None).adapter is None


@pytest.mark.parametrize("status", [400, 500])
def test_an_adapter_of_too_high_a_rank_is_told_with_the_flag_to_set(server, status):
    # vLLM's own words, where it loads an adapter at the first request for it.
    error = {"message": "LoRA rank 64 is greater than max_lora_rank 16.", "type": "x", "code": 1}
    server.enqueue(*[Answer(status, json.dumps({"error": error}))] * 2)

    (failure,) = ask(server.url, ASKED, kind="vllm", attempts=1)

    assert "LoRA rank 64 is greater than max_lora_rank 16." in str(failure)
    assert "--max-lora-rank 64" in str(failure)


def test_an_adapter_that_vllm_has_not_loaded_is_told_with_those_it_has():
    with pytest.raises(UsageError, match=r"serves no 'night-2'.*night-1"):
        listed_identity(vllm_list("night-1"), "night-2")
