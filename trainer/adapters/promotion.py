"""Makes an adapter the one in use, or goes back to what was.

Every change is one atomic write under a lock that only one process gets. Who decided by a registry
that has changed since then is told so, and nothing is done.
"""

from dataclasses import dataclass
from datetime import datetime

from polaris_search.errors import PolarisError, UsageError
from trainer.adapters.gate_file import why_not
from trainer.adapters.history import Change, current_of, trail_of, write_history
from trainer.adapters.layout import checked_adapter, weights_hash
from trainer.adapters.registry import Registry


class NotPromoted(PolarisError):
    """An adapter is not to be used; the sentence says why. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody decided, having seen so many changes; without the gate's consent, why."""

    seen: int
    force: str | None = None


def decision(
    registry: Registry, force: str | None = None, *, since: datetime | None = None
) -> Decision:
    """Return a decision on what the registry said at `since`, by default now.

    Two commands that are started at once have seen the same, also if one is faster.

    Raises:
        UsageError: the reason says nothing.
    """
    if force is not None and not force.strip():
        raise UsageError(
            "--force needs a reason, which the history keeps. Say why this adapter may be used "
            'without the gate: --force "I have read 50 of its texts".'
        )
    history = registry.history()
    return Decision(sum(1 for one in history if since is None or one.at <= since), force)


def promote(registry: Registry, name: str, decision: Decision) -> Change:
    """Make the adapter the one in use and return the change.

    Raises:
        AdapterUnknown: there is none of this name.
        AdapterInvalid: its folder holds no sound adapter.
        AlreadyHeld: another process is changing the registry.
        NotPromoted: the gate does not let it, or another one was promoted meanwhile.
    """
    with registry.changing(f"promoting {name}"):
        return commit(registry, require_promotable(registry, name, decision))


def rollback(registry: Registry, name: str | None, decision: Decision) -> Change:
    """Make what was in use before the one in use again, or `name`, if that was; return the change.

    Raises:
        AdapterInvalid: its folder holds no sound adapter.
        AlreadyHeld: another process is changing the registry.
        NotPromoted: there is nothing to go back to, or another one was promoted meanwhile.
    """
    with registry.changing("rolling back"):
        return commit(registry, require_way_back(registry, name, decision))


def require_promotable(registry: Registry, name: str, decision: Decision) -> Change:
    """Return the change that promotes the adapter, not yet made; hold the registry meanwhile.

    Raises:
        AdapterUnknown: there is none of this name.
        AdapterInvalid: its folder holds no sound adapter.
        NotPromoted: it may not be, and why.
    """
    entry, history = registry.entry(name), registry.history()
    current = current_of(history)
    _require_unchanged(history, decision)
    if name == current:
        raise NotPromoted(f"{name!r} is in use already. Nothing is to be done.")
    refusal = why_not(entry.gate, name, current)
    if refusal and decision.force is None:
        raise NotPromoted(f"{refusal} To use it anyway, say why: --force REASON.")
    weights = _sound_weights(registry, name, history)
    reasons = entry.gate.reasons if entry.gate else ()
    return Change(
        at=registry.clock(),
        adapter=name,
        was=current,
        how="promoted",
        why=" ".join(reasons) if decision.force is None else decision.force,
        forced=decision.force is not None,
        weights=weights,
    )


def require_way_back(registry: Registry, name: str | None, decision: Decision) -> Change:
    """Return the change that goes back, not yet made; hold the registry meanwhile.

    Raises:
        AdapterInvalid: the folder of what it leads to holds no sound adapter.
        NotPromoted: there is no such way back.
    """
    history = registry.history()
    _require_unchanged(history, decision)
    current, trail = current_of(history), trail_of(history)
    if current is None and name is None:
        raise NotPromoted("No adapter is in use: there is nothing to go back from.")
    if name == current:
        raise NotPromoted(f"{name!r} is in use already. Nothing is to be done.")
    target = trail[-2] if name is None else registry.require(name)
    if name is not None and all(change.adapter != name for change in history):
        raise NotPromoted(
            f"{name!r} was never in use. `polaris-admin adapters promote {name}` is the way."
        )
    weights = None if target is None else _sound_weights(registry, target, history)
    why = decision.force or "rolled back by hand"
    return Change(
        at=registry.clock(),
        adapter=target,
        was=current,
        how="rolled back",
        why=why,
        weights=weights,
    )


def commit(registry: Registry, change: Change) -> Change:
    """Make the change, in one atomic write, and return it."""
    write_history(registry.root, (*registry.history(), change))
    return change


def _sound_weights(registry: Registry, name: str, history: tuple[Change, ...]) -> str:
    """Return the hash of the adapter's weights, each number looked at.

    Raises:
        AdapterUnknown: its folder is gone.
        NotPromoted: they are not those that were in use under this name before.
    """
    folder = registry.root / registry.require(name)
    checked_adapter(folder)
    found = weights_hash(folder)
    for change in history:
        if change.adapter == name and change.weights not in (None, found):
            raise NotPromoted(
                f"The weights of {name!r} are not those that were in use on "
                f"{change.at:%Y-%m-%d %H:%M} UTC, and servers may hold prompts as those read "
                "them. Add the folder under a new name: polaris-admin adapters add DIR --name NAME."
            )
    return found


def _require_unchanged(history: tuple[Change, ...], decision: Decision) -> None:
    if len(history) != decision.seen:
        last = history[-1]
        raise NotPromoted(
            f"Meanwhile another process made {last.adapter or 'the base model'!r} the one in use. "
            "Look at it (polaris-admin adapters list), then run the command again."
        )
