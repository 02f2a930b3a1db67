"""The data set folders of a run: all there, and told apart by their names."""

from collections.abc import Sequence
from pathlib import Path

from ingest.readers.formats import CATALOGUE
from ingest.readers.sources import read_sources
from polaris_search.errors import UsageError
from polaris_search.evaluate.dataset import QRELS_FILE, QUERIES_FILE
from polaris_search.records import RawTable

DATA_FILES = (CATALOGUE, QUERIES_FILE, QRELS_FILE)


def check_folders(datasets: Sequence[Path]) -> None:
    """Refuse two folders of one name, and a folder that lacks one of the three files.

    Raises:
        UsageError: what is wrong, all missing files at once.
    """
    names = [dataset.resolve().name for dataset in datasets]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"Two data sets are called {', '.join(twice)}. Rename one folder.")
    missing = [
        str(dataset / name)
        for dataset in datasets
        for name in DATA_FILES
        if not (dataset / name).is_file()
    ]
    if missing:
        raise UsageError(f"There is no {', '.join(missing)}. Name folders in the paper's layout.")


def table_ids(dataset: Path) -> frozenset[str]:
    """Return the ids of a data set's tables."""
    read = read_sources([str(dataset / CATALOGUE)], "polaris")
    return frozenset(one.table_id for one in read if isinstance(one, RawTable))
