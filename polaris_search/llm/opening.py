"""The chat model that the settings name: on servers, local, or none at all.

The HTTP client is imported only when a model is opened, so that what needs none starts fast.
"""

from typing import Protocol

from polaris_search.llm.local.child_server import LocalPlan
from polaris_search.llm.local.gguf import find_gguf, require_server
from polaris_search.llm.model import ChatModel
from polaris_search.llm.promoted import local_adapter
from polaris_search.settings import Settings

LOG_FILE = "local-model.log"
SLOT_TOKENS = 2048


class Opening(Protocol):
    """Opens the chat model of the settings, as `open_chat_model` does."""

    def __call__(self, settings: Settings, *, slot_tokens: int) -> ChatModel | None:
        """Return the model, None where none is set."""


def open_chat_model(settings: Settings, *, slot_tokens: int = SLOT_TOKENS) -> ChatModel | None:
    """Return the model to ask, None where neither a server's address nor the local kind is set.

    Servers are asked what they serve, and looked over, now; the local model starts at its first
    request. Close the model in the event loop that used it.

    Args:
        settings: `llm_*`, `local_*` and `adapter` are read, and `home` for the registry of adapters
            and the local model's log.
        slot_tokens: context of each parallel request of the local model.

    Raises:
        UsageError: a part of the local model is missing, or a server serves no such model, another
            than the others, or writes without the adapter asked for.
        ServiceUnreachable: no server answers.
    """
    if settings.llm_kind == "local":
        return _local(settings, slot_tokens)
    if settings.llm_url is None:
        return None
    from polaris_search.llm.serving import served_chat_model

    return served_chat_model(settings)


def local_plan(settings: Settings, *, slot_tokens: int = SLOT_TOKENS) -> LocalPlan:
    """Return what the local model serves under these settings.

    Raises:
        UsageError: the model's file, its adapter's or llama.cpp's server is missing.
    """
    require_server()
    return LocalPlan(
        gguf=find_gguf(settings.local_model),
        log_path=settings.home / LOG_FILE,
        slots=settings.local_slots,
        slot_tokens=slot_tokens,
        threads=settings.local_threads,
        adapter=local_adapter(settings),
    )


def _local(settings: Settings, slot_tokens: int) -> ChatModel:
    plan = local_plan(settings, slot_tokens=slot_tokens)
    from polaris_search.llm.local.local_model import LocalChatModel

    return LocalChatModel(plan, timeout_s=settings.llm_timeout_s)
