"""How a chat request fails, told apart by what can be done about it.

`ChatRefused` is a fault of ours and is never asked again as it is; `ChatTroubled` is the server's
and may pass. A server that is not there at all is a ServiceUnreachable.
"""

from typing import Literal

from polaris_search.errors import PolarisError

Trouble = Literal[
    "unreachable", "timeout", "overloaded", "unavailable", "server_error", "garbage", "other_model"
]


class ChatFailed(PolarisError):
    """One chat request got no reply; others may."""


class ChatRefused(ChatFailed):
    """The server understood the request and does not serve it (HTTP `status` 4xx)."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


class PromptTooLong(ChatRefused):
    """The prompt and the room for its reply do not fit the model's context."""


class ChatTroubled(ChatFailed):
    """The server failed at the request, perhaps only now.

    `retry_after_s` is how long the server asked to be left alone, None where it did not say.
    """

    def __init__(self, trouble: Trouble, message: str, retry_after_s: float | None = None) -> None:
        self.trouble = trouble
        self.retry_after_s = retry_after_s
        super().__init__(message)
