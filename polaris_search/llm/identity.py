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
from polaris_search.llm.access import Access, chat_access
from polaris_search.llm.broken import broken_connection
from polaris_search.llm.refusals import DENIED, quoted
from polaris_search.llm.transport import direct_mounts
from polaris_search.settings import LlmKind

TIMEOUT_S = 10.0
MAX_CONTEXT_TOKENS = 10_000_000
TGI_BASE = "tgi"
"""The name TGI's chat API knows its base model by; any other is taken for an adapter's."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a server serves. `asked_as` goes into each request; `model` is for people and traces."""

    model: str
    adapter: str | None
    asked_as: str
    context_tokens: int | None = None


def identify(
    url: str,
    kind: LlmKind,
    name: str | None,
    api_key: str | None,
    *,
    timeout_s: float = TIMEOUT_S,
) -> Identity:
    """Return what answers at `url` when `name` is asked for, or its own model where that is None.

    Raises:
        ServiceUnreachable: it does not answer.
        UsageError: it answers, but serves no such model, or several and none was named; or `url`
            is no http(s) address.
    """
    access = chat_access(url, api_key)
    if kind == "tgi":
        return tgi_identity(_get(access, "/info", timeout_s), name)
    if kind == "openai" and name:
        return Identity(name, None, name)
    return listed_identity(_get(access, "/v1/models", timeout_s), name)


def tgi_identity(info: Mapping[str, Any], name: str | None) -> Identity:
    """Return what TGI's /info says. TGI lists no adapters: a wrong name is answered by the base."""
    adapter = name if name and name != TGI_BASE else None
    told = info.get("model_id")
    model = told if isinstance(told, str) and told else TGI_BASE
    return Identity(model, adapter, adapter or TGI_BASE, _tokens(info.get("max_total_tokens")))


def listed_identity(listing: Mapping[str, Any], name: str | None) -> Identity:
    """Return what an OpenAI list of models says; vLLM's entries name an adapter's `parent`.

    Raises:
        ServiceUnreachable: it is no such list.
        UsageError: `name` is not in the list, or none is set and the list does not decide.
    """
    entries = _entries(listing)
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
        model=plain_name(parent or name),
        adapter=name if parent else None,
        asked_as=name,
        context_tokens=_tokens(entry.get("max_model_len") or meta.get("n_ctx")),
    )


def plain_name(name: str) -> str:
    """Return the model's name; llama.cpp's is its file's path, which differs between machines."""
    return PurePath(name).stem if name.endswith(".gguf") else name


def _entries(listing: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    data = listing.get("data")
    entries = [entry for entry in data if _is_entry(entry)] if isinstance(data, list) else []
    if not isinstance(data, list) or len(entries) < len(data):
        raise ServiceUnreachable(
            "The chat server's list of models (/v1/models) is not what such a list should be. "
            "Check POLARIS_LLM_URL and POLARIS_LLM_KIND."
        )
    return {entry["id"]: entry for entry in entries}


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("id"), str)
        and isinstance(entry.get("parent"), str | None)
        and isinstance(entry.get("meta"), dict | None)
    )


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
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 < value <= MAX_CONTEXT_TOKENS else None


def _get(access: Access, path: str, timeout_s: float) -> Mapping[str, Any]:
    address = _root(access.url) + path
    try:
        with httpx2.Client(mounts=direct_mounts(), timeout=timeout_s) as client:
            response = client.get(address, headers=access.headers)
    except httpx2.TransportError as error:
        raise _silent(access, path, broken_connection(error, access)) from None
    except httpx2.HTTPError:
        raise _silent(access, path, "Its answer cannot be read.") from None
    if response.is_redirect:
        raise _silent(access, path, "It redirects to another address, which is not followed.")
    if response.status_code in DENIED:
        raise _silent(access, path, f"It denies access (HTTP {response.status_code}).")
    if not response.is_success:
        said = quoted(response.text, access)
        raise _silent(access, path, f"It answers HTTP {response.status_code}: {said}")
    return _document(response, access, path)


def _document(response: httpx2.Response, access: Access, path: str) -> Mapping[str, Any]:
    try:
        document = response.json()
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise _silent(access, path, "It answers, but not as a chat server does.")
    return document


def _silent(access: Access, path: str, why: str) -> ServiceUnreachable:
    return ServiceUnreachable(
        f"The chat server does not say what it serves at {_root(access.shown)}{path}. {why} "
        "Check POLARIS_LLM_URL, POLARIS_LLM_KIND and POLARIS_LLM_API_KEY."
    )


def _root(url: str) -> str:
    scheme, host, path, _, _ = urlsplit(url)
    return urlunsplit((scheme, host, path.rstrip("/").removesuffix("/v1"), "", ""))
