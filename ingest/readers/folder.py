"""Finds what there is to read in a folder and those below it.

Where a folder holds a metadata.csv, that is the catalogue and the files beside it (queries,
judgments) are not tables. The parts of one Parquet table are one, and so are the files of one
export of information_schema. What dbt keeps beside its manifest is passed over.
"""

from collections.abc import Iterator
from pathlib import Path

from ingest.readers.formats import BY_EXTENSION, CATALOGUE, Format, format_of
from ingest.readers.found import Found, FoundDatabase, FoundFile, unreadable
from ingest.readers.information_schema.exports import Dump
from ingest.readers.parquet.sets import is_bookkeeping, is_parquet_name, table_of
from ingest.readers.walk import Folder, other_than_file, walk
from ingest.rejected import Rejected
from polaris_search.errors import SourceUnreadable

DBT_WORKING_FOLDERS = ("compiled", "run")
"""Where dbt keeps copies of what its manifest, beside them, tells of."""


def found_below(root: Path, wanted: Format | None) -> Iterator[Found]:
    """Yield what there is, folder by folder, in the order of names.

    Args:
        root: the folder.
        wanted: takes files of this format alone.
    """
    met: set[Path] = set()
    working: set[Path] = set()
    for folder in walk(root):
        if isinstance(folder, OSError):
            yield unreadable(str(folder.filename), folder)
        elif working.isdisjoint((folder.path, *folder.path.parents)):
            for found in _in_folder(folder, wanted, met):
                yield found
                if isinstance(found, FoundFile) and found.format == "dbt":
                    working |= {folder.path / name for name in DBT_WORKING_FOLDERS}


def _in_folder(folder: Folder, wanted: Format | None, met: set[Path]) -> Iterator[Found]:
    """Yield what one folder holds; `met` are the tables of which a part was found."""
    is_catalogue = CATALOGUE in folder.files and wanted in (None, "polaris")
    dumps = []
    for name in (CATALOGUE,) if is_catalogue else folder.files:
        path = folder.path / name
        if is_parquet_name(path) and (is_bookkeeping(path) or table_of(path) in met):
            continue
        for found in _found_in(path, wanted):
            if isinstance(found, FoundFile) and found.format == "information_schema":
                dumps.append(found.path)
            elif not isinstance(found, FoundFile) or found.format != "parquet":
                yield found
            elif (table := table_of(path)) not in met:
                met.update([table] if table else [])
                yield FoundFile(path, "parquet", table)
    if dumps:
        yield Dump(tuple(dumps))


def _found_in(path: Path, wanted: Format | None) -> Iterator[Found]:
    try:
        other = other_than_file(path)
        if other:
            remedy = "Write what it gives into a file, or move it elsewhere."
            yield Rejected(str(path), None, f"It is {other}, not a file", remedy)
            return
        format = format_of(path)
        if format and _is_wanted(path, format, wanted):
            yield _found(path, wanted or format)
    except OSError as error:
        yield unreadable(str(path), error)
    except SourceUnreadable as error:  # a database that is damaged, or has no driver
        yield Rejected(str(path), None, error.problem, error.remedy)


def _is_wanted(path: Path, format: Format, wanted: Format | None) -> bool:
    if wanted in (None, format):
        return True
    return wanted == BY_EXTENSION.get(path.suffix.lower())  # a catalogue, asked for as data


def _found(path: Path, format: Format) -> Found:
    if format == "sql":
        from ingest.readers.sql.connecting import open_database

        return FoundDatabase(open_database(str(path)))
    return FoundFile(path, format)
