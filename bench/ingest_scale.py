"""Ingest at scale: tables a second, memory, where the time goes, and a kill in the middle.

    python bench/ingest_scale.py [--tables 200000] [--es http://localhost:9205] [--metadata-csv]

Writes a made-up catalogue of English names, most of them abbreviated, to a temporary file, and runs
`polaris-admin ingest` on it as a process of its own, names expanded, nothing described. Then kills
an ingest of the same file when half is stored, starts it again, and counts what was done twice.
--where measures instead, in one process, what share of the processor each step takes.
"""

import argparse
import csv
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from importlib.resources import files
from itertools import islice
from pathlib import Path

from catalogue import Catalogue
from elasticsearch import Elasticsearch
from ingest_process import Run, finished, killed_at
from ingest_steps import print_steps
from machine import load
from zipf_tables import VOCABULARY, Words

from polaris_search.records import RawTable, raw_to_dict

SEED = 20261130
INDICES = "polaris-tables*"


class EnglishWords(Words):
    """Words of the shipped English list, the frequent ones first, then made-up ones as names."""

    def _spelled(self) -> list[str]:
        text = files("ingest.expand.data").joinpath("english.txt").read_text(encoding="utf-8")
        lines = (line for line in text.splitlines() if not line.startswith("#"))
        english = (word for line in lines for word in line.split()[1:])
        return list(islice(dict.fromkeys([*english, *super()._spelled()]), VOCABULARY))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200_000)
    parser.add_argument("--es", help="address of an empty server; None: the embedded store")
    parser.add_argument("--metadata-csv", action="store_true", help="write that, not JSON lines")
    parser.add_argument("--expand", choices=("lexical", "none"), default="lexical")
    parser.add_argument("--no-kill", action="store_true")
    parser.add_argument("--where", action="store_true", help="measure the steps instead")
    chosen = parser.parse_args()
    with ExitStack() as places:
        folder = Path(places.enter_context(tempfile.TemporaryDirectory(prefix="polaris-bench-")))
        catalogue = folder / ("metadata.csv" if chosen.metadata_csv else "tables.jsonl")
        write(catalogue, (table.raw for table in english_catalogue().tables(chosen.tables)))
        print(
            f"{chosen.tables:,} tables, {catalogue.stat().st_size / 1e6:,.0f} MB; load {load()}",
            flush=True,
        )
        if chosen.where:
            print_steps(catalogue, folder / "store")
            return
        measure_whole(catalogue, folder / "whole", chosen.es, chosen.expand)
        if not chosen.no_kill:
            home = folder / "killed"
            measure_killed(catalogue, home, chosen.es, chosen.expand, chosen.tables)


def english_catalogue() -> Catalogue:
    return Catalogue(SEED, described=0.0, words=EnglishWords(SEED))


def measure_whole(catalogue: Path, home: Path, es: str | None, expand: str) -> None:
    empty(es)
    run = finished(catalogue, home, es, expand)
    print_run("whole", run)
    run = finished(catalogue, home, es, expand)
    print_run("again, nothing changed", run)
    print_writes(es)


def measure_killed(catalogue: Path, home: Path, es: str | None, expand: str, n_tables: int) -> None:
    empty(es)
    stored = killed_at(catalogue, home, es, expand, n_tables // 2)
    run = finished(catalogue, home, es, expand)
    print_run(f"killed with {stored:,} tables stored, started again", run)
    twice = stored - run.report["unchanged"]
    lost = n_tables - stored - run.report["stored"]
    print(f"  stored twice {twice}, lost {lost}")
    print_writes(es)
    empty(es)


def print_run(what: str, run: Run) -> None:
    report = run.report
    print(
        f"{what}: {report['seen']:,} read, {report['stored']:,} stored, "
        f"{report['unchanged']:,} unchanged in {report['seconds']:.0f} s, "
        f"{report['tables_per_second']:,.0f} a second; processor {run.processor_s:.0f} s; "
        f"RSS at quarters {', '.join(f'{mb:.0f}' for mb in run.quarters_mb)} MB, "
        f"peak {run.peak_mb:.0f} MB; load {load()}",
        flush=True,
    )
    for line in run.told[-3:]:
        print(f"  {line}")


def print_writes(es: str | None) -> None:
    """Print how many documents the server was given: as many as tables if none was sent twice."""
    if es is None:
        return
    with Elasticsearch(es) as client:
        stats = client.indices.stats(index=INDICES, metric="indexing")["_all"]["primaries"]
    print(f"  documents that the server indexed: {stats['indexing']['index_total']:,}")


def empty(es: str | None) -> None:
    if es is None:
        return
    with Elasticsearch(es) as client:
        for index in client.indices.get(index=INDICES, expand_wildcards="all"):
            client.indices.delete(index=index)


def write(path: Path, tables: Iterable[RawTable]) -> None:
    """Write the tables as JSON lines, or in the paper's layout by the file's name."""
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(row) + "\n" for row in map(raw_to_dict, tables))
            return
        rows = csv.writer(file)
        rows.writerow(("table_id", "table_name", "column_names", "table_context", "source"))
        rows.writerows(csv_row(raw_to_dict(table)) for table in tables)


def csv_row(row: Mapping[str, object]) -> Iterator[object]:
    yield from (row["table_id"], row["name"], json.dumps(row["columns"]))
    yield from (json.dumps(row["context"]), row["source"])


if __name__ == "__main__":
    main()
