"""What an index was made with: mapping and analyzers as one hash, the query profiles as another.

Two indices of one definition answer every query alike; of another, queries would meet terms that
they do not know. Pure.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import mappings

HASH_CHARS = 16


@cache
def definition() -> str:
    """Return the hash of this program's analyzers, similarities and mapped fields."""
    body = mappings.tables()
    settings = body["settings"]
    return _hash([settings["analysis"], settings["similarity"], body["mappings"]["properties"]])


@cache
def profiles_hash() -> str:
    """Return the hash of the query profiles that this program ships."""
    return _hash(list(mappings.profiles()))


@cache
def schema_version() -> int:
    """Return the version of the mapping that this program writes and reads."""
    version: int = mappings.tables()["mappings"]["_meta"]["schema_version"]
    return version


def differences(stored_settings: Mapping[str, Any], stored_mapping: Mapping[str, Any]) -> list[str]:
    """Return the paths at which an index as the server has it differs from this program's.

    Args:
        stored_settings: what the server gives under `settings.index`.
        stored_mapping: what it gives under `mappings`.
    """
    body = mappings.tables()
    parts = ("analysis", "similarity")
    expected = {part: _as_stored(body["settings"][part]) for part in parts}
    found = {part: _as_stored(stored_settings.get(part, {})) for part in parts}
    for name in ("properties", "dynamic"):
        expected[name] = _as_stored(body["mappings"][name])
        found[name] = _as_stored(stored_mapping.get(name, {}))
    return list(_differing(expected, found, ""))


def breaking_differences(
    stored_settings: Mapping[str, Any], stored_mapping: Mapping[str, Any]
) -> list[str]:
    """Return those of the differences that give searches other terms or scores.

    A field, an analyzer or a filter that somebody added beside this program's breaks nothing.
    """
    return [path for path in differences(stored_settings, stored_mapping) if _is_breaking(path)]


def _is_breaking(path: str) -> bool:
    body = mappings.tables()
    match path.split("."):
        case ["similarity", *_]:  # also a new one: every field without its own gets `default`
            return True
        case ["properties", name, *_]:
            return name in body["mappings"]["properties"]
        case ["analysis", kind]:
            return kind in body["settings"]["analysis"]
        case ["analysis", kind, name, *_]:
            return name in body["settings"]["analysis"].get(kind, {})
        case _:
            return False


def _differing(expected: Any, found: Any, path: str) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted(expected.keys() | found.keys()):
            inner = f"{path}.{name}" if path else name
            yield from _differing(expected.get(name), found.get(name), inner)
    elif expected != found:
        yield path


def _as_stored(value: Any) -> Any:
    """Return a value as the server gives settings back: every scalar a text."""
    if isinstance(value, Mapping):
        return {name: _as_stored(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_as_stored(inner) for inner in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:HASH_CHARS]
