"""What each kind of server wants to be sent beside the messages: the one table of differences.

The kinds differ in the shape of a schema, in the decoding parameters they know, and in the name
they go by when none is asked for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from polaris_search.llm.wire.grammar import gbnf
from polaris_search.setting_table import LlmKind

SCHEMA_NAME = "reply"


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of server is spoken to.

    `constrain` gives the body's entries that hold a reply to a schema.
    """

    constrain: Callable[[Mapping[str, Any]], dict[str, Any]]
    knows_top_k: bool


class AsWritten(dict[str, Any]):
    """A response_format that huggingface_hub sends as it is.

    Its chat_completion asks `get("type")`, and turns every "json_schema" into TGI's shape, whatever
    the server; this answers None there and is still written out whole.
    """

    def get(self, key: str, default: Any = None) -> Any:
        """Return the default, whatever the key."""
        return default


def _tgi(schema: Mapping[str, Any]) -> dict[str, Any]:
    # TGI refuses "json_object" without a value.
    return {"response_format": {"type": "json_object", "value": dict(schema)}}


def _json_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    named = {"name": SCHEMA_NAME, "schema": dict(schema)}
    return {"response_format": AsWritten(type="json_schema", json_schema=named)}


def _strict_json_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    named = {"name": SCHEMA_NAME, "schema": dict(schema), "strict": True}
    return {"response_format": AsWritten(type="json_schema", json_schema=named)}


def _llamacpp(schema: Mapping[str, Any]) -> dict[str, Any]:
    grammar = gbnf(schema)
    if grammar:
        return {"grammar": grammar}
    return {"response_format": {"type": "json_object", "schema": dict(schema)}}


KINDS: Mapping[LlmKind, Kind] = {
    "tgi": Kind(_tgi, knows_top_k=False),
    "vllm": Kind(_json_schema, knows_top_k=True),
    "llamacpp": Kind(_llamacpp, knows_top_k=True),
    "openai": Kind(_strict_json_schema, knows_top_k=False),
    "local": Kind(_llamacpp, knows_top_k=True),
}


def extra_body(kind: LlmKind, schema: Mapping[str, Any] | None, top_k: int) -> dict[str, Any]:
    """Return the entries of a request's body that only this kind of server is sent."""
    spoken = KINDS[kind]
    body = spoken.constrain(schema) if schema is not None else {}
    return body | ({"top_k": top_k} if spoken.knows_top_k else {})
