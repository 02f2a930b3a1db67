"""Write tables/ and demo/ from the packages in requirements.txt, the same bytes every time.

    python -m pip install --no-deps --target FOLDER -r examples/requirements.txt
    python -m examples.build FOLDER

Run by hand from the root of the repository. Reads the packages' files without importing them and
writes no row of data.
"""

import csv
import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from examples.demo_rule import demo_tables
from examples.derive import Query, derive_queries
from examples.documented import Documented
from examples.origins import all_tables

HERE = Path(__file__).parent
METADATA_HEADER = (  # the paper's four columns, then the optional ones
    "table_id",
    "table_name",
    "column_names",
    "table_context",
    "source",
    "database",
    "schema",
    "format",
    "language",
)
CARRIED_LICENCES = {  # the packages of the other two carry no file to copy
    "statsmodels": "statsmodels-*.dist-info/licenses/LICENSE.txt",
    "pypsa": "pypsa-*.dist-info/licenses/LICENSE",
    "libpysal": "libpysal-*.dist-info/licenses/LICENSE.txt",
}


def main(site: Path) -> None:
    """Read the packages under `site`; write both folders and the licences that these carry."""
    tables = all_tables(site)
    queries = derive_queries(tables)
    write_folder(HERE / "tables", tables, queries)
    chosen = set(
        demo_tables(
            {table.table_id: table.columns for table in tables},
            {table.table_id: table.source for table in tables},
            {query.query_id: query.text for query in queries},
        )
    )
    write_folder(
        HERE / "demo",
        [table for table in tables if table.table_id in chosen],
        within(queries, chosen),
    )
    for source, pattern in CARRIED_LICENCES.items():
        (path,) = site.glob(pattern)
        shutil.copyfile(path, HERE / "licences" / f"{source}.txt")


def within(queries: Iterable[Query], chosen: set[str]) -> list[Query]:
    """Return the queries that some chosen table answers, with those answers alone."""
    kept = [
        Query(
            query.query_id,
            query.text,
            tuple(answer for answer in query.answers if answer in chosen),
        )
        for query in queries
    ]
    return [query for query in kept if query.answers]


def write_folder(folder: Path, tables: Iterable[Documented], queries: Iterable[Query]) -> None:
    """Write metadata.csv, queries.csv and qrels.csv in the paper's layout."""
    folder.mkdir(exist_ok=True)
    _write(folder / "metadata.csv", METADATA_HEADER, (_metadata_row(table) for table in tables))
    queries = list(queries)
    _write(
        folder / "queries.csv",
        ["query_id", "query"],
        ([query.query_id, query.text] for query in queries),
    )
    answers = ([query.query_id, table_id, "1"] for query in queries for table_id in query.answers)
    _write(folder / "qrels.csv", ["query_id", "table_id", "relevance_score"], answers)


def _metadata_row(table: Documented) -> list[str]:
    names = json.dumps(table.columns, ensure_ascii=False)
    context = json.dumps(dict(table.context), ensure_ascii=False)
    facets = [table.source, table.database, table.schema, table.format, "en"]
    return [table.table_id, table.name, names, context, *facets]


def _write(path: Path, header: Sequence[str], rows: Iterable[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
