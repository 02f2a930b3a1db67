"""One prompt answered by the likeliest words, with how likely each was: what tells models apart.

Two adapters of two nights may write the same words; the likelihood of these words differs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.failures import ChatTroubled
from polaris_search.llm.identity import plain_name
from polaris_search.llm.wire.access import Access
from polaris_search.llm.wire.broken import broken_connection
from polaris_search.llm.wire.question import root_of
from polaris_search.llm.wire.refusals import failure_of_status
from polaris_search.llm.wire.transport import direct_client


@dataclass(frozen=True, slots=True)
class Greedy:
    """A reply. `logprobs` are its tokens', natural logarithms; None where the server tells none."""

    text: str
    model: str | None
    logprobs: tuple[float, ...] | None


def greedy(
    access: Access,
    asked_as: str,
    prompt: str,
    *,
    max_tokens: int,
    timeout_s: float,
    loras: Sequence[tuple[int, float]] = (),
) -> Greedy:
    """Return the reply to one prompt, asked once.

    Args:
        access: the server.
        asked_as: the model's or adapter's name.
        prompt: what the user says.
        max_tokens: of the reply.
        timeout_s: longest wait for it.
        loras: number and scale of each adapter of a llama.cpp server.

    Raises:
        ChatFailed: the server refuses, or answers what is no reply.
        ServiceUnreachable: it does not answer.
    """
    body: dict[str, Any] = {
        "model": asked_as,
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": max_tokens,
        "temperature": 0.0,
        "seed": 1,
        "logprobs": True,
    }
    if loras:
        body["lora"] = [{"id": number, "scale": scale} for number, scale in loras]
    address = root_of(access.url) + "/v1/chat/completions"
    try:
        with direct_client(access, timeout_s) as client:
            response = client.post(address, json=body, headers=access.headers)
    except httpx2.TransportError as error:
        raise ServiceUnreachable(
            f"{broken_connection(error, access)} Start the server, or correct POLARIS_LLM_URL."
        ) from None
    if not response.is_success:
        raise failure_of_status(
            response.status_code, response.text, access=access, retry_after_s=None
        )
    return _reply(response, access)


def _reply(response: httpx2.Response, access: Access) -> Greedy:
    try:
        document = response.json()
        choice = document["choices"][0]
        text, model = choice["message"]["content"] or "", document.get("model")
        if not isinstance(text, str):
            raise TypeError("its content is not text")
        logprobs = _logprobs(choice.get("logprobs"))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise ChatTroubled(
            "garbage",
            f"{access.shown} answered with something that is no chat reply. "
            "Check POLARIS_LLM_URL and POLARIS_LLM_KIND.",
        ) from None
    return Greedy(text, plain_name(model) if isinstance(model, str) else None, logprobs)


def _logprobs(told: Any) -> tuple[float, ...] | None:
    entries = told.get("content") if isinstance(told, dict) else None
    if not entries:
        return None
    values = tuple(float(entry["logprob"]) for entry in entries)
    return values if all(math.isfinite(value) for value in values) else None
