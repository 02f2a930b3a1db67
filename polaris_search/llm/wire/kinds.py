"""What each kind of server wants to be sent beside the messages: the one table of differences.

The kinds differ in the shape of a schema, in the decoding parameters they know, and in what comes
of a wish for several replies.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from polaris_search.llm.model import ChatRequest
from polaris_search.llm.wire.grammar import gbnf
from polaris_search.setting_table import LlmKind

SCHEMA_NAME = "reply"


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of server is spoken to.

    Attributes:
        constrain: gives the body's entries that hold a reply to a schema.
        knows_top_k: it takes top_k.
        knows_n: it takes n, and gives so many replies.
        counts_seeds_up: the i-th of several replies is sampled with the seed + i.
        counts_first: of several replies it counts the tokens of the first alone.
    """

    constrain: Callable[[Mapping[str, Any]], dict[str, Any]]
    knows_top_k: bool
    knows_n: bool = True
    counts_seeds_up: bool = False
    counts_first: bool = False


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


# Seeds and counts of several replies: vLLM's v1/engine/parallel_sampling.py; llama.cpp as observed.
_LLAMACPP = Kind(_llamacpp, knows_top_k=True, counts_seeds_up=True, counts_first=True)

KINDS: Mapping[LlmKind, Kind] = {
    # TGI's chat API names n and does not heed it.
    "tgi": Kind(_tgi, knows_top_k=False, knows_n=False),
    "vllm": Kind(_json_schema, knows_top_k=True, counts_seeds_up=True),
    "llamacpp": _LLAMACPP,
    "openai": Kind(_strict_json_schema, knows_top_k=False),
    "local": _LLAMACPP,
}


def extra_body(kind: LlmKind, request: ChatRequest) -> dict[str, Any]:
    """Return the entries of a request's body that only this kind of server is sent."""
    spoken = KINDS[kind]
    body = spoken.constrain(request.schema) if request.schema is not None else {}
    if spoken.knows_top_k:
        body["top_k"] = request.top_k
    if spoken.knows_n and request.n_replies > 1:
        body["n"] = request.n_replies
    return body
