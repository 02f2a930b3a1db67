"""A chat model that is not to be asked: for estimates, which need to know only who would answer."""

from collections.abc import Sequence

from polaris_search.addresses import addresses_of
from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.identity import Identity, identify
from polaris_search.llm.model import ChatMessage, ChatModel, ChatReply, ChatRequest, Usage
from polaris_search.llm.opening import SLOT_TOKENS, open_chat_model
from polaris_search.llm.promoted import with_chosen_adapter
from polaris_search.settings import Settings


class UnaskedChatModel:
    """A ChatModel that refuses every request."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    @property
    def model(self) -> str:
        """The model that would write."""
        return self._identity.model

    @property
    def adapter(self) -> str | None:
        """The adapter that would be on it."""
        return self._identity.adapter

    @property
    def context_tokens(self) -> int | None:
        """As the server says."""
        return self._identity.context_tokens

    async def begin_with(self, messages: Sequence[ChatMessage]) -> None:
        """Do nothing."""

    async def chat(self, request: ChatRequest) -> ChatReply:
        """Raise ServiceUnreachable."""
        raise ServiceUnreachable("No model is asked in a dry run. Run the command without it.")

    def usage(self) -> Usage:
        """Return that nothing was asked."""
        return Usage()

    async def close(self) -> None:
        """Do nothing."""


def unasked_chat_model(
    settings: Settings, *, slot_tokens: int = SLOT_TOKENS
) -> tuple[ChatModel | None, ServiceUnreachable | None]:
    """Return what stands for the model of the settings, None where none is set; no text is asked.

    The first server that answers says which model that is; where none does, the model is the one
    that the settings name, and the second value says why its server cannot be had.

    Raises:
        UsageError: a part of the local model is missing, or a server serves no such model.
    """
    if settings.llm_kind == "local":
        return open_chat_model(settings, slot_tokens=slot_tokens), None
    settings = with_chosen_adapter(settings)
    away: ServiceUnreachable | None = None
    for url in addresses_of(settings.llm_url or ""):
        try:
            identity = identify(url, settings.llm_kind, settings.llm_model, settings.llm_api_key)
        except ServiceUnreachable as error:
            away = error
        else:
            return UnaskedChatModel(identity), None
    if away is None:
        return None, None
    name = settings.llm_model or "unknown"
    return UnaskedChatModel(Identity(name, None, name)), away
