"""The demo as a newcomer runs it, with the real local model."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.llm


def polaris(folder, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "polaris_search.cli.main", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "COLUMNS": "160", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_demo_describes_twelve_tables_live_and_leaves_them_searchable(tmp_path):
    shown = polaris(tmp_path, "demo")

    assert shown.returncode == 0, shown.stderr
    described, tables, tokens = map(
        int, re.search(r"(\d+) of\s+(\d+) tables, (\d+) tokens", shown.stdout).groups()
    )
    assert described == tables == 12
    assert tokens <= 12 * 6 * 160  # a poor text is asked for at most six times
    store = f"file:{tmp_path}/polaris-data/demo"
    found = polaris(tmp_path, "search", "inital privileges", "--json", POLARIS_STORE=store)
    assert '"postgresql.pg_init_privs"' in found.stdout


def test_a_second_demo_starts_with_nothing_and_describes_again(tmp_path):
    source = tmp_path / "tables.jsonl"
    source.write_text('{"table_id": "old", "name": "old", "columns": []}\n')
    store = f"file:{tmp_path}/polaris-data/demo"
    polaris(tmp_path, "ingest", str(source), POLARIS_STORE=store)
    (tmp_path / "small").mkdir()
    (tmp_path / "small/metadata.csv").write_text(
        'table_id,table_name,column_names\nnew,EmpSal,"[""eid"", ""sal_amt""]"\n'
    )
    (tmp_path / "small/queries.csv").write_text("query_id,query\nq,salary\n")
    (tmp_path / "small/qrels.csv").write_text("query_id,table_id,relevance_score\nq,new,1\n")

    shown = polaris(tmp_path, "demo", "small")

    assert "1 of 1 tables" in " ".join(shown.stdout.split())
    assert polaris(tmp_path, "show", "old", POLARIS_STORE=store).returncode == 1
