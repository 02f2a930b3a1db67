"""How fast a model's servers were the last time, kept in a file: what an estimate goes by.

A file that cannot be read or written costs an estimate its time, and nothing else.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from polaris_search.llm.cost import Speed, speed_of
from polaris_search.llm.model import Usage

FILE = "model-speeds.json"
FEWEST_REPLIES = 20
"""Fewer say little of a speed: a server and the pace of its requests warm up first."""


def remember_speed(home: Path, model: str, usage: Usage) -> None:
    """Keep the speed that `usage` shows of the model, if it shows one."""
    speed = speed_of(usage)
    if speed is None or usage.requests - usage.failed < FEWEST_REPLIES:
        return
    speeds = _speeds(home) | {model: asdict(speed)}
    unfinished = home / f"{FILE}.{os.getpid()}"
    with suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps(speeds, indent=1), encoding="utf-8")
        unfinished.replace(home / FILE)


def remembered_speed(home: Path, model: str) -> Speed | None:
    """Return how fast the model's servers were in the last run that showed it; None for never."""
    found = _speeds(home).get(model)
    if not isinstance(found, dict):
        return None
    rates = [found.get("calls_a_s"), found.get("completion_tokens_a_s")]
    calls, tokens = (float(rate) if isinstance(rate, int | float) else 0.0 for rate in rates)
    return Speed(calls, tokens) if calls > 0 else None


def _speeds(home: Path) -> dict[str, Any]:
    try:
        document = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
