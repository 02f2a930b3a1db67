"""Requests as Text Generation Inference takes them, and its refusals, by its published API. Pure.

Source: TGI's docs/openapi.json and router, 3.3.6-dev0 (GenerateParameters, ChatRequest,
GrammarType, ErrorResponse). Streams, tools, pictures and several replies at once are not spoken.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

BASE = "tgi"
"""As a chat request's `model` it means the base; any other name is taken for an adapter's."""

DEFAULT_NEW_TOKENS = 1024
MAX_STOPS = 4


class TgiRefusal(Exception):
    """An answer of TGI's that is no reply: a status and ErrorResponse, or a sentence of its JSON
    reader, which comes as plain text.
    """

    def __init__(self, status: int, error: str, error_type: str | None) -> None:
        super().__init__(error)
        self.status = status
        self.body: object = error.encode()
        if error_type is not None:
            self.body = {"error": error, "error_type": error_type}


def invalid(why: str) -> TgiRefusal:
    return TgiRefusal(422, f"Input validation error: {why}", "validation")


def unreadable(why: str) -> TgiRefusal:
    return TgiRefusal(422, f"Failed to deserialize the JSON body into the target type: {why}", None)


@dataclass(frozen=True)
class Asked:
    """What is asked for: of a chat the `messages`, else the `inputs`."""

    inputs: str = ""
    messages: tuple[Mapping[str, str], ...] = ()
    max_new_tokens: int = DEFAULT_NEW_TOKENS
    adapter_id: str | None = None
    schema: Mapping[str, Any] | None = None
    sampled: bool = False
    temperature: float = 1.0
    top_p: float | None = None
    top_k: int | None = None
    typical_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    details: bool = False


def generate_asked(body: bytes) -> Asked:
    """Return what a body sent to /generate asks for.

    Raises:
        TgiRefusal: it cannot be read, or is not valid.
    """
    document = _document(body)
    inputs = _of(document, "inputs", str, required=True)
    given = _of(document, "parameters", dict) or {}
    sampling = ("temperature", "top_k", "top_p", "typical_p")
    return _valid(
        Asked(
            inputs=inputs,
            adapter_id=_of(given, "adapter_id", str),
            schema=_grammar(given, "grammar"),
            sampled=bool(given.get("do_sample")) or any(given.get(n) is not None for n in sampling),
            typical_p=_of(given, "typical_p", float),
            top_k=_of(given, "top_k", int),
            details=bool(given.get("details")),
            **_shared(given, "max_new_tokens"),
        )
    )


def chat_asked(body: bytes) -> Asked:
    """Return what a body sent to /v1/chat/completions asks for. Names it does not know are ignored.

    Raises:
        TgiRefusal: it cannot be read, or is not valid.
    """
    document = _document(body)
    messages = _of(document, "messages", list, required=True)
    model = _of(document, "model", str)
    if _of(document, "stream", bool):
        raise invalid("streaming is not spoken by this stand-in")
    greedy = document.get("temperature") == 0
    return _valid(
        Asked(
            messages=tuple(_message(message) for message in messages),
            adapter_id=model if model not in (None, BASE) else None,
            schema=_grammar(document, "response_format"),
            sampled=not greedy,
            **_shared(document | ({"temperature": None} if greedy else {}), "max_tokens"),
        )
    )


def _shared(given: Mapping[str, Any], max_tokens: str) -> dict[str, Any]:
    temperature = _of(given, "temperature", float)
    tokens = _of(given, max_tokens, int)
    return {
        "max_new_tokens": DEFAULT_NEW_TOKENS if tokens is None else tokens,
        "temperature": 1.0 if temperature is None else temperature,
        "top_p": _of(given, "top_p", float),
        "seed": _of(given, "seed", int),
        "stop": tuple(_of(given, "stop", list) or ()),
    }


def _valid(asked: Asked) -> Asked:
    if asked.temperature <= 0:
        raise invalid("`temperature` must be strictly positive")
    for name, value in (("top_p", asked.top_p), ("typical_p", asked.typical_p)):
        if value is not None and not 0 < value < 1:
            raise invalid(f"`{name}` must be > 0.0 and < 1.0")
    if asked.top_k is not None and asked.top_k <= 0:
        raise invalid("`top_k` must be strictly positive")
    if asked.max_new_tokens <= 0:
        raise invalid("`max_new_tokens` must be strictly positive")
    if len(asked.stop) > MAX_STOPS:
        raise invalid(f"`stop` supports up to {MAX_STOPS} stop sequences. Given: {len(asked.stop)}")
    if not asked.inputs and not asked.messages:
        raise invalid("`inputs` cannot be empty")
    return asked


def _grammar(given: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """Return the schema of a grammar, None where there is none."""
    grammar = _of(given, name, dict)
    if grammar is None:
        return None
    kind = grammar.get("type")
    if kind not in ("json", "json_object", "json_schema", "regex"):
        raise unreadable(f"{name}.type: unknown variant `{kind}`")
    if "value" not in grammar:
        raise unreadable(f"{name}: missing field `value`")
    schema = grammar["value"]
    if kind == "json_schema":
        schema = schema.get("schema")
    if isinstance(schema, str) and kind != "regex":
        schema = json.loads(schema)
    if not isinstance(schema, dict):
        raise invalid("grammar is not supported")
    if "properties" not in schema:
        raise invalid("grammar is not valid: Grammar must have a 'properties' field")
    return schema


def _message(message: object) -> Mapping[str, str]:
    if not isinstance(message, dict):
        raise unreadable("messages: invalid type")
    return {name: _of(message, name, str, required=True) for name in ("role", "content")}


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except ValueError as error:
        raise TgiRefusal(400, f"Failed to parse the request body as JSON: {error}", None) from None
    if not isinstance(document, dict):
        raise unreadable("invalid type, expected struct")
    return document


def _of(given: Mapping[str, Any], name: str, kind: type, *, required: bool = False) -> Any:
    value = given.get(name)
    if value is None:
        if required:
            raise unreadable(f"missing field `{name}`")
        return None
    fits = isinstance(value, (int, float) if kind is float else kind)
    if not fits or (isinstance(value, bool) and kind is not bool):
        raise unreadable(f"{name}: invalid type, expected {kind.__name__}")
    return value
