"""Data set folders in the paper's layout, made in one line."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

Table = tuple[str, Sequence[str], Mapping[str, str]]


def data_set(
    folder: Path,
    tables: Sequence[Table],
    queries: Mapping[str, str],
    relevant: Sequence[tuple[str, str, object]],
) -> Path:
    """Write tables (id, column names, context), queries by id, and judgments; return the folder."""
    folder.mkdir(parents=True)
    rows = [
        (table_id, "", json.dumps(columns), json.dumps(context))
        for table_id, columns, context in tables
    ]
    header = ("table_id", "table_name", "column_names", "table_context")
    _write(folder / "metadata.csv", header, rows)
    _write(folder / "queries.csv", ("query_id", "query"), queries.items())
    _write(folder / "qrels.csv", ("query_id", "table_id", "relevance_score"), relevant)
    return folder


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write(path, header, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
