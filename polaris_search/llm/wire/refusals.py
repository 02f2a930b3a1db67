"""What an HTTP status and body of a chat server mean, as an error in words. Pure.

The rule: what waiting can mend is ChatTroubled, what only another request can mend is ChatRefused.
"""

import json
import re
from collections.abc import Mapping

from polaris_search.llm.failures import (
    ChatFailed,
    ChatRefused,
    ChatTroubled,
    PromptTooLong,
    Trouble,
)
from polaris_search.llm.wire.access import Access

MAX_QUOTED_CHARS = 200
BUSY = frozenset({429, 529})
UNAVAILABLE = frozenset({503})
# 424 is how TGI says that generating failed; the rest are the server's own troubles.
PASSING = frozenset({408, 424, 425, 500, 502, 504, 520, 522, 524})
DENIED = frozenset({401, 403})

# llama.cpp, vLLM and OpenAI, TGI, in this order.
_TOO_LONG = re.compile(
    r"exceed_context_size|context (?:length|size|window)|max_new_tokens|`?inputs`? tokens", re.I
)


_RANK = re.compile(r"LoRA rank (\d{1,6}) is greater than max_lora_rank", re.I)
LORA_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
"""What vLLM's --max-lora-rank can be."""


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
    if remedy := rank_remedy(body):
        # 404 meets every request alike, as this does, whatever status it comes with.
        return ChatRefused(404, f"{url} refuses the adapter (HTTP {status}): {said} {remedy}")
    if status in BUSY:
        return ChatTroubled("overloaded", f"{url} is busy (HTTP {status}): {said}", retry_after_s)
    if status in PASSING or status in UNAVAILABLE:
        trouble: Trouble = "unavailable" if status in UNAVAILABLE else "server_error"
        return ChatTroubled(trouble, f"{url} failed (HTTP {status}): {said}", retry_after_s)
    return _refusal(status, body, url, said)


def _refusal(status: int, body: str, url: str, said: str) -> ChatRefused:
    if status < 400:
        return ChatRefused(
            status,
            f"{url} redirects to another address (HTTP {status}), which is not followed: a prompt "
            "goes only where it was sent. Set POLARIS_LLM_URL to the address that answers.",
        )
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


def rank_remedy(body: str) -> str | None:
    """Return what to do where a server was started for adapters of a lower rank; else None."""
    found = _RANK.search(body)
    if found is None:
        return None
    rank = int(found[1])
    needed = next((one for one in LORA_RANKS if one >= rank), rank)
    return f"Start vLLM with --max-lora-rank {needed}."


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
