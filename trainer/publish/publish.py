"""Has an adapter written with: on all servers, seen to write, then in use. Or nothing changes.

The servers come first and the registry last, so that no command asks for what is not there. The
old adapter is let go of only after that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from polaris_search.errors import UsageError
from polaris_search.setting_table import LlmKind
from trainer.adapters.history import Change, current_of
from trainer.adapters.layout import checked_adapter
from trainer.adapters.promotion import Decision, commit, require_promotable, require_way_back
from trainer.adapters.registry import Registry
from trainer.publish.llamacpp import LlamacppServers
from trainer.publish.local import LocalModel
from trainer.publish.target import Publication, Target
from trainer.publish.tgi import TgiServers
from trainer.publish.vllm import VllmServers

TARGETS: Mapping[LlmKind, Callable[[Publication], Target]] = {
    "vllm": VllmServers,
    "tgi": TgiServers,
    "llamacpp": LlamacppServers,
    "local": LocalModel,
}


@dataclass(frozen=True, slots=True)
class Published:
    """What was published: the change it made (None if it was in use already), and what was seen."""

    name: str
    change: Change | None
    seen: tuple[str, ...]
    notices: tuple[str, ...]


def name_to_publish(registry: Registry, name: str | None) -> str:
    """Return the name, by default that of the adapter in use.

    Raises:
        AdapterUnknown: there is no such adapter.
        UsageError: none is in use, and none was named.
    """
    chosen = name or registry.current
    if chosen is None:
        raise UsageError(
            "No adapter is in use. Name the one to publish: polaris-admin adapters publish NAME."
        )
    return registry.require(chosen)


def publish(
    registry: Registry,
    publication: Publication,
    decision: Decision,
    target: Target | None = None,
) -> Published:
    """Have all servers serve the adapter, and make it the one in use; return what was seen.

    Args:
        registry: where it comes from, not held by anybody.
        publication: which one, and where to.
        decision: see promote.
        target: the servers; by default those of the settings.

    Raises:
        PolarisError: it may not be promoted, does not serve or does not write. What served before
            still does, and the registry is as it was.
    """
    with registry.changing(f"publishing {publication.name}"):
        change = _change(registry, publication.name, decision)
        servers = target or _target(publication)
        seen = servers.put()
        if change is not None:
            commit(registry, change)
        notices = servers.settle()
    return Published(publication.name, change, seen, (*notices, *_named_otherwise(publication)))


def _change(registry: Registry, name: str, decision: Decision) -> Change | None:
    """Return the change that is to be made once it serves; None if it is in use already."""
    history = registry.history()
    if name == current_of(history):
        checked_adapter(registry.root / registry.require(name))
        return None
    if decision.force is None and any(change.adapter == name for change in history):
        return require_way_back(registry, name, decision)  # it passed a gate before
    return require_promotable(registry, name, decision)


def _target(publication: Publication) -> Target:
    kind = publication.settings.llm_kind
    if kind not in TARGETS:
        raise UsageError(
            f"A server of kind {kind} cannot be given adapters. "
            f"Set POLARIS_LLM_KIND to what serves the model: {', '.join(TARGETS)}."
        )
    return TARGETS[kind](publication)


def _named_otherwise(publication: Publication) -> tuple[str, ...]:
    named = publication.settings.llm_model
    if named in (None, publication.name) or publication.settings.llm_kind == "local":
        return ()
    return (
        f"POLARIS_LLM_MODEL names {named!r}, which is still asked for. Unset it, so that the "
        "adapter in use writes.",
    )
