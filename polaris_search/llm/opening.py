"""The chat model that the settings name: on a server, local, or none at all.

The HTTP client is imported only when a model is opened, so that what needs none starts fast.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from polaris_search.errors import ServiceUnreachable, UsageError
from polaris_search.llm.failures import ChatTroubled
from polaris_search.llm.gguf import find_gguf, require_server
from polaris_search.llm.local_server import LocalPlan
from polaris_search.llm.model import ChatMessage, ChatModel, ChatRequest
from polaris_search.settings import Settings

if TYPE_CHECKING:
    from polaris_search.llm.client import Patience

LOG_FILE = "local-model.log"
SLOT_TOKENS = 2048
PROBE_S = 10.0
"""Longest wait of a check for a server's reply."""
PROBE_IDENTITY_S = 5.0


def open_chat_model(settings: Settings, *, slot_tokens: int = SLOT_TOKENS) -> ChatModel | None:
    """Return the model to ask, None where neither a server's address nor the local kind is set.

    A server is asked what it serves, now; the local model starts at its first request. Close the
    model in the event loop that used it.

    Args:
        settings: `llm_*` and `local_*` are read, and `home` for the local model's log.
        slot_tokens: context of each parallel request of the local model.

    Raises:
        UsageError: a part of the local model is missing, or the server serves no such model.
        ServiceUnreachable: the server does not answer.
    """
    if settings.llm_kind == "local":
        return _local(settings, slot_tokens)
    if settings.llm_url is None:
        return None
    return _served(settings, settings.llm_url)


def local_plan(settings: Settings, *, slot_tokens: int = SLOT_TOKENS) -> LocalPlan:
    """Return what the local model serves under these settings.

    Raises:
        UsageError: the model's file or llama.cpp's server is missing.
    """
    require_server()
    return LocalPlan(
        gguf=find_gguf(settings.local_model),
        log_path=settings.home / LOG_FILE,
        slots=settings.llm_concurrency,
        slot_tokens=slot_tokens,
        threads=settings.local_threads,
    )


def _local(settings: Settings, slot_tokens: int) -> ChatModel:
    plan = local_plan(settings, slot_tokens=slot_tokens)
    from polaris_search.llm.local import LocalChatModel

    return LocalChatModel(plan, timeout_s=settings.llm_timeout_s)


def _served(
    settings: Settings, url: str, *, patience: "Patience | None" = None, identity_s: float = 10.0
) -> ChatModel:
    from polaris_search.llm.caller import Caller
    from polaris_search.llm.client import ServedChatModel
    from polaris_search.llm.identity import identify

    identity = identify(
        url,
        settings.llm_kind,
        settings.llm_model,
        settings.llm_api_key,
        timeout_s=min(identity_s, settings.llm_timeout_s),
    )
    caller = Caller(
        url,
        settings.llm_kind,
        asked_as=identity.asked_as,
        api_key=settings.llm_api_key,
        timeout_s=settings.llm_timeout_s,
    )
    return ServedChatModel(
        caller, identity, concurrency=settings.llm_concurrency, patience=patience
    )


async def check_chat_server(settings: Settings) -> str:
    """Ask the server that the settings name for one token, once; return its model's name.

    A server is waited for some 10 s, the local model until it has started.

    Raises:
        UsageError: no server is set, or it serves no such model.
        PolarisError: it does not answer as it should.
    """
    model = _probed(settings)
    try:
        await model.chat(ChatRequest((ChatMessage("user", "Say yes."),), max_tokens=1))
    except ChatTroubled as trouble:
        if trouble.trouble != "timeout":
            raise
        raise ServiceUnreachable(
            "The chat server wrote nothing while it was waited for. It may be busy, or still be "
            "loading its model: look at its log, and try again."
        ) from None
    finally:
        await model.close()
    return model.model if model.adapter is None else f"{model.model} with {model.adapter}"


def _probed(settings: Settings) -> ChatModel:
    if settings.llm_kind == "local":
        return _local(settings, SLOT_TOKENS)
    if settings.llm_url is None:
        raise UsageError("No chat server is set. Set POLARIS_LLM_URL, or POLARIS_LLM_KIND=local.")
    from polaris_search.llm.client import Patience
    from polaris_search.llm.retries import RetryPolicy

    brief = replace(settings, llm_timeout_s=min(PROBE_S, settings.llm_timeout_s))
    once = Patience(RetryPolicy(attempts=1))
    return _served(brief, settings.llm_url, patience=once, identity_s=PROBE_IDENTITY_S)
