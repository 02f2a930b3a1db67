"""A chat model that is listened to: the replies to one table, before anything was made of them."""

from collections.abc import Sequence

from polaris_search.llm.model import ChatMessage, ChatModel, ChatReply, ChatRequest, Usage


class HeardModel:
    """A ChatModel that asks another, and keeps what it was asked last and all that it replied.

    It belongs to one table; opening, closing and what prompts begin with are its owner's business.
    """

    def __init__(self, chat_model: ChatModel) -> None:
        self._chat_model = chat_model
        self.prompt = ""
        self.replies: list[ChatReply] = []

    @property
    def model(self) -> str:
        """The other's."""
        return self._chat_model.model

    @property
    def adapter(self) -> str | None:
        """The other's."""
        return self._chat_model.adapter

    @property
    def context_tokens(self) -> int | None:
        """The other's."""
        return self._chat_model.context_tokens

    async def begin_with(self, messages: Sequence[ChatMessage]) -> None:
        """Do nothing: it was said before the first table."""

    async def chat(self, request: ChatRequest) -> ChatReply:
        """Return the other's reply; see ChatModel.chat."""
        self.prompt = request.messages[-1].content
        reply = await self._chat_model.chat(request)
        self.replies.append(reply)
        return reply

    def usage(self) -> Usage:
        """Return the other's."""
        return self._chat_model.usage()

    async def close(self) -> None:
        """Do nothing: the other is still asked about other tables."""
