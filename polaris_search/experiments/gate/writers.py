"""The models of both sides, opened as an ingest would open them: an adapter's, or the base's."""

from dataclasses import replace
from pathlib import Path

from ingest.describe.describer import DescribeSettings
from ingest.describe.opening import slot_tokens
from polaris_search.errors import UsageError
from polaris_search.evaluate.gate.verdict import BASE
from polaris_search.experiments.gate.side_texts import Writer
from polaris_search.llm.adapters import listed_models
from polaris_search.llm.model import ChatModel
from polaris_search.llm.opening import open_chat_model
from polaris_search.llm.promoted import NONE
from polaris_search.records import content_hash
from polaris_search.settings import Settings
from trainer.adapters.layout import CONFIG_FILE, weights_hash
from trainer.adapters.registry import Registry
from trainer.publish.conversion import converted
from trainer.publish.target import Publication
from trainer.publish.vllm import VllmServers


def opened_writer(
    name: str, settings: Settings, registry: Registry, lengths: DescribeSettings
) -> Writer:
    """Return the side of this name, its model opened; close that in the event loop that asks it.

    A local model is started with the adapter's file for llama.cpp, which is made here. vLLM loads
    the adapter from the registry if it does not list it yet. Other servers have to serve it
    already, under its name.

    Args:
        name: an adapter of the registry, or BASE.
        settings: name the server, or the local model.
        registry: holds the adapters.
        lengths: of descriptions, which a local model is given room for.

    Raises:
        AdapterUnknown: the registry has no such adapter.
        UsageError: no model is set, or the server serves no such adapter, or no bare base.
        ServiceUnreachable: the server does not answer.
        PolarisError: the adapter cannot be converted for the local model, or vLLM does not take it.
    """
    adapter = None if name == BASE else registry.require(name)
    if adapter:
        _have_served(adapter, settings, registry)
    chat_model = open_chat_model(
        _settings_for(adapter, settings, registry), slot_tokens=slot_tokens(lengths)
    )
    if chat_model is None:
        raise UsageError(
            "A gate asks models. Set POLARIS_LLM_URL to a chat server, or POLARIS_LLM_KIND=local."
        )
    _require_served(adapter, chat_model)
    return Writer(name, chat_model, fingerprint(registry.root / adapter) if adapter else "")


def fingerprint(folder: Path) -> str:
    """Return a hash of the adapter's weights and settings, for these scale what weights do."""
    config = (folder / CONFIG_FILE).read_text(encoding="utf-8")
    return content_hash(weights_hash(folder), config)


def _settings_for(adapter: str | None, settings: Settings, registry: Registry) -> Settings:
    if adapter is not None:
        return replace(settings, adapter=adapter, llm_model=adapter)
    # A model that is named is the base's, unless it is an adapter that we know.
    adapters = {entry.name for entry in registry.entries()}
    named = None if settings.llm_model in adapters else settings.llm_model
    return replace(settings, adapter=NONE, llm_model=named)


def _have_served(adapter: str, settings: Settings, registry: Registry) -> None:
    """Have a local model and vLLM serve the adapter; others have to already.

    Raises:
        PolarisError: it cannot be converted, or a server does not take it.
    """
    publication = Publication(settings, adapter, registry.root / adapter, old=None)
    if settings.llm_kind == "local":
        converted(publication)
    elif settings.llm_kind == "vllm" and not _is_listed(publication):
        VllmServers(publication).put()


def _is_listed(publication: Publication) -> bool:
    key = publication.settings.llm_api_key
    return all(publication.name in listed_models(url, key) for url in publication.urls)


def _require_served(adapter: str | None, chat_model: ChatModel) -> None:
    """Check that the model is under the adapter, or bare.

    Raises:
        UsageError: it is not.
    """
    if adapter is None and chat_model.adapter is not None:
        raise UsageError(
            f"The base is served with the adapter {chat_model.adapter!r} on. Name the base model "
            "in POLARIS_LLM_MODEL, or start the server without adapters in force."
        )
    if adapter is not None and adapter not in (chat_model.adapter, chat_model.model):
        raise UsageError(
            f"The server answers as {chat_model.model!r}, adapter {chat_model.adapter!r}, and not "
            f"as {adapter!r}. `polaris-admin adapters publish --help` says how to load it."
        )
