"""One row on one data set: measured once, kept in a file of its own, read again by later runs.

A cell's file is named by all that it depends on (data, row, descriptions, expander, program), so
that a run that was stopped goes on and one with other inputs measures anew.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import polaris_search
from ingest.steps import Expander, NoExpander
from polaris_search.evaluate.written import write_lines
from polaris_search.experiments.evaluate_folder import FolderEvaluation, evaluate_folder
from polaris_search.experiments.given_descriptions import GivenDescriptions
from polaris_search.experiments.runs.catalogue import MEASURES
from polaris_search.experiments.runs.file_hash import file_hash
from polaris_search.experiments.runs.folders import DATA_FILES
from polaris_search.experiments.runs.rows import RowToRun
from polaris_search.records import content_hash
from polaris_search.store.protocol import TableStore


@dataclass(frozen=True, slots=True)
class Cell:
    """The measures of one row on one data set.

    Attributes:
        dataset: the folder's name.
        row: the row's title.
        system: whose descriptions; None: without any.
        means: measure to mean.
        per_query: query to measure to value.
        tables: tables of the data set.
        described: tables that had a description.
        against: the title of the row that it is compared with; None: the first of the table.
        notices: what was set aside.
    """

    dataset: str
    row: str
    system: str | None
    means: Mapping[str, float]
    per_query: Mapping[str, Mapping[str, float]]
    tables: int
    described: int
    against: str | None
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bench:
    """What cells are measured with.

    Attributes:
        store: gives scratch generations.
        expander: of rows that expand names.
        folder: where cells are kept.
        notify: hears what is measured and what was there.
    """

    store: TableStore
    expander: Expander
    folder: Path
    notify: Callable[[str], None]


def cell(
    bench: Bench, dataset: Path, row: RowToRun, descriptions: GivenDescriptions | None
) -> Cell:
    """Return the cell, from its file or measured now.

    Args:
        bench: what it is measured with.
        dataset: the folder.
        row: how to index and search.
        descriptions: what is indexed; None without.

    Raises:
        PolarisError: as evaluate_folder.
    """
    name = dataset.resolve().name
    path = bench.folder / f"{name}-{_key(bench, dataset, row, descriptions)}.json"
    if path.exists():
        bench.notify(f"{name}, {row.title}: measured before.")
        return _read(path)
    expander = bench.expander if row.row.expand == "lexical" else NoExpander()
    found = evaluate_folder(dataset, bench.store, row.row.profile, expander, descriptions, MEASURES)
    measured = _cell(found, row)
    write_lines(path, [json.dumps(asdict(measured), ensure_ascii=False)])
    bench.notify(f"{name}, {row.title}: {found.seconds:.1f} s.")
    return measured


def _cell(found: FolderEvaluation, row: RowToRun) -> Cell:
    return Cell(
        dataset=found.dataset,
        row=row.title,
        system=row.system,
        means=dict(found.measures),
        per_query={query: dict(values) for query, values in found.evaluation.per_query.items()},
        tables=found.ingested.seen,
        described=found.ingested.described,
        against=row.against,
        notices=found.notices,
    )


def _key(bench: Bench, dataset: Path, row: RowToRun, descriptions: GivenDescriptions | None) -> str:
    data = [file_hash(dataset / name) for name in DATA_FILES]
    expander = bench.expander.version if row.row.expand == "lexical" else ""
    given = descriptions.version if descriptions else ""
    version = polaris_search.__version__
    return content_hash(*data, repr(row), expander, given, version, *MEASURES)[:16]


def _read(path: Path) -> Cell:
    record = json.loads(path.read_text(encoding="utf-8"))
    return Cell(**{**record, "notices": tuple(record["notices"])})
