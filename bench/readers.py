"""Reading large sources: processor seconds and peak memory, each in a process of its own.

    python bench/readers.py [--mb 100] [--tables 2000]

Made-up files of so many megabytes of dbt, CKAN, EML and information_schema; JSON is set against
`json.load` of the same file. With PostgreSQL's programs on the PATH also a database of so many
tables of 30 columns, set against asking SQLAlchemy's inspector table by table.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
COLUMNS = 30
WORDS = ("order", "customer", "invoice", "amount", "currency", "region", "status", "employee")

MEASURED = """
import json, resource, sys, time
from ingest.readers.sources import read_sources
began, processor, tables, rejected = time.perf_counter(), time.process_time(), 0, 0
{body}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
seconds = [time.process_time() - processor, time.perf_counter() - began]
print(json.dumps([tables, rejected, *seconds, peak]))
"""
OURS = """
for item in read_sources([sys.argv[1]]):
    rejected += hasattr(item, "sentence")
    tables += hasattr(item, "columns")
"""
JSON_LOAD = "tables = len(json.load(open(sys.argv[1], encoding='utf-8')))"
TABLE_BY_TABLE = """
from sqlalchemy import create_engine, inspect
from sqlalchemy.pool import NullPool
inspector = inspect(create_engine(sys.argv[1].replace("://", "+psycopg://"), poolclass=NullPool))
for name in inspector.get_table_names("public"):
    inspector.get_columns(name, schema="public"), inspector.get_table_comment(name, schema="public")
    inspector.clear_cache()
    tables += 1
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=100)
    parser.add_argument("--tables", type=int, default=2000)
    options = parser.parse_args()
    print("processor and wall seconds, peak memory; beside it the peer and ours / peer")
    print(f"{'source':<30}{'tables':>9}{'cpu s':>8}{'wall s':>8}{'peak MB':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name, write in FILES.items():
            path = Path(folder) / name
            write(path, options.mb * 2**20)
            peer = measured(JSON_LOAD, path) if name.endswith(".json") else None
            report(f"{name}, {path.stat().st_size / 2**20:.0f} MiB", measured(OURS, path), peer)
            path.unlink()
    postgres(options.tables)


def report(source: str, ours: list[float], peer: list[float] | None) -> None:
    tables, rejected, processor, wall, peak = ours
    assert rejected == 0
    beside = ""
    if peer:
        cpu_ratio, wall_ratio = processor / peer[2], wall / peer[3]
        beside = (
            f"   {peer[2]:.1f} {peer[3]:.1f} s, {peer[4]:.0f} MB; {cpu_ratio:.2f} {wall_ratio:.3f}"
        )
    print(
        f"{source:<30}{tables:>9.0f}{processor:>8.1f}{wall:>8.1f}{peak:>9.0f}{beside}", flush=True
    )


def measured(body: str, source: object) -> list[float]:
    program = MEASURED.format(body=body)
    done = subprocess.run(
        [sys.executable, "-c", program, str(source)], capture_output=True, check=True, cwd=ROOT
    )
    return json.loads(done.stdout)


def postgres(n_tables: int) -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    from postgres_server import postgres_server, programs

    bin_folder = programs()
    if bin_folder is None:
        print("PostgreSQL's programs are not on the PATH; the database is left out.")
        return
    columns = ", ".join(f"column_{number} numeric(8, 2)" for number in range(COLUMNS))
    with postgres_server(bin_folder) as server:
        server.execute(
            *(
                f"CREATE TABLE t{number} ({columns}); COMMENT ON TABLE t{number} IS 'of {number}'"
                for number in range(n_tables)
            )
        )
        peer = measured(TABLE_BY_TABLE, server.url())
        report(f"PostgreSQL, {COLUMNS} columns", measured(OURS, server.url()), peer)


# Made-up files


def write_parts(path: Path, size: int, head: str, parts: Iterator[str], tail: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        written, gap = file.write(head), ""
        for part in parts:
            written += file.write(gap + part)
            gap = ",\n" if path.suffix == ".json" else "\n"
            if written >= size:
                break
        file.write(tail)


def text(seed: random.Random, n_words: int) -> str:
    return " ".join(seed.choices(WORDS, k=n_words))


def manifest(path: Path, size: int) -> None:
    seed = random.Random(1)
    schema = "https://schemas.getdbt.com/dbt/manifest/v12.json"

    def nodes() -> Iterator[str]:
        for number in range(10**9):
            columns = {
                f"c{each}": {"name": f"c{each}", "description": text(seed, 6), "data_type": "text"}
                for each in range(COLUMNS)
            }
            node = {"name": f"m{number}", "resource_type": "model", "columns": columns,
                    "description": text(seed, 30), "raw_code": text(seed, 300)}  # fmt: skip
            yield f'"model.shop.m{number}": {json.dumps(node)}'

    metadata = json.dumps({"dbt_schema_version": schema})
    write_parts(
        path, size, f'{{"metadata": {metadata}, "nodes": {{\n', nodes(), '\n}, "sources": {}}'
    )


def page(path: Path, size: int) -> None:
    seed = random.Random(1)

    def packages() -> Iterator[str]:
        for number in range(10**9):
            resources = [{"id": f"r{number}-{each}", "name": text(seed, 4), "format": "CSV",
                          "description": text(seed, 20)} for each in range(5)]  # fmt: skip
            tags = [{"name": word} for word in WORDS]
            package = {"name": f"p{number}", "title": text(seed, 6), "notes": text(seed, 100),
                       "tags": tags, "resources": resources}  # fmt: skip
            yield json.dumps(package)

    write_parts(path, size, '{"help": "", "success": true, "result": {"count": 1, "results": [\n',
                packages(), "\n]}}")  # fmt: skip


def eml(path: Path, size: int) -> None:
    seed = random.Random(1)

    def entities() -> Iterator[str]:
        for number in range(10**9):
            attributes = "".join(
                f"<attribute><attributeName>c{each}</attributeName>"
                f"<attributeDefinition>{text(seed, 12)}</attributeDefinition></attribute>"
                for each in range(COLUMNS)
            )
            yield (
                f"<dataTable><entityName>e{number}</entityName><attributeList>{attributes}"
                "</attributeList></dataTable>"
            )

    write_parts(path, size, '<eml packageId="x"><dataset><title>x</title>', entities(),
                "</dataset></eml>")  # fmt: skip


def columns_dump(path: Path, size: int) -> None:
    seed = random.Random(1)
    n_tables = size // (90 * COLUMNS)

    def rows() -> Iterator[str]:
        while True:  # in no order, so that every table is spread over the whole file
            table, column = seed.randrange(n_tables), seed.randrange(COLUMNS)
            yield f"db,public,table_{table},column_{column},{column},varchar(20),{text(seed, 5)}"

    head = "table_catalog,table_schema,table_name,column_name,ordinal_position,data_type,comment\n"
    write_parts(path, size, head, rows(), "\n")


FILES: dict[str, Callable[[Path, int], None]] = {
    "manifest.json": manifest,
    "package_search.json": page,
    "eml.xml": eml,
    "columns.csv": columns_dump,
}

if __name__ == "__main__":
    main()
