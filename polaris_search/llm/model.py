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
    to servers that know it. `max_tokens` bounds the reply, not the prompt.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    temperature: float = 0.5
    top_p: float = 0.9
    top_k: int = 50
    seed: int = 42


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the model wrote. `finish_reason` is "length" where max_tokens cut the text.

    `model` is the name the server answers under; the token counts are the server's, 0 where it
    does not say.
    """

    text: str
    finish_reason: FinishReason
    prompt_tokens: int
    completion_tokens: int
    model: str


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

    async def close(self) -> None:
        """Let go of connections and servers; the last call, in the same event loop."""
