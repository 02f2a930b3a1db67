"""A smaller corpus of the same difficulty: for each query its best tables, and all relevant ones.

Comes in: a folder in the paper's layout with more tables than one would describe. Goes out: such a
folder again, its rows as they stood. What is searched is what the paper searches then (appendix
A.5): column names by trigrams and context by words, with equal weight; no table names, no
descriptions. Needs no store, and memory for the ids alone.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import polaris_search
from ingest.readers.delimited import Record, read_records
from ingest.readers.formats import CATALOGUE
from ingest.readers.polaris import catalogue_header
from polaris_search.errors import UsageError
from polaris_search.evaluate.csv_line import csv_line
from polaris_search.evaluate.dataset import QRELS_FILE, QUERIES_FILE, Dataset, read_dataset
from polaris_search.evaluate.rows import Row, read_rows
from polaris_search.evaluate.written import write_lines
from polaris_search.experiments.runs.corpus.metadata_index import metadata_index
from polaris_search.experiments.runs.file_hash import file_hash
from polaris_search.experiments.runs.folders import check_folders

TOP = 50
RECORD = "downsample.json"


@dataclass(frozen=True, slots=True)
class Downsampled:
    """What became of a corpus.

    Attributes:
        read: tables of the corpus.
        rejected: rows that were not taken.
        retrieved: tables that are among the best of some query.
        relevant: tables that are relevant for some query, retrieved or not.
        kept: the two together.
        queries: queries that stay.
        dropped_queries: ids of those without a relevant table in the corpus.
        unknown_relevant: tables judged relevant that the corpus does not have.
    """

    read: int
    rejected: int
    retrieved: int
    relevant: int
    kept: int
    queries: int
    dropped_queries: tuple[str, ...]
    unknown_relevant: int


def downsample(
    folder: Path,
    out: Path,
    top: int = TOP,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Downsampled:
    """Write the smaller corpus into a new folder, and return what became of the tables.

    Every query is searched; those without a relevant table are left out afterwards, as in the
    paper. Of tables with one score the smaller table_id is the better one.

    Args:
        folder: holds metadata.csv, queries.csv and qrels.csv.
        out: a folder that holds no such files.
        top: tables kept of each query, >= 1.
        progress: hears how many of the queries are searched.

    Raises:
        UsageError: a file of the folder is missing, or `out` holds a data set already.
        EvaluationDataInvalid, NotWritten: as they say.
    """
    check_folders([folder])
    _refuse_overwriting(out)
    dataset = read_dataset(folder)
    with metadata_index(folder / CATALOGUE) as corpus:
        retrieved: set[str] = set()
        for done, text in enumerate(dataset.queries.values(), start=1):
            retrieved |= {table_id for table_id, _ in corpus.best(text, top)}
            progress(done, len(dataset.queries))
        lines = corpus.lines
        rejected = corpus.rejected
    relevant = _relevant(dataset)
    unknown = {one for tables in relevant.values() for one in tables} - lines.keys()
    relevant = {query: tables & lines.keys() for query, tables in relevant.items()}
    gold = {one for tables in relevant.values() for one in tables}
    kept = retrieved | gold
    queries = [query for query in dataset.queries if relevant[query]]
    found = Downsampled(
        read=len(lines),
        rejected=rejected,
        retrieved=len(retrieved),
        relevant=len(gold),
        kept=len(kept),
        queries=len(queries),
        dropped_queries=tuple(query for query in dataset.queries if not relevant[query]),
        unknown_relevant=len(unknown),
    )
    _write(folder, out, {lines[one] for one in kept}, kept, queries)
    record = _record(folder, top, found)
    write_lines(out / RECORD, [json.dumps(record, ensure_ascii=False, indent=1)])
    return found


def _refuse_overwriting(out: Path) -> None:
    there = [name for name in (CATALOGUE, QUERIES_FILE, QRELS_FILE) if (out / name).exists()]
    if there:
        raise UsageError(f"{out} holds {', '.join(there)} already. Name another folder.")


def _relevant(dataset: Dataset) -> dict[str, set[str]]:
    return {
        query: {table for table, relevance in judged.items() if relevance > 0}
        for query, judged in dataset.qrels.items()
    }


def _write(
    folder: Path, out: Path, lines: set[int | None], kept: set[str], queries: Sequence[str]
) -> None:
    # The catalogue last: what a kill leaves has none, and is no data set.
    wanted = set(queries)
    write_lines(
        out / QUERIES_FILE,
        _rows(folder / QUERIES_FILE, ("query_id", "query"), lambda row: row["query_id"] in wanted),
    )
    write_lines(
        out / QRELS_FILE,
        _rows(
            folder / QRELS_FILE,
            ("query_id", "table_id", "relevance_score"),
            lambda row: row["query_id"] in wanted and row["table_id"] in kept,
        ),
    )
    write_lines(out / CATALOGUE, _catalogue(folder / CATALOGUE, lines))


def _rows(
    path: Path, columns: tuple[str, ...], is_wanted: Callable[[Mapping[str, str]], bool]
) -> Iterator[str]:
    yield csv_line(columns)
    for row in read_rows(path, columns):
        if isinstance(row, Row) and is_wanted(row.cells):
            yield csv_line([row.cells[column] for column in columns])


def _catalogue(path: Path, lines: set[int | None]) -> Iterator[str]:
    """Yield the header and the rows that begin on these lines, cells as they stood."""
    delimiter, _ = catalogue_header(path)
    with closing(read_records(path, delimiter)) as records:
        for place, record in enumerate(records):
            if isinstance(record, Record) and (place == 0 or record.line in lines):
                yield csv_line(record.fields)


def _record(folder: Path, top: int, found: Downsampled) -> dict[str, object]:
    return {
        "polaris_search": polaris_search.__version__,
        "from": folder.resolve().name,
        "files": {name: file_hash(folder / name) for name in (CATALOGUE, QUERIES_FILE, QRELS_FILE)},
        "top": top,
        "searched": {"column names": "trigrams", "context": "words"},
        "weights": "equal",
        **asdict(found),
    }
