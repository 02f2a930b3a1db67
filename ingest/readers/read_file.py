"""Chooses the reader of a file by its format."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ingest.readers.ckan.documents import read_ckan
from ingest.readers.dbt.manifest import read_dbt
from ingest.readers.eml.documents import read_eml
from ingest.readers.formats import FileFormat
from ingest.readers.found import FoundFile
from ingest.readers.headers import read_header
from ingest.readers.information_schema.exports import Dump, read_dump
from ingest.readers.jsonl import read_jsonl
from ingest.readers.polaris import read_polaris
from ingest.readers.row import ReadOrNotice
from ingest.rejected import Rejected


def read_file(file: FoundFile) -> Iterator[ReadOrNotice]:
    """Yield what a file holds.

    Raises:
        OSError: it cannot be read.
    """
    if file.format == "parquet":
        return _read_parquet(file)
    return _READERS[file.format](file.path)


_READERS: Mapping[FileFormat, Callable[[Path], Iterator[ReadOrNotice]]] = {
    "polaris": read_polaris,
    "csv": lambda path: read_header(path, "csv"),
    "tsv": lambda path: read_header(path, "tsv"),
    "jsonl": read_jsonl,
    "dbt": read_dbt,
    "ckan": read_ckan,
    "eml": read_eml,
    "information_schema": lambda path: read_dump(Dump((path,))),
}


def _read_parquet(file: FoundFile) -> Iterator[ReadOrNotice]:
    try:
        from ingest.readers.parquet.files import read_parquet
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        remedy = "Install it with: pip install 'polaris-search[parquet]'."
        yield Rejected(str(file.path), None, "Reading Parquet needs the package pyarrow", remedy)
    else:
        yield from read_parquet(file.path, file.table)
