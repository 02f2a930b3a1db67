"""An ingest killed while a model reads names, and started again: real processes, embedded store."""

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from polaris_search.store.embedded.store import EmbeddedStore

N_TABLES = 120
IDS = sorted(f"t{number}" for number in range(N_TABLES))

INGEST = '''
"""Ingests a file of tables; prints a line for each table that a model was asked about."""

import asyncio
import os
import sys
from pathlib import Path

from fakes import FakeDescriber, FakeExpander, FakeModelExpander

from ingest.pipeline import ingest
from ingest.readers.sources import read_sources
from polaris_search.store.embedded.store import EmbeddedStore


class SpokenExpander(FakeModelExpander):
    async def expand(self, table):
        outcome = await super().expand(table)
        await asyncio.sleep(0.002)
        os.write(1, f"{table.table_id}\\n".encode())
        return outcome


source, folder = sys.argv[1:]
store = EmbeddedStore(Path(folder))
later = SpokenExpander()
ingest(read_sources([source]), store, FakeExpander(), FakeDescriber(), later=later, concurrency=4)
store.close()
'''


@pytest.fixture
def start(tmp_path):
    """Return a function that starts the ingest into tmp_path/store; its lines come on stdout."""
    source = tmp_path / "tables.jsonl"
    source.write_text(
        "".join(f'{{"table_id": "{key}", "name": "n", "columns": ["a"]}}\n' for key in IDS)
    )
    script = tmp_path / "ingest_names.py"
    script.write_text(INGEST)

    def start_ingest():
        return subprocess.Popen(
            [sys.executable, script, source, tmp_path / "store"],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
            stdout=subprocess.PIPE,
            text=True,
        )

    return start_ingest


def stored(folder):
    store = EmbeddedStore(folder)
    try:
        return {table.table_id: table for table in store.tables()}
    finally:
        store.close()


def test_after_a_kill_no_table_is_lost_half_done_or_asked_about_twice(start, tmp_path):
    with start() as process:
        first = list(islice(process.stdout, 30))
        process.kill()
        first += list(process.stdout)
    assert process.returncode == -9, "It ended before it could be killed."
    before = stored(tmp_path / "store")
    read = {key for key, table in before.items() if table.expansion.name == "model n"}

    with start() as process:
        second = [line.strip() for line in process.stdout]

    after = stored(tmp_path / "store")
    assert sorted(before) == sorted(after) == IDS
    # names and description of a table are one write: never one without the other
    assert {key for key, table in before.items() if table.description} == read
    assert sorted(second) == sorted(set(IDS) - read)
    assert len({line.strip() for line in first} - read) <= 2 * 4  # on their way when it was killed
    assert {table.expansion.name for table in after.values()} == {"model n"}
    assert {table.description.dataset_overview for table in after.values()} == {"model n by 1"}
