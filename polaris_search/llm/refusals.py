"""What an HTTP status and body of a chat server mean, as an error in words. Pure.

The rule: what waiting can mend is ChatTroubled, what only another request can mend is ChatRefused.
"""

import json
import re
from collections.abc import Mapping

from polaris_search.llm.access import Access
from polaris_search.llm.failures import ChatFailed, ChatRefused, ChatTroubled, PromptTooLong

MAX_QUOTED_CHARS = 200
BUSY = frozenset({429})
# 424 is how TGI says that generating failed; the rest are the server's own troubles.
PASSING = frozenset({408, 424, 425, 500, 502, 503, 504, 520, 522, 524, 529})
DENIED = frozenset({401, 403})

# llama.cpp, vLLM and OpenAI, TGI, in this order.
_TOO_LONG = re.compile(
    r"exceed_context_size|context (?:length|size|window)|max_new_tokens|`?inputs`? tokens", re.I
)


def failure_of_status(
    status: int, body: str, *, access: Access, retry_after_s: float | None
) -> ChatFailed:
    """Return the error that stands for an HTTP answer of status 300 or more.

    Args:
        status: the HTTP status.
        body: the answer's text; quoted in part, unless it repeats a credential.
        access: the server, for the message.
        retry_after_s: how long the server asked to be left alone.
    """
    url, said = access.shown, quoted(body, access)
    if status < 400:
        return ChatRefused(
            status,
            f"{url} redirects to another address (HTTP {status}), which is not followed: a prompt "
            "goes only where it was sent. Set POLARIS_LLM_URL to the address that answers.",
        )
    if status in BUSY:
        return ChatTroubled("overloaded", f"{url} is busy (HTTP 429): {said}", retry_after_s)
    if status in PASSING:
        return ChatTroubled("server_error", f"{url} failed (HTTP {status}): {said}", retry_after_s)
    if status in DENIED:
        # Its body may repeat part of the key.
        return ChatRefused(
            status,
            f"{url} denies access (HTTP {status}). Check POLARIS_LLM_API_KEY and POLARIS_LLM_URL.",
        )
    if status == 404:
        return ChatRefused(
            status,
            f"{url} knows no such model or address (HTTP 404): {said} "
            "Check POLARIS_LLM_MODEL and POLARIS_LLM_URL.",
        )
    if _TOO_LONG.search(body):
        return PromptTooLong(status, f"The prompt is too long for {url} (HTTP {status}): {said}")
    return ChatRefused(
        status, f"{url} refuses the request (HTTP {status}): {said} Check POLARIS_LLM_KIND."
    )


def said_error(document: Mapping[str, object]) -> str | None:
    """Return the error that a JSON answer tells of: OpenAI's, TGI's or FastAPI's shape."""
    for name in ("error", "detail", "message"):
        error = document.get(name)
        if isinstance(error, dict):
            error = error.get("message")
        if isinstance(error, str) and error.strip():
            return error
    return None


def quoted(body: str, access: Access) -> str:
    """Return the message in an error body, in part, ended as a sentence, free of credentials."""
    text = " ".join(_message(body).split())
    if access.repeats_secret(body) or access.repeats_secret(text):
        return "its words are not shown, for they repeat a key or password."
    if len(text) > MAX_QUOTED_CHARS:
        text = text[:MAX_QUOTED_CHARS] + " ..."
    if not text:
        return "it says no more."
    return text if text.endswith((".", "!", "?")) else text + "."


def _message(body: str) -> str:
    """Return the message in an error body, else its text."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return body
    return (said_error(document) if isinstance(document, dict) else None) or body
