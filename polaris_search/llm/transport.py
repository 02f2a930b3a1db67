"""The HTTP client under huggingface_hub: straight to this machine, no stray credentials.

By default that package obeys HF_HUB_OFFLINE for every address, 127.0.0.1 included, and sends the
Hugging Face token it finds on the machine to any server that was given no key. A chat server is
not the Hub: neither is wanted here.
"""

from typing import cast

import httpx2
from huggingface_hub import AsyncInferenceClient, set_async_client_factory

NO_KEY = "no-key"
"""Stands for "send no key": given none, huggingface_hub would look for a token of its own."""

CONNECT_TIMEOUT_S = 10.0
_THIS_MACHINE = ("127.0.0.1", "localhost", "[::1]")


def inference_client(url: str, api_key: str | None, timeout_s: float) -> AsyncInferenceClient:
    """Return a client for the chat server at `url` (with or without /v1).

    Args:
        url: where the server listens.
        api_key: sent as a bearer token; None: no such header is sent.
        timeout_s: longest silence of the server; connecting has its own, shorter limit.
    """
    set_async_client_factory(_direct_client)
    limits = httpx2.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S))
    # The parameter is declared as a number and handed on to httpx2 as it is.
    return AsyncInferenceClient(
        base_url=url, api_key=api_key or NO_KEY, timeout=cast(float, limits)
    )


def headers(api_key: str | None) -> dict[str, str]:
    """Return the headers of a request that does not go through huggingface_hub."""
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def direct_mounts() -> dict[str, None]:
    """Return where a client goes without the machine's proxy: to the machine itself."""
    return {f"all://{host}": None for host in _THIS_MACHINE}


def _direct_client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        event_hooks={"request": [_drop_missing_key]},
        mounts=direct_mounts(),
        follow_redirects=True,
    )


async def _drop_missing_key(request: httpx2.Request) -> None:
    if request.headers.get("Authorization") == f"Bearer {NO_KEY}":
        del request.headers["Authorization"]
