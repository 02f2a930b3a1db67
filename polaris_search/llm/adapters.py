"""Adapters on a vLLM server that runs: a name for each, and the requests that load and unload one.

A name is never used twice. A server keeps what it has read of prompts by the adapter's name, and
may go on using what the former adapter of that name had made of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath

import httpx2

from polaris_search.errors import PolarisError, ServiceUnreachable
from polaris_search.llm.wire.access import Access, chat_access
from polaris_search.llm.wire.broken import broken_connection
from polaris_search.llm.wire.question import asked_about_itself, root_of
from polaris_search.llm.wire.refusals import quoted, rank_remedy
from polaris_search.llm.wire.transport import direct_client

PREFIX = "polaris-desc-"
LOAD_S = 300.0
"""Longest wait for an adapter to be read."""


class AdapterRefused(PolarisError):
    """A server does not take an adapter, or does not let go of one."""


@dataclass(frozen=True, slots=True)
class ListedAdapter:
    """An adapter that a vLLM server lists: the model it is on, and the folder it was read from.

    Either is None where the server does not say.
    """

    parent: str | None
    root: str | None


def adapter_name(made_at: datetime) -> str:
    """Return the name of the adapter that was made then, to the second, in UTC."""
    return f"{PREFIX}{made_at.astimezone(UTC):%Y%m%dt%H%M%Sz}"


def listed_models(url: str, api_key: str | None) -> Mapping[str, ListedAdapter]:
    """Return what the vLLM server lists, by name; the base model has no parent.

    Raises:
        ServiceUnreachable: it does not answer.
    """
    listing = asked_about_itself(chat_access(url, api_key), "/v1/models", LOAD_S)
    return {
        str(entry["id"]): ListedAdapter(_text(entry.get("parent")), _text(entry.get("root")))
        for entry in listing.get("data") or ()
        if isinstance(entry, dict) and "id" in entry
    }


def load_adapter(url: str, api_key: str | None, name: str, folder: PurePath) -> None:
    """Have the vLLM server at `url` load the adapter in `folder`, a path as the server sees it.

    Raises:
        AdapterRefused: it has one of that name, was started for a lower rank or without runtime
            loading, or finds no adapter there.
        ServiceUnreachable: it does not answer.
    """
    access = chat_access(url, api_key)
    if name in listed_models(url, api_key):
        raise AdapterRefused(
            f"{access.shown} serves an adapter {name!r} already, and may hold prompts as that one "
            "read them. Give each adapter a new name."
        )
    body = {"lora_name": name, "lora_path": str(folder)}
    response = _posted(access, "/v1/load_lora_adapter", body)
    if not response.is_success:
        raise AdapterRefused(_why(response, access, name, "refuses"))


def unload_adapter(url: str, api_key: str | None, name: str) -> None:
    """Have the vLLM server at `url` let go of the adapter; harmless where it has none such.

    Raises:
        AdapterRefused: it keeps it.
        ServiceUnreachable: it does not answer.
    """
    access = chat_access(url, api_key)
    if name not in listed_models(url, api_key):
        return
    response = _posted(access, "/v1/unload_lora_adapter", {"lora_name": name})
    if not response.is_success:
        raise AdapterRefused(_why(response, access, name, "does not let go of"))


def _posted(access: Access, path: str, body: dict[str, str]) -> httpx2.Response:
    try:
        with direct_client(access, LOAD_S) as client:
            return client.post(root_of(access.url) + path, json=body, headers=access.headers)
    except httpx2.TransportError as error:
        raise ServiceUnreachable(
            f"{broken_connection(error, access)} Start the server, or correct POLARIS_LLM_URL."
        ) from None


def _why(response: httpx2.Response, access: Access, name: str, does: str) -> str:
    said = quoted(response.text, access)
    refusal = f"{access.shown} {does} the adapter {name!r} (HTTP {response.status_code}): {said}"
    if remedy := rank_remedy(response.text):
        return f"{refusal} {remedy}"
    if response.status_code in (404, 405):
        return (
            f"{access.shown} loads no adapters while it runs. Start vLLM with --enable-lora and "
            "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True in its environment."
        )
    return refusal


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
