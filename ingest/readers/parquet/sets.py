"""Tells which Parquet files are parts of one table, by the names that writers give.

Spark, Hive, Dask, DuckDB, Delta, Iceberg and the Hugging Face hub write a table as a folder of
parts, often within folders named key=value. Pure, but for a look at which folders there are.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

EXTENSIONS = (".parquet", ".parq", ".pq")
SUMMARIES = ("_common_metadata", "_metadata")
"""Schemas that writers leave beside the parts."""

_KEY = re.compile(r"([^=/]+)=([^/]*)")
_PART = re.compile(
    r"part[-_.]?\d+.*"  # Spark, Dask, Polars
    r"|data_\d+|\d{6}_\d+.*"  # DuckDB, Hive
    r"|\d{5}-\d+-[0-9a-f]{8}-.*"  # Iceberg
    r"|[0-9a-f]{32}-\d+"  # pyarrow
    r"|data(_\d+){3}.*"  # Snowflake
    r"|\d{6,}"  # BigQuery
)
_SHARD = re.compile(
    r"(?P<name>.+?)"
    r"(-\d{5}-of-\d{5}.*"  # the Hugging Face hub, TensorFlow
    r"|[-_.]part[-_.]?\d+.*"
    r"|(_\d+){3}(\.\w+)?)"  # Snowflake, with a prefix
)


@dataclass(frozen=True, slots=True)
class PartitionKey:
    """A column whose values are the names of folders."""

    name: str


def table_of(path: Path) -> Path | None:
    """Return the path that stands for the table that a file is a part of, None if it is one itself.

    That is the folder which holds all parts; of shards such as train-00000-of-00009, the folder
    with their common name.
    """
    folder = _above_keys(path.parent)
    if folder != path.parent:
        return folder
    if _PART.fullmatch(path.stem) or path.name in SUMMARIES or _is_marked(folder):
        return folder.parent if _is_iceberg(folder) else folder
    shard = _SHARD.fullmatch(path.stem)
    return folder / shard["name"] if shard else None


def partition_keys(path: Path) -> tuple[PartitionKey, ...]:
    """Return the keys in the folders of a part, outermost first."""
    names = []
    for folder in path.parents:
        match = _KEY.fullmatch(folder.name)
        if not match:
            break
        names.append(PartitionKey(match[1]))
    return tuple(reversed(names))


def is_parquet_name(path: Path) -> bool:
    """Return whether a file is called as Parquet is."""
    return path.suffix.lower() in EXTENSIONS or path.name in SUMMARIES


def is_bookkeeping(path: Path) -> bool:
    """Return whether a file lies in a folder of the writer's own, such as _delta_log."""
    return path.parent.name.startswith("_")


def last_part(table: Path) -> Path | None:
    """Return the part of a table that comes last by name, which has its newest columns."""
    try:
        entries = sorted(os.scandir(table), key=lambda each: each.name, reverse=True)
    except OSError:
        return None
    for entry in entries:
        path = Path(entry.path)
        if entry.is_file() and is_parquet_name(path) and entry.name not in SUMMARIES:
            return path
        if entry.is_dir() and _KEY.fullmatch(entry.name):
            found = last_part(path)
            if found:
                return found
    return None


def _above_keys(folder: Path) -> Path:
    while _KEY.fullmatch(folder.name):
        folder = folder.parent
    return folder


def _is_marked(folder: Path) -> bool:
    marks = (*SUMMARIES, "_SUCCESS", "_delta_log")
    return any((folder / mark).exists() for mark in marks)


def _is_iceberg(folder: Path) -> bool:
    return folder.name == "data" and (folder.parent / "metadata").is_dir()
