"""The JSON that both stores are built from: index mappings with analyzers, query profiles.

And what Elasticsearch alone is given: the ingest pipeline for other programs, where it puts what it
cannot take, and the roles of those who use the tables.
"""

import copy
import json
import os
from collections.abc import Iterator
from functools import cache
from typing import Any

# Beside this file in wheels and editable installs alike; importlib.resources costs 15 ms of every
# start.
_FOLDER = os.path.dirname(__file__)


@cache
def tables() -> dict[str, Any]:
    """Return settings and mappings of the table index; callers must not change it."""
    return _read("tables.json")


@cache
def scratch_tables() -> dict[str, Any]:
    """Return the same with the sub-fields that only comparisons read; callers must not change it.

    Scratch generations are made of it. The live index is not: a sub-field more would ask everybody
    for a reindex.
    """
    document = copy.deepcopy(tables())
    for field, sub_fields in comparisons()["fields"].items():
        document["mappings"]["properties"][field].setdefault("fields", {}).update(sub_fields)
    return document


def comparisons() -> dict[str, Any]:
    """Return the `fields` that only scratch generations have, and the `profiles` that read them."""
    return _read("comparisons.json")


def ingest_pipeline() -> dict[str, Any]:
    """Return the pipeline for what other programs send to the alias `polaris-tables`."""
    return _read("ingest_pipeline.json")


def dead_letters() -> dict[str, Any]:
    """Return settings and mappings of the index for what the ingest pipeline could not take."""
    return _read("dead_letters.json")


def roles() -> dict[str, Any]:
    """Return the Elasticsearch roles by name, with the privileges on `polaris-tables*`."""
    return _read("roles.json")


def profiles() -> Iterator[dict[str, Any]]:
    """Yield each shipped query profile as its JSON object, in name order."""
    for name in sorted(os.listdir(os.path.join(_FOLDER, "profiles"))):
        if name.endswith(".json"):
            yield _read(os.path.join("profiles", name))


def _read(name: str) -> dict[str, Any]:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    return document
