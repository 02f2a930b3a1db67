"""Tells the JSON formats apart by the keys in the beginning of a file.

A place is the tuple of keys that lead to an object; LIST stands for the elements of a list. JSON
lines are as many documents. What is broken is told by the keys before the break.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ingest.readers.information_schema.columns import dump_kind
from ingest.readers.json_documents.stream import COLON, TOKEN

HEAD_BYTES = 256 * 1024
MAX_DEPTH = 6
LIST = "[]"

Place = tuple[str, ...]
JsonFormat = Literal["dbt", "ckan", "information_schema", "jsonl"]

CKAN_LISTS: tuple[Place, ...] = (("result", "results"), ("results",), ("result",), ())
ROW_LISTS: tuple[Place, ...] = ((), ("rows",), ("results",), ("data",))

_BOM = b"\xef\xbb\xbf"
_MANIFEST_SECTIONS = frozenset(("nodes", "sources", "macros", "child_map", "parent_map"))
_ARTIFACT = re.compile(rb'"dbt_schema_version"\s*:\s*"[^"]*/dbt/([a-z_-]+)/')


@dataclass(frozen=True, slots=True)
class JsonShape:
    """What the head of a file shows.

    `keys` holds the keys of all objects at each place; `artifact` is dbt's own name of the file,
    such as "manifest", "" where it gives none.
    """

    keys: Mapping[Place, frozenset[str]]
    artifact: str = ""

    def at(self, *place: str) -> frozenset[str]:
        """Return the keys of the objects at a place."""
        return self.keys.get(place, frozenset())


def json_shape(path: Path) -> JsonShape | None:
    """Return the shape of a file, None of one that does not begin as JSON does."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES).removeprefix(_BOM)
    if not head.lstrip().startswith((b"{", b"[")):
        return None
    artifact = _ARTIFACT.search(head)
    return JsonShape(_keys_in(head), artifact[1].decode() if artifact else "")


def json_format(shape: JsonShape) -> JsonFormat | None:
    """Return the format that a shape is of, None for none of them."""
    sections = _MANIFEST_SECTIONS & shape.at()
    if shape.artifact == "manifest" or (not shape.artifact and len(sections) > 1):
        return "dbt"
    if shape.at() >= {"table_id", "name", "columns"}:
        return "jsonl"
    if ckan_list(shape) is not None:
        return "ckan"
    return "information_schema" if row_list(shape) is not None else None


def ckan_list(shape: JsonShape) -> Place | None:
    """Return the place of the packages of a CKAN reply, None if it is none.

    It is that of their list, and ends in LIST; or of a single package; or () for JSON lines.
    """
    if "result" in shape.at() and shape.at() & {"success", "help"}:
        if "results" in shape.at("result"):
            return "result", "results", LIST
        return ("result",) if shape.at("result") else ("result", LIST)
    for place in CKAN_LISTS:
        if _is_package(shape.at(*place, LIST)):
            return (*place, LIST)
    return () if _is_package(shape.at()) else None


def row_list(shape: JsonShape) -> Place | None:
    """Return the place of the rows of an information_schema export, None if it is none."""
    for place in ROW_LISTS:
        if dump_kind(shape.at(*place, LIST)):
            return (*place, LIST)
    return () if dump_kind(shape.at()) else None


def _is_package(keys: frozenset[str]) -> bool:
    return "resources" in keys and bool(keys & {"notes", "organization", "owner_org", "title"})


def _keys_in(head: bytes) -> Mapping[Place, frozenset[str]]:
    found: dict[Place, set[str]] = {}
    places: list[Place] = [()]
    key = ""
    for token in TOKEN.finditer(head):
        kind = token[0]
        if kind in (b"{", b"["):
            places.append(_below(places, key, kind))
            key = ""
        elif kind in (b"}", b"]"):
            places = places[:-1] or [()]
            key = ""
        elif len(places[-1]) < MAX_DEPTH:
            colon = COLON.match(head, token.end())
            if colon and colon[1]:
                key = kind[1:-1].decode("utf-8", "replace")
                found.setdefault(places[-1], set()).add(key)
    return {place: frozenset(keys) for place, keys in found.items()}


def _below(places: list[Place], key: str, bracket: bytes) -> Place:
    """Return the place of what an opening bracket opens; too deep, that of what it stands in."""
    above = places[-1]
    if len(above) >= MAX_DEPTH:
        return above
    in_list = len(places) == 1 or above[-1:] == (LIST,)
    here = above if in_list and not key else (*above, key)
    return (*here, LIST) if bracket == b"[" else here
