"""Who answers at a chat server: its model, the adapter on it, its context, the name to ask by.

Asked once, when a server is opened, because the names are part of what a description is traced by.
Each kind is asked in its own way; a generic OpenAI-compatible server only where no name is set.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2

from polaris_search.errors import ServiceUnreachable, UsageError
from polaris_search.llm.transport import direct_mounts, headers
from polaris_search.settings import LlmKind

TIMEOUT_S = 10.0
TGI_BASE = "tgi"
"""The name TGI's chat API knows its base model by; any other is taken for an adapter's."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a server serves. `asked_as` goes into each request; `model` is for people and traces."""

    model: str
    adapter: str | None
    asked_as: str
    context_tokens: int | None = None


def identify(url: str, kind: LlmKind, name: str | None, api_key: str | None) -> Identity:
    """Return what answers at `url` when `name` is asked for, or its own model where that is None.

    Raises:
        ServiceUnreachable: it does not answer.
        UsageError: it answers, but serves no such model, or several and none was named.
    """
    if kind == "tgi":
        return tgi_identity(_get(url, "/info", api_key), name)
    if kind == "openai" and name:
        return Identity(name, None, name)
    return listed_identity(_get(url, "/v1/models", api_key), name)


def tgi_identity(info: Mapping[str, Any], name: str | None) -> Identity:
    """Return what TGI's /info says. TGI lists no adapters: a wrong name is answered by the base."""
    adapter = name if name and name != TGI_BASE else None
    model = str(info.get("model_id", TGI_BASE))
    return Identity(model, adapter, adapter or TGI_BASE, _tokens(info.get("max_total_tokens")))


def listed_identity(listing: Mapping[str, Any], name: str | None) -> Identity:
    """Return what an OpenAI list of models says; vLLM's entries name an adapter's `parent`.

    Raises:
        UsageError: `name` is not in the list, or none is set and the list does not decide.
    """
    entries = {
        str(entry["id"]): entry
        for entry in listing.get("data", ())
        if isinstance(entry, dict) and "id" in entry
    }
    if name is None:
        name = _only_base(entries)
    elif name not in entries:
        raise UsageError(
            f"The chat server serves no {name!r}. POLARIS_LLM_MODEL can be: {_some(entries)}."
        )
    entry = entries[name]
    parent = entry.get("parent")
    meta = entry.get("meta") or {}
    return Identity(
        model=plain_name(str(parent or name)),
        adapter=name if parent else None,
        asked_as=name,
        context_tokens=_tokens(entry.get("max_model_len") or meta.get("n_ctx")),
    )


def plain_name(name: str) -> str:
    """Return the model's name; llama.cpp's is its file's path, which differs between machines."""
    return PurePath(name).stem if name.endswith(".gguf") else name


def _only_base(entries: Mapping[str, Mapping[str, Any]]) -> str:
    bases = [name for name, entry in entries.items() if not entry.get("parent")]
    if len(bases) != 1:
        raise UsageError(
            f"The chat server serves {len(bases)} models. "
            f"Set POLARIS_LLM_MODEL to one of: {_some(bases)}."
        )
    return bases[0]


def _some(names: Mapping[str, object] | list[str]) -> str:
    listed = sorted(names)
    return ", ".join(listed[:10]) + (", ..." if len(listed) > 10 else "") or "nothing"


def _tokens(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _get(url: str, path: str, api_key: str | None) -> Mapping[str, Any]:
    address = _root(url) + path
    try:
        with httpx2.Client(mounts=direct_mounts(), timeout=TIMEOUT_S) as client:
            response = client.get(address, headers=headers(api_key))
        response.raise_for_status()
        document = response.json()
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise ServiceUnreachable(
            f"The chat server does not say what it serves at {address}: {error} "
            "Check POLARIS_LLM_URL, POLARIS_LLM_KIND and POLARIS_LLM_API_KEY."
        ) from None
    if not isinstance(document, dict):
        raise ServiceUnreachable(
            f"{address} answers, but not as a chat server does. Check POLARIS_LLM_URL."
        )
    return document


def _root(url: str) -> str:
    scheme, host, path, _, _ = urlsplit(url)
    return urlunsplit((scheme, host, path.rstrip("/").removesuffix("/v1"), "", ""))
