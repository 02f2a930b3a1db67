"""Asks a chat server about itself: one GET, its answer a JSON object, its failures in words."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.wire.access import Access
from polaris_search.llm.wire.broken import broken_connection
from polaris_search.llm.wire.refusals import DENIED, quoted
from polaris_search.llm.wire.transport import direct_client


def asked_about_itself(
    access: Access, path: str, timeout_s: float, *, is_list: bool = False
) -> Mapping[str, Any]:
    """Return the object that the server answers at `path`, below its address without /v1.

    Where the answer `is_list`, the object has it under "data", as OpenAI's lists do.

    Raises:
        ServiceUnreachable: it does not answer so.
    """
    address = root_of(access.url) + path
    try:
        with direct_client(access, timeout_s) as client:
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
    return _document(response, access, path, is_list)


def root_of(url: str) -> str:
    """Return the address without the /v1 that it may end with."""
    scheme, host, path, _, _ = urlsplit(url)
    return urlunsplit((scheme, host, path.rstrip("/").removesuffix("/v1"), "", ""))


def _document(
    response: httpx2.Response, access: Access, path: str, is_list: bool
) -> Mapping[str, Any]:
    try:
        document = response.json()
    except (ValueError, RecursionError):
        document = None
    if is_list and isinstance(document, list):
        return {"data": document}
    if not isinstance(document, dict):
        raise _silent(access, path, "It answers, but not as a chat server does.")
    return document


def _silent(access: Access, path: str, why: str) -> ServiceUnreachable:
    return ServiceUnreachable(
        f"The chat server does not say what it serves at {root_of(access.shown)}{path}. {why} "
        "Check POLARIS_LLM_URL, POLARIS_LLM_KIND and POLARIS_LLM_API_KEY."
    )
