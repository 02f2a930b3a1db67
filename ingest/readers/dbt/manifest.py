"""Reads dbt's manifest.json: its models, seeds, snapshots and sources become tables.

The table_id is dbt's unique_id, the name that of the relation in the warehouse. Descriptions, those
of columns, tags and meta become context. Where a catalog.json lies beside it (`dbt docs generate`),
the columns, their order and their types are the warehouse's. Ephemeral models and what is disabled
are no tables and are passed over, like tests, macros and all else. Held is one node at a time.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from ingest.readers.comments import column_comments, filled
from ingest.readers.dbt.catalog import CATALOG, Catalog, read_catalog
from ingest.readers.dbt.columns import columns_of_node
from ingest.readers.json_documents.member import JsonBroken, Member
from ingest.readers.json_documents.stream import members_at
from ingest.readers.json_documents.values import (
    first_text,
    joined,
    list_of,
    object_of,
    readable_text,
)
from ingest.readers.row import Notice, ReadItem, ReadOrNotice, placed_items
from ingest.rejected import Rejected
from polaris_search.records import RawTable

KNOWN_VERSIONS = range(10, 13)  # dbt 1.6 to 1.11
TABLE_KINDS = ("model", "seed", "snapshot", "source")

_VERSION = re.compile(rb"/v(\d{1,9})\.json")


def read_dbt(path: Path) -> Iterator[ReadOrNotice]:
    """Yield the tables of a manifest: those of its nodes, then those of its sources."""
    source = str(path)
    try:
        yield from _version_notice(path, source)
        with ExitStack() as opened:
            catalog, problem = read_catalog(path.with_name(CATALOG), opened)
            if problem:
                yield Notice(source, problem)
            yield from _tables(path, source, catalog)
    except JsonBroken as error:
        yield Rejected(source, error.line, error.problem, error.remedy)


def _version_notice(path: Path, source: str) -> Iterator[Notice]:
    stated = [m.text for m in members_at(path, ("metadata",)) if m.key == "dbt_schema_version"]
    version = _VERSION.search(stated[0]) if stated else None
    if version is None or int(version[1]) not in KNOWN_VERSIONS:
        shown = f"version {int(version[1])}" if version else "of no stated version"
        first, last = KNOWN_VERSIONS[0], KNOWN_VERSIONS[-1]
        text = f"The manifest is {shown}; it was read as one of versions {first} to {last}."
        yield Notice(source, text)


def _tables(path: Path, source: str, catalog: Catalog) -> Iterator[ReadItem]:
    n_nodes = 0
    for section in ("nodes", "sources"):
        for member in members_at(path, (section,)):
            n_nodes += 1
            if member.key.partition(".")[0] in TABLE_KINDS:
                yield from placed_items(
                    partial(_table_of, member, catalog),
                    source,
                    member.key,
                    member.key,
                    member.line,
                    member.excerpt,
                )
    if not n_nodes and "nodes" not in (member.key for member in members_at(path, ())):
        remedy = "Name the manifest.json that dbt writes into its target folder."
        yield Rejected(source, None, "It has no nodes, so it is no dbt manifest", remedy)


def _table_of(member: Member, catalog: Catalog) -> RawTable | None:
    node = object_of(member.value("The node"), "The node")
    config = object_of(node.get("config"), "config")
    is_there = config.get("enabled") is not False and config.get("materialized") != "ephemeral"
    return _table(member.key, node, config, catalog.table(member.key)) if is_there else None


def _table(
    unique_id: str,
    node: Mapping[str, object],
    config: Mapping[str, object],
    in_warehouse: Mapping[str, object],
) -> RawTable:
    columns = columns_of_node(node.get("columns"), in_warehouse.get("columns"))
    name = first_text(node, "alias", "identifier", "name") or unique_id.rpartition(".")[2]
    return RawTable(
        table_id=unique_id,
        name=name,
        columns=columns,
        context=filled(
            {
                "description": first_text(node, "description") or _comment(in_warehouse),
                "column_comments": column_comments(columns),
                "tags": joined(_tags(node, config), "tags"),
                "meta": _meta(node, config),
                "model": _other_name(node, name),
                "source_name": first_text(node, "source_name"),
                "source_description": first_text(node, "source_description"),
            }
        ),
        database=first_text(node, "database") or None,
        schema=first_text(node, "schema") or None,
        format="dbt",
    )


def _tags(node: Mapping[str, object], config: Mapping[str, object]) -> list[object]:
    return list_of(node.get("tags"), "tags") + list_of(config.get("tags"), "config.tags")


def _meta(node: Mapping[str, object], config: Mapping[str, object]) -> str:
    """Return the meta of node, source and configuration as text; one key counts once."""
    merged: dict[str, object] = {}
    for place, owner in (("source_meta", node), ("meta", config), ("meta", node)):
        merged |= object_of(owner.get(place), place)
    texts = {key: readable_text(value, f"meta.{key}") for key, value in merged.items()}
    return "; ".join(f"{key}: {text}" for key, text in texts.items() if text)


def _comment(in_warehouse: Mapping[str, object]) -> str:
    return first_text(object_of(in_warehouse.get("metadata"), "catalog metadata"), "comment")


def _other_name(node: Mapping[str, object], name: str) -> str:
    """Return the name that dbt uses, where the relation has another one."""
    own = first_text(node, "name")
    return own if own != name else ""
