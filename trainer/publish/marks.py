"""How a model writes, as marks that tell it from another: greedy replies to fixed prompts.

Two are apart where the words differ, or where the same words are more likely by far more than the
model itself differs from one time to the next. A server that repeats nothing tells nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

from polaris_search.errors import PolarisError
from polaris_search.llm.canary import PROMPTS
from polaris_search.llm.wire.greedy import Greedy

TOKENS = 24
"""A few words tell, where their likelihoods are told; where not, adapters of any effect differ."""
FLOOR = 1e-3
"""Logarithms of likelihoods that are closer are taken for the same: batching alone moves them."""
TIMES_THE_NOISE = 10.0

Asking = Callable[[str, int], Greedy]
"""Asks one prompt for at most so many tokens."""


class CanaryFailed(PolarisError):
    """What answers is not the adapter that was asked for, or that cannot be found out."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The replies to the canary's prompts, in order."""

    replies: tuple[Greedy, ...]


def marks_of(ask: Asking) -> Marks:
    """Return how the model that `ask` asks writes."""
    return Marks(tuple(ask(prompt, TOKENS) for prompt in PROMPTS))


def quick_marks(ask: Asking) -> Marks:
    """Return the same for the first prompt alone: enough to see that something has changed."""
    return Marks((ask(PROMPTS[0], TOKENS),))


def require_adapter(
    name: str, adapter: Marks, base: tuple[Marks, Marks], old: Marks | None
) -> None:
    """Check that the adapter writes otherwise than the base model, and than the one before it.

    Args:
        name: the adapter's.
        adapter: what it was asked for wrote.
        base: what the base model wrote, twice.
        old: what the adapter wrote that it replaces; None where there is none to ask.

    Raises:
        CanaryFailed: it does not.
    """
    noises = noise_of(*base)
    if all(noise is None for noise in noises):
        raise CanaryFailed(
            f"Whether {name!r} writes cannot be found out: the base model answers the same prompts "
            "differently each time, also where it is to choose the likeliest words."
        )
    if not are_apart(adapter, base[0], noises):
        raise CanaryFailed(
            f"Asked for {name!r}, the server answers {len(noises)} fixed prompts as its base model "
            "does: it knows no such adapter, or one that changes nothing."
        )
    if old is not None and not are_apart(adapter, old, noises):
        raise CanaryFailed(
            f"Asked for {name!r}, the server answers {len(noises)} fixed prompts as the adapter "
            "before it does: it has the old one under the new name, or both are the same."
        )


def noise_of(once: Marks, again: Marks) -> list[float | None]:
    """Return by how much each reply's likelihoods moved; None where the words did."""
    pairs = zip(once.replies, again.replies, strict=True)
    return [_distance(one, two) if one.text == two.text else None for one, two in pairs]


def are_apart(one: Marks, other: Marks, noises: list[float | None]) -> bool:
    """Return whether the two are marks of different models."""
    return any(
        noise is not None and (a.text != b.text or _distance(a, b) > _limit(noise))
        for a, b, noise in zip(one.replies, other.replies, noises, strict=True)
    )


def _limit(noise: float) -> float:
    return max(FLOOR, TIMES_THE_NOISE * noise)


def _distance(one: Greedy, two: Greedy) -> float:
    pairs = zip(one.logprobs or (), two.logprobs or (), strict=False)
    return max((abs(a - b) for a, b in pairs), default=0.0)
