"""The JSON that both stores are built from: index mappings with analyzers, query profiles."""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def tables() -> dict[str, Any]:
    """Return settings and mappings of the table index; callers must not change it."""
    return _read("tables.json")


def profiles() -> Iterator[dict[str, Any]]:
    """Yield each shipped query profile as its JSON object, in name order."""
    folder = files(__name__).joinpath("profiles")
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".json"):
            yield json.loads(entry.read_text(encoding="utf-8"))


def _read(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(
        files(__name__).joinpath(name).read_text(encoding="utf-8")
    )
    return document
