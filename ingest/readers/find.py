"""Finds what there is to read in a source that a person names: a file, a folder or an address.

Nothing but files is opened, and for no longer than it takes to see what they are, but for databases
and portals, which must answer.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from pathlib import Path

from ingest.readers.address import is_address, is_web_address, shown_address, storable
from ingest.readers.folder import found_below
from ingest.readers.formats import (
    FORMATS,
    FOUND_IN_FOLDERS,
    Format,
    format_inside,
    format_of,
)
from ingest.readers.found import Found, FoundDatabase, FoundFile, FoundPortal, Source, unreadable
from ingest.readers.information_schema.exports import Dump, dump_beside
from ingest.readers.walk import other_than_file
from polaris_search.errors import SourceUnreadable, UsageError

DBT_PROJECT, DBT_MANIFEST = "dbt_project.yml", Path("target", "manifest.json")


def find_sources(paths: Sequence[str], format: str | None = None) -> list[Source]:
    """Return the sources in order, after a look at every one of them.

    Raises:
        SourceUnreadable: a source that does not exist, holds nothing readable or does not answer.
        UsageError: `format` is none of FORMATS.
    """
    wanted = _known_format(format)
    missing = [path for path in paths if not is_address(path) and not os.path.exists(path)]
    if missing:
        shown = ", ".join(map(shown_address, missing))
        raise SourceUnreadable(shown, "There is no such file", "Check the path.")
    named = {os.path.realpath(path) for path in paths if not is_address(path)}
    return [_source(path, wanted, named) for path in paths]


def _known_format(format: str | None) -> Format | None:
    for known in FORMATS:
        if format == known:
            return known
    if format is None:
        return None
    raise UsageError(f"No format {format!r}. Choose one of: {', '.join(FORMATS)}.")


def _source(source: str, wanted: Format | None, named: Collection[str]) -> Source:
    if is_web_address(source):
        from ingest.readers.ckan.portal import open_portal

        portal = open_portal(source)
        return Source(storable(portal.name), iter([FoundPortal(portal)]))
    if is_address(source):
        from ingest.readers.sql.connecting import open_database

        database = open_database(source)
        return Source(storable(database.shown), iter([FoundDatabase(database)]))
    path = Path(source)
    if not path.is_dir():
        return Source(storable(path.as_posix()), _named_file(path, wanted, named))
    manifest = path / DBT_MANIFEST
    if (path / DBT_PROJECT).is_file() and manifest.is_file() and wanted in (None, "dbt"):
        # A project's other files are no tables of their own: its seeds stand in the manifest.
        return Source(storable(path.as_posix()), iter([FoundFile(manifest, "dbt")]))
    return Source(storable(path.as_posix()), _something(path, wanted))


def _named_file(path: Path, wanted: Format | None, named: Collection[str]) -> Iterator[Found]:
    try:
        other = other_than_file(path)
        if other:
            remedy = "Write what it gives into a file, and name that."
            raise SourceUnreadable(str(path), f"It is {other}, not a file", remedy)
        format = wanted or format_of(path) or format_inside(path)
        dump = dump_beside(path, named) if format == "information_schema" else None
    except OSError as error:
        problem = unreadable(str(path), error)
        raise SourceUnreadable(str(path), problem.problem, problem.remedy) from None
    if format is None:
        remedy = f"Say what it is with --format: {', '.join(FORMATS)}."
        problem_of_name = "Its name and its beginning do not tell its format"
        raise SourceUnreadable(str(path), problem_of_name, remedy)
    if format == "information_schema":
        return iter([dump] if isinstance(dump, Dump) else [])
    if format == "sql":
        from ingest.readers.sql.connecting import open_database

        return iter([FoundDatabase(open_database(str(path)))])
    return iter([FoundFile(path, format)])


def _something(folder: Path, wanted: Format | None) -> Iterator[Found]:
    """Return what a folder holds, which must be something."""
    found = found_below(folder, wanted)
    for first in found:
        return chain([first], found)
    kind = wanted or f"{', '.join(FOUND_IN_FOLDERS[:-1])} or {FOUND_IN_FOLDERS[-1]}"
    raise SourceUnreadable(
        str(folder), f"The folder holds no {kind} file", "Check the path, or name a file."
    )
