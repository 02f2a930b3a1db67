"""Who answers at a chat server: its model, the adapter on it, its context, the name to ask by.

Asked once, when a server is opened, because the names are part of what a description is traced by.
Each kind is asked in its own way. A generic OpenAI-compatible server need not answer where a name
is set; where it does, that may tell the context.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from polaris_search.errors import ServiceUnreachable, UsageError
from polaris_search.llm.wire.access import Access, chat_access
from polaris_search.llm.wire.question import asked_about_itself
from polaris_search.setting_table import LlmKind

TIMEOUT_S = 10.0
MAX_CONTEXT_TOKENS = 10_000_000
TGI_BASE = "tgi"
"""The name TGI's chat API knows its base model by; any other is taken for an adapter's."""
CONTEXT_NAMES = ("max_model_len", "context_length", "context_window", "max_context_length")
"""What vLLM, OpenRouter and Together, Groq, Mistral and LM Studio call it in a list of models."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a server serves. `asked_as` goes into each request; `model` is for people and traces.

    `loras` are the number and scale of each adapter that llama.cpp has loaded. They go into each
    request: one without them is answered from what the cache holds of the last adapter's.
    """

    model: str
    adapter: str | None
    asked_as: str
    context_tokens: int | None = None
    loras: tuple[tuple[int, float], ...] = ()


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
        return tgi_identity(asked_about_itself(access, "/info", timeout_s), name)
    if kind == "openai" and name:
        return Identity(name, None, name, _context_if_told(access, name, timeout_s))
    listing = asked_about_itself(access, "/v1/models", timeout_s)
    if kind == "llamacpp":
        return llamacpp_identity(listing, _loras(access, timeout_s), name)
    return listed_identity(listing, name)


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
        raise _not_served(name, list(entries))
    parent = entries[name].get("parent")
    return Identity(
        model=plain_name(parent or name),
        adapter=name if parent else None,
        asked_as=name,
        # An adapter's own entry may leave it out.
        context_tokens=_context(entries[name]) or _context(entries.get(parent or name, {})),
    )


def llamacpp_identity(
    listing: Mapping[str, Any], loras: Mapping[str, Any], name: str | None
) -> Identity:
    """Return what llama.cpp's lists of models and of adapters say; it serves one base model.

    `name` may be an adapter's, its file's without the ending. Where it is not, the adapters that
    were started with a scale above 0 are on the model.

    Raises:
        ServiceUnreachable: it is no list of models.
        UsageError: `name` is neither the model nor an adapter.
    """
    adapters = {PurePath(one["path"]).stem: one for one in _lora_entries(loras)}
    if name in adapters:
        base = listed_identity(listing, None)
        scales = dict.fromkeys(adapters, 0.0) | {name: 1.0}
    else:
        base = _llamacpp_base(listing, adapters, name)
        scales = {stem: float(one["scale"]) for stem, one in adapters.items()}
    return replace(
        base,
        adapter="+".join(stem for stem, scale in scales.items() if scale) or None,
        loras=tuple((adapters[stem]["id"], scale) for stem, scale in scales.items()),
    )


def plain_name(name: str) -> str:
    """Return the model's name; llama.cpp's is its file's path, which differs between machines."""
    return PurePath(name).stem if name.endswith(".gguf") else name


def _llamacpp_base(
    listing: Mapping[str, Any], adapters: Mapping[str, object], name: str | None
) -> Identity:
    plain = {plain_name(entry): entry for entry in _entries(listing)}
    if name in plain:
        name = plain[name]
    elif name is not None and name not in plain.values():
        raise _not_served(name, [*plain, *adapters])
    return listed_identity(listing, name)


def _not_served(name: str, served: list[str]) -> UsageError:
    return UsageError(
        f"The chat server serves no {name!r}. POLARIS_LLM_MODEL can be: {_some(served)}. "
        "`polaris-admin adapters publish` has an adapter served."
    )


def _lora_entries(loras: Mapping[str, Any]) -> list[dict[str, Any]]:
    data = loras.get("data")
    return [
        entry
        for entry in (data if isinstance(data, list) else [])
        if isinstance(entry, dict)
        and isinstance(entry.get("path"), str)
        and isinstance(entry.get("id"), int)
        and isinstance(entry.get("scale"), int | float)
    ]


def _loras(access: Access, timeout_s: float) -> Mapping[str, Any]:
    try:
        return asked_about_itself(access, "/lora-adapters", timeout_s, is_list=True)
    except ServiceUnreachable:  # an older server, or a proxy that lets through less
        return {}


def _context_if_told(access: Access, name: str, timeout_s: float) -> int | None:
    try:
        listing = asked_about_itself(access, "/v1/models", timeout_s)
        return _context(_entries(listing).get(name, {}))
    except ServiceUnreachable:
        return None


def _context(entry: Mapping[str, Any]) -> int | None:
    told = [entry.get(name) for name in CONTEXT_NAMES] + [(entry.get("meta") or {}).get("n_ctx")]
    return next((tokens for one in told if (tokens := _tokens(one))), None)


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
