"""What a chat model is asked and what it answers, and the promise every chat model keeps.

Values in, values out: servers, retries and processes are the business of the models themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a chat model. The decoding defaults are the paper's (appendix A.2).

    `schema` is a JSON schema that the reply has to obey, None for free text. `top_k` is sent only
    to servers that know it. `max_tokens` bounds the reply, not the prompt. `n_replies` are wanted
    of the one prompt; a server that knows no such wish gives one.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    temperature: float = 0.5
    top_p: float = 0.9
    top_k: int = 50
    seed: int = 42
    n_replies: int = 1


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the model wrote. `finish_reason` is "length" where max_tokens cut the text.

    `model` is the name the server answers under; the token counts are the server's, 0 where it
    does not say. `cached_prompt_tokens` are those of the prompt that it had read before, None where
    it does not say.

    Of several replies to one request the first holds the `others`. The prompt is counted in it
    alone, for it was read once; which share of the completion is whose is by the texts' lengths.
    `seed` is the one that the reply alone would be asked for with, None where nobody knows.
    """

    text: str
    finish_reason: FinishReason
    prompt_tokens: int
    completion_tokens: int
    model: str
    cached_prompt_tokens: int | None = None
    seed: int | None = None
    others: tuple["ChatReply", ...] = ()

    @property
    def all_replies(self) -> tuple["ChatReply", ...]:
        """This one and the others, in the server's order."""
        return (self, *self.others)

    @property
    def written_tokens(self) -> int:
        """The completion tokens of all replies to the request."""
        return sum(reply.completion_tokens for reply in self.all_replies)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a chat model was asked so far, and what that took.

    Attributes:
        requests: those that ended, answered or not.
        failed: of these, those without a reply.
        retries: attempts beyond each request's first.
        refused: attempts that a busy server turned away (HTTP 429 or 503).
        prompt_tokens: of all replies, as the server counts them.
        cached_prompt_tokens: of these, those that the server had read before; None where no reply
            said so.
        completion_tokens: of all replies.
        latency_p50_s: seconds that half of the replies took at most, retries and waits not
            counted; None where there was none.
        latency_p95_s: the same of 95 in 100 replies.
        most_at_a_time: the most requests that were under way at the same time.
        busy_s: seconds in which at least one request was under way.
    """

    requests: int = 0
    failed: int = 0
    retries: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    cached_prompt_tokens: int | None = None
    completion_tokens: int = 0
    latency_p50_s: float | None = None
    latency_p95_s: float | None = None
    most_at_a_time: int = 0
    busy_s: float = 0.0


class ChatModel(Protocol):
    """A model that answers chat requests, several at a time, all in one event loop."""

    @property
    def model(self) -> str:
        """The model that writes, under a name that stays the same from run to run."""

    @property
    def adapter(self) -> str | None:
        """The adapter on the model, None for the model alone."""

    @property
    def context_tokens(self) -> int | None:
        """Most tokens that one prompt and its reply have together; None where it is not known."""

    async def begin_with(self, messages: Sequence[ChatMessage]) -> None:
        """Be told what the coming requests begin with, so that it need be read only once.

        Changes no reply; a model for which it buys nothing does nothing.
        """

    async def chat(self, request: ChatRequest) -> ChatReply:
        """Return the model's reply.

        Raises:
            ChatFailed: the model refuses this request, or keeps failing at it.
            ServiceUnreachable: the server does not answer, or is no longer asked.
        """

    def usage(self) -> Usage:
        """Return what was asked so far and what it took; also after `close`."""

    async def close(self) -> None:
        """Let go of connections and servers; the last call, in the same event loop."""
