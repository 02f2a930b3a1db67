"""An ingest killed without warning and started again, as a real process on the embedded store."""

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from ingest.partition import Partition
from polaris_search.store.embedded.store import EmbeddedStore

N_TABLES = 450
IDS = sorted(f"t{number}" for number in range(N_TABLES))

INGEST = '''
"""Ingests a file of tables; prints a line for each batch stored and for each table described."""

import asyncio
import os
import sys
from pathlib import Path

from fakes import FakeDescriber

from ingest.partition import partition_of
from ingest.pipeline import ingest
from ingest.readers.sources import read_sources
from ingest.steps import NoExpander, NoProgress
from polaris_search.store.embedded.store import EmbeddedStore


def say(line):
    os.write(1, f"{line}\\n".encode())  # whole lines, at once, from any thread


class SpokenProgress(NoProgress):
    def read(self, seen, rejected):
        say(f"batch {seen}")


class SpokenDescriber(FakeDescriber):
    async def describe(self, table, expansion):
        outcome = await super().describe(table, expansion)
        await asyncio.sleep(0.002)
        say(f"described {table.table_id}")
        return outcome


source, folder, share = sys.argv[1:]
store = EmbeddedStore(Path(folder))
report = ingest(
    read_sources([source]),
    store,
    NoExpander(),
    SpokenDescriber(),
    concurrency=4,
    partition=partition_of(share),
    progress=SpokenProgress(),
)
store.close()
say(f"report {report.described} {report.reused} {report.unchanged}")
'''


@pytest.fixture
def start(tmp_path):
    """Return a function that starts the ingest into tmp_path/store; its lines come on stdout."""
    source = tmp_path / "tables.jsonl"
    source.write_text(
        "".join(f'{{"table_id": "{key}", "name": "n", "columns": ["a"]}}\n' for key in IDS)
    )
    script = tmp_path / "ingest_slowly.py"
    script.write_text(INGEST)

    def start_ingest(share="1/1"):
        return subprocess.Popen(
            [sys.executable, script, source, tmp_path / "store", share],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
            stdout=subprocess.PIPE,
            text=True,
        )

    return start_ingest


def lines_until_killed(process, count):
    """Kill the process without warning after so many lines; return all that it said."""
    with process:
        first = list(islice(process.stdout, count))
        process.kill()
        lines = first + list(process.stdout)
    assert process.returncode == -9, "It ended before it could be killed."
    return [line.split() for line in lines]


def lines_to_the_end(process):
    with process:
        return [line.split() for line in process.stdout]


def said(lines, kind):
    return [words[1] for words in lines if words[0] == kind]


def stored_tables(folder):
    store = EmbeddedStore(folder)
    try:
        return {table.table_id: table for table in store.tables()}
    finally:
        store.close()


@pytest.mark.parametrize("answers_before_the_kill", [1, 40, 250])
def test_after_a_kill_every_table_is_there_once_and_none_is_described_twice(
    start, tmp_path, answers_before_the_kill
):
    n_batches = 3  # of 200, 200 and 50 tables
    first = lines_until_killed(start(), n_batches + answers_before_the_kill)
    before = stored_tables(tmp_path / "store")
    described = {key for key, table in before.items() if table.description}

    second = lines_to_the_end(start())

    after = stored_tables(tmp_path / "store")
    assert sorted(before) == sorted(after) == IDS
    assert {table.provenance.status for table in after.values()} == {"described"}
    assert sorted(said(second, "described")) == sorted(after.keys() - described)
    assert second[-1] == [
        "report",
        str(N_TABLES - len(described)),
        str(len(described)),
        str(N_TABLES),
    ]
    # Of what was answered before the kill, only the last few can have been on their way.
    assert len(set(said(first, "described")) - described) <= 2 * 4


@pytest.mark.parametrize("batches_before_the_kill", [1, 2])
def test_a_kill_while_names_are_stored_loses_no_table(start, tmp_path, batches_before_the_kill):
    lines_until_killed(start(), batches_before_the_kill)
    before = stored_tables(tmp_path / "store")

    second = lines_to_the_end(start())

    assert len(before) >= 200 * batches_before_the_kill
    assert sorted(stored_tables(tmp_path / "store")) == IDS
    assert int(second[-1][3]) == len(before)  # what was stored was not stored again


def test_a_killed_share_goes_on_by_itself_and_all_shares_do_each_table_once(start, tmp_path):
    killed = lines_until_killed(start("2/3"), 1 + 20)  # its one batch, and 20 answers
    kept = {key for key, table in stored_tables(tmp_path / "store").items() if table.description}

    again = {share: lines_to_the_end(start(share)) for share in ("2/3", "1/3", "3/3")}

    mine = {key for key in IDS if Partition(2, 3).holds(key)}
    asked = {share: set(said(lines, "described")) for share, lines in again.items()}
    assert kept <= set(said(killed, "described")) <= mine
    assert asked["2/3"] == mine - kept
    assert sorted([*kept, *asked["1/3"], *asked["2/3"], *asked["3/3"]]) == IDS
    assert again["2/3"][-1] == ["report", str(len(mine - kept)), str(len(kept)), str(len(mine))]
