"""What a chat server's completion says, as our own values: its replies, and what they took. Pure.

The document is the client library's; what is not as its types expect raises one of that library's
own errors, which the caller calls garbage.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from huggingface_hub import ChatCompletionOutput, ChatCompletionOutputComplete

from polaris_search.llm.failures import ChatTroubled
from polaris_search.llm.identity import plain_name
from polaris_search.llm.model import ChatReply, ChatRequest
from polaris_search.llm.wire.access import Access
from polaris_search.llm.wire.kinds import Kind
from polaris_search.llm.wire.refusals import quoted, said_error

MAX_TOKENS_COUNTED = 10_000_000
"""No request takes more; a server that says so counts wrongly."""


def reply_of(
    output: ChatCompletionOutput, request: ChatRequest, *, kind: Kind, asked_as: str, access: Access
) -> ChatReply:
    """Return the first reply of the completion, which holds the others.

    Args:
        output: the completion.
        request: what was asked.
        kind: what answered.
        asked_as: the model's name where the completion has none.
        access: the server, for messages.

    Raises:
        ChatTroubled: it is an error.
    """
    if not output.choices and (said := said_error(output)):
        raise ChatTroubled(
            "server_error", f"{access.shown} answered with an error: {quoted(said, access)}"
        )
    # A server that gives more than were wanted counts them; they are looked at no further.
    choices = output.choices[: request.n_replies]
    if len(choices) > 1:
        choices.sort(key=lambda choice: choice.index)
    texts = [_text(choice) for choice in choices]
    written = _shares(_count(output, "completion_tokens"), texts, counts_first=kind.counts_first)
    replies = [
        ChatReply(
            text=text,
            finish_reason="length" if choice.finish_reason == "length" else "stop",
            prompt_tokens=0,
            completion_tokens=tokens,
            model=plain_name(output.model) if isinstance(output.model, str) else asked_as,
            seed=_seed(request, place, kind),
        )
        for place, (choice, text, tokens) in enumerate(zip(choices, texts, written, strict=True))
    ]
    return replace(
        replies[0],
        prompt_tokens=_count(output, "prompt_tokens"),
        cached_prompt_tokens=_cached(output),
        others=tuple(replies[1:]),
    )


def _text(choice: ChatCompletionOutputComplete) -> str:
    text = choice.message.content
    if text is not None and not isinstance(text, str):
        raise TypeError("its content is not text")
    return text or ""


def _shares(told: int, texts: Sequence[str], *, counts_first: bool) -> list[int]:
    """Return the tokens of each text: the server says only those of the first, or of all."""
    if len(texts) < 2:
        return [told] * len(texts)
    lengths = [max(len(text), 1) for text in texts]
    a_char = told / (lengths[0] if counts_first else sum(lengths))
    shares = [round(a_char * length) for length in lengths]
    if not counts_first:
        shares[0] += told - sum(shares)
    return shares


def _seed(request: ChatRequest, place: int, kind: Kind) -> int | None:
    if request.n_replies == 1:
        return request.seed
    return request.seed + place if kind.counts_seeds_up else None


def _cached(output: ChatCompletionOutput) -> int | None:
    """Return how much of the prompt the server had read before: OpenAI's word, or llama.cpp's."""
    details = _entry(output.usage, "prompt_tokens_details")
    for value in (_entry(details, "cached_tokens"), _entry(output.get("timings"), "cache_n")):
        if _is_count(value):
            return int(value)
    return None


def _entry(document: Any, name: str) -> Any:
    # What the client's types do not know stays a plain dict in them.
    return document.get(name) if isinstance(document, dict) else None


def _count(output: ChatCompletionOutput, name: str) -> int:
    # A server may leave usage out; the client then has no such object.
    value = getattr(output.usage, name, 0) if output.usage is not None else 0
    return value if _is_count(value) else 0


def _is_count(value: Any) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number and 0 <= value <= MAX_TOKENS_COUNTED
