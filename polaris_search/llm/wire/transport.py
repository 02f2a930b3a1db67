"""The HTTP client under huggingface_hub: no proxy to this machine, no stray token, no detour.

By default that package obeys HF_HUB_OFFLINE for every address, 127.0.0.1 included, and sends the
Hugging Face token it finds on the machine to any server that was given no key. A chat server is
not the Hub: neither is wanted here. Nor is a redirect followed: prompts hold what is in tables,
and go only where the operator sent them.
"""

from typing import cast

import httpx2
from huggingface_hub import AsyncInferenceClient, set_async_client_factory

from polaris_search.llm.wire.access import Access

NO_KEY = "no-key"
"""Stands for "send no key": given none, huggingface_hub would look for a token of its own."""

CONNECT_TIMEOUT_S = 10.0
_THIS_MACHINE = ("127.0.0.1", "localhost", "[::1]")


def inference_client(access: Access, timeout_s: float) -> AsyncInferenceClient:
    """Return a client for a chat server.

    Args:
        access: its address (with or without /v1), and the header sent, if any.
        timeout_s: longest silence of the server; connecting has its own, shorter limit.
    """
    set_async_client_factory(_direct_client)
    limits = httpx2.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S))
    # The parameter is declared as a number and handed on to httpx2 as it is.
    return AsyncInferenceClient(
        base_url=access.url, api_key=NO_KEY, headers=access.headers, timeout=cast(float, limits)
    )


def direct_client(access: Access, timeout_s: float) -> httpx2.Client:
    """Return a client for a few requests to one server, which follows no redirect.

    Where no TLS is spoken it reads no certificates, which takes longer than most answers.
    """
    is_tls = access.url.startswith("https:")
    return httpx2.Client(mounts=direct_mounts(), timeout=timeout_s, verify=is_tls)


def direct_mounts() -> dict[str, None]:
    """Return where a client goes without the machine's proxy: to the machine itself."""
    return {f"all://{host}": None for host in _THIS_MACHINE}


def _direct_client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        event_hooks={"request": [_drop_missing_key], "response": [_refuse_redirect]},
        mounts=direct_mounts(),
        # How many there are is decided above; a limit here would be a wait that nobody sees.
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
        follow_redirects=False,
    )


async def _drop_missing_key(request: httpx2.Request) -> None:
    if request.headers.get("Authorization") == f"Bearer {NO_KEY}":
        del request.headers["Authorization"]


async def _refuse_redirect(response: httpx2.Response) -> None:
    # huggingface_hub would take it for a reply.
    if response.is_redirect:
        await response.aread()
        response.raise_for_status()
