"""One row on one data set: measured once, kept in a file of its own, read again by later runs.

A cell's file is named by all that it depends on (data, row, descriptions, expander, program), so
that a run that was stopped goes on and one with other inputs measures anew.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import polaris_search
from ingest.steps import Expander, NoExpander
from polaris_search.evaluate.written import write_lines
from polaris_search.experiments.evaluate_folder import evaluate_folder
from polaris_search.experiments.given_descriptions import GivenDescriptions
from polaris_search.experiments.runs.catalogue import MEASURES, Row
from polaris_search.records import content_hash
from polaris_search.store.protocol import TableStore

DATA_FILES = ("metadata.csv", "queries.csv", "qrels.csv")


@dataclass(frozen=True, slots=True)
class Cell:
    """The measures of one row on one data set.

    Attributes:
        dataset: the folder's name.
        row: the row's name, with the descriptions' in brackets.
        means: measure to mean.
        per_query: query to measure to value.
        described: tables that had a description.
        against: the name of the row that it is compared with; None: the first of the table.
        notices: what was set aside.
    """

    dataset: str
    row: str
    means: Mapping[str, float]
    per_query: Mapping[str, Mapping[str, float]]
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
    bench: Bench,
    dataset: Path,
    row: Row,
    name: str | None,
    descriptions: GivenDescriptions | None,
) -> Cell:
    """Return the cell, from its file or measured now.

    Args:
        bench: what it is measured with.
        dataset: the folder.
        row: how to index and search.
        name: the descriptions' name; None without.
        descriptions: what is indexed; None without.

    Raises:
        PolarisError: as evaluate_folder.
    """
    title = f"{row.name} ({name})" if name else row.name
    path = bench.folder / f"{dataset.resolve().name}-{_key(bench, dataset, row, descriptions)}.json"
    if path.exists():
        bench.notify(f"{dataset.resolve().name}, {title}: measured before.")
        return _read(path)
    found = evaluate_folder(
        dataset,
        bench.store,
        row.profile,
        bench.expander if row.expand == "lexical" else NoExpander(),
        descriptions,
        MEASURES,
    )
    measured = Cell(
        found.dataset,
        title,
        dict(found.measures),
        {query: dict(values) for query, values in found.evaluation.per_query.items()},
        found.ingested.described,
        row.against,
        found.notices,
    )
    write_lines(path, [json.dumps(asdict(measured), ensure_ascii=False)])
    bench.notify(f"{found.dataset}, {title}: {found.seconds:.1f} s.")
    return measured


def _key(bench: Bench, dataset: Path, row: Row, descriptions: GivenDescriptions | None) -> str:
    data = [hashlib.sha256((dataset / name).read_bytes()).hexdigest() for name in DATA_FILES]
    expander = bench.expander.version if row.expand == "lexical" else ""
    given = descriptions.version if descriptions else ""
    return content_hash(*data, repr(row), expander, given, polaris_search.__version__, *MEASURES)[
        :16
    ]


def _read(path: Path) -> Cell:
    record = json.loads(path.read_text(encoding="utf-8"))
    return Cell(**{**record, "notices": tuple(record["notices"])})
