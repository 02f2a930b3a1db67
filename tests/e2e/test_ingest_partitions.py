"""Three processes ingest one source into one Elasticsearch at the same time, a share each."""

import json
import os
import subprocess
import sys
from contextlib import closing

import pytest

from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.store import open_elasticsearch

pytestmark = pytest.mark.es

N_TABLES = 1_000
N_PROCESSES = 3
GENERATIONS = "polaris-tables-v*"


@pytest.fixture
def empty_server(own_es):
    """A server without tables: no process finds a generation, and one of them makes the first."""

    def empty():
        with own_es.client() as client:
            for index in client.indices.get(index="polaris-tables*", expand_wildcards="all"):
                client.indices.delete(index=index)

    empty()
    yield own_es
    empty()


def start_ingest(source, folder, server, share):
    return subprocess.Popen(
        [sys.executable, "-m", "polaris_search.cli.main", "ingest", str(source)]
        + ["--partition", f"{share}/{N_PROCESSES}", "--describe", "none", "--json"],
        env={
            "PATH": os.environ["PATH"],
            "POLARIS_STORE": server.store,
            "POLARIS_HOME": str(folder),
            "OMP_NUM_THREADS": "1",
        },
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_shares_of_three_processes_are_all_tables_and_none_twice(empty_server, tmp_path):
    source = tmp_path / "tables.jsonl"
    ids = sorted(f"table/{number}" for number in range(N_TABLES))
    with source.open("w") as lines:
        for table_id in ids:
            table = {"table_id": table_id, "name": "SalesOrd", "columns": ["ordNo", "custId"]}
            lines.write(json.dumps(table) + "\n")

    processes = [
        start_ingest(source, tmp_path, empty_server, share) for share in range(1, N_PROCESSES + 1)
    ]
    told = [process.communicate(timeout=300) for process in processes]

    assert [process.returncode for process in processes] == [0] * N_PROCESSES, told
    reports = [json.loads(printed) for printed, _ in told]
    assert sum(report["stored"] for report in reports) == N_TABLES
    assert sum(report["seen"] for report in reports) == N_TABLES
    assert all(report["stored"] > N_TABLES / (N_PROCESSES + 1) for report in reports)
    with empty_server.client() as client:
        assert len(client.indices.get(index=GENERATIONS)) == 1
        stats = client.indices.stats(index=GENERATIONS, metric="docs,indexing")
        assert stats["_all"]["primaries"]["indexing"]["index_total"] == N_TABLES
    store = open_elasticsearch(read_settings({"POLARIS_STORE": empty_server.store}))
    with closing(store):
        assert list(store.table_ids()) == ids
