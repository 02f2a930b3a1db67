"""A chat server that writes at once, and whose every text shows what it was written for and by.

For tests of many requests, where a real model is too slow. It speaks as vLLM does, and as TGI does
where it is asked for /info. Unlike vLLM, and like TGI or a gateway with an odd replica, it answers
from its base model where it knows no such name; the reply's `model` then says so.
"""

import hashlib
import json
import random
import re
import string
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from http_server import Asked, HttpServer, Reply, http_server

BASE = "base-8b"
ADAPTER = "polaris-desc-20261130t0200z"
CONTEXT_TOKENS = 8192

MARK = re.compile(r"\bmark[a-z]+\b")
"""A word of a table's name that no other table has."""

# fmt: off
WORDS = (
    "monthly", "yearly", "record", "public", "station", "harbour", "survey", "budget",
    "visitor", "shelter", "river", "crossing", "ledger", "member", "clinic", "orchard",
    "railway", "museum", "permit", "salary", "vessel", "meadow", "tariff", "library", "parcel",
    "dialect", "glacier", "workshop", "festival", "reservoir",
)
# fmt: on


def mark_of(number: int) -> str:
    """Return the mark of a test's n-th table."""
    return "mark" + _letters(f"mark {number}", 8)


def sign_of(text: str) -> str:
    """Return the word that stands in each text that is about the mark `text`, or by that model."""
    return _letters(text, 10)


def _letters(text: str, length: int) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "".join(string.ascii_lowercase[byte % 26] for byte in digest[:length])


class ScriptedLlm:
    """Answers as a chat server does; `written` holds the marks it wrote about, in their order."""

    def __init__(self, adapters: Sequence[str] = (ADAPTER,)) -> None:
        self.written: list[str] = []
        self._names = (BASE, *adapters)
        self._turn = threading.Lock()

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            return Reply(
                200, {"object": "list", "data": [self._listed(n) for n in self._names]}, {}
            )
        if asked.path == "/info":
            return Reply(200, {"model_id": BASE, "max_total_tokens": CONTEXT_TOKENS}, {})
        if asked.path == "/v1/chat/completions":
            return Reply(200, self._completion(json.loads(asked.body)), {})
        return Reply(404, {"error": {"message": "Not Found", "code": 404}}, {})

    def _listed(self, name: str) -> dict[str, object]:
        parent = None if name == BASE else BASE
        return {
            "id": name,
            "object": "model",
            "created": 1_700_000_000,
            "owned_by": "vllm",
            "root": name,
            "parent": parent,
            "max_model_len": CONTEXT_TOKENS if parent is None else None,
            "permission": [],
        }

    def _completion(self, body: dict[str, Any]) -> dict[str, object]:
        writer = body["model"] if body["model"] in self._names else BASE
        prompt = body["messages"][-1]["content"]
        marks = MARK.findall(prompt)
        with self._turn:
            self.written.extend(marks[:1])
        signs = [sign_of(writer), *map(sign_of, marks[:1])]
        text = _text(_schema(body), signs, random.Random(f"{body.get('seed')} {writer} {prompt}"))
        n_prompt = sum(len(turn["content"]) // 4 for turn in body["messages"])
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": writer,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": text},
                }
            ],
            "usage": {
                "prompt_tokens": n_prompt,
                "completion_tokens": len(text) // 4,
                "total_tokens": n_prompt + len(text) // 4,
            },
        }


def _schema(body: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema that the reply has to obey, in whichever kind's shape it was sent."""
    wanted = body.get("response_format") or {}
    return wanted.get("json_schema", {}).get("schema") or wanted.get("value")


def _text(schema: dict[str, Any] | None, signs: list[str], chance: random.Random) -> str:
    if schema is None:
        return " ".join([*signs, *chance.sample(WORDS, 5)])
    fields = {
        name: _value(schema["properties"][name], signs, chance) for name in schema["required"]
    }
    return json.dumps(fields, separators=(",", ":"))


def _value(wanted: dict[str, Any], signs: list[str], chance: random.Random) -> str:
    """Return a text that obeys: signed words, or where these do not fit the first that does."""
    texts = [" ".join([*signs, *chance.sample(WORDS, 5)]), *wanted.get("enum", ()), *WORDS]
    pattern = wanted.get("pattern", "")
    allowed = wanted.get("enum", texts)
    return next(text for text in texts if text in allowed and re.search(pattern, text))


@contextmanager
def scripted_server(scripted: ScriptedLlm) -> Iterator[HttpServer]:
    """Serve what `scripted` answers within the block."""
    with http_server(scripted) as server:
        yield server
