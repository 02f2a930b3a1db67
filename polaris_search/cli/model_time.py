"""How long a model would take for what a dry run estimates, by the speed of the last real run."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.estimate import Estimate
    from polaris_search.llm.model import ChatModel


def estimated_seconds(
    estimate: "Estimate", chat_model: "ChatModel | None", home: Path
) -> float | None:
    """Return the seconds; None where nothing would be asked or no speed was ever measured."""
    if chat_model is None or not estimate.calls:
        return None
    from polaris_search.llm.cost import cost
    from polaris_search.llm.remembered import remembered_speed

    return cost(
        estimate.calls,
        shared_prompt_tokens=estimate.shared_tokens,
        own_prompt_tokens=estimate.prompt_tokens,
        completion_tokens=estimate.completion_tokens,
        speed=remembered_speed(home, chat_model.model),
    ).seconds


def keep_speed(chat_model: "ChatModel | None", home: Path) -> None:
    """Keep the speed that a run showed, for the next estimate."""
    if chat_model is None:
        return
    from polaris_search.llm.remembered import remember_speed

    remember_speed(home, chat_model.model, chat_model.usage())


def time_text(seconds: float) -> str:
    """Return the time for people: 40 s, 12 min, 3.5 h or 2.1 days."""
    for unit, length in (("days", 86_400), ("h", 3_600)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"
