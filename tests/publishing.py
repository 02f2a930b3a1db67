"""A registry with judged adapters, and publishing one of them, as the command does it."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from peft_folder import peft_folder

from polaris_search.settings import read_settings
from trainer.adapters.promotion import decision
from trainer.adapters.registry import Registry
from trainer.publish.publish import Published, publish
from trainer.publish.target import Publication, Waiting

GATE = json.dumps({"verdict": "promote", "reasons": ["Nothing fell."]}).encode()


def judged(registry: Registry, *names: str, **how: object) -> Registry:
    """Have adapters of these names in the registry, each with noise of its own, and judged."""
    for name in names:
        seed = sum(name.encode())
        peft_folder(registry.root / name, **{"seed": seed, "name": name, **how})
        registry.write_gate(name, GATE)
    return registry


def published(
    registry: Registry, name: str, kind: str, *urls: str, force: str | None = None, **more: object
) -> Published:
    """Publish the adapter to servers of this kind; see Publication for more."""
    told = {
        "POLARIS_HOME": str(registry.home),
        "POLARIS_LLM_KIND": kind,
        "POLARIS_LLM_URL": ",".join(urls),
        "POLARIS_LLM_TIMEOUT_S": "60",
    }
    current = registry.current
    publication = Publication(
        read_settings(told | more.pop("settings", {})),
        name,
        registry.root / name,
        None if current == name else current,
    )
    return publish(registry, replace(publication, **more), decision(registry, force))


class SteppedTime:
    """A clock that stands still but for what is slept; `on_sleep` happens at each sleep."""

    def __init__(self, on_sleep: Iterator[None] | None = None) -> None:
        self.now_s = 0.0
        self._on_sleep = on_sleep or iter(())

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        with suppress(StopIteration):
            next(self._on_sleep)

    def waiting(self, wait_s: float) -> Waiting:
        return Waiting(wait_s, lambda: self.now_s, self.sleep)


def marker(folder: Path) -> dict[str, str] | None:
    """Return what the mark for a restart says, None where there is none."""
    path = folder / "restart-wanted"
    return json.loads(path.read_text()) if path.exists() else None
