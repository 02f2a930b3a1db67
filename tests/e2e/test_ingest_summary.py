"""What `polaris-admin ingest` says it did, and before a model is asked what it would take."""

import json
import re
from pathlib import Path

import pytest
from commands import Commands
from http_server import http_server
from scripted_llm import ScriptedLlm, mark_of

DOCS = Path(__file__).parents[2] / "docs" / "ingesting.md"
N_TABLES = 120
DESCRIBED = ("--expand", "lexical", "--describe", "llm")


@pytest.fixture
def polaris(tmp_path) -> Commands:
    return Commands(tmp_path, "file:store")


@pytest.fixture
def server():
    with http_server(ScriptedLlm()) as serving:
        yield serving


def model_at(server):
    return {
        "POLARIS_LLM_URL": server.address,
        "POLARIS_LLM_KIND": "vllm",
        "POLARIS_LLM_MODEL": "base-8b",
    }


def source_of(polaris, count):
    path = polaris.folder / "tables.jsonl"
    columns = ["cust_no", "ord_dt", "tot_amt"]
    lines = (
        json.dumps({"table_id": f"t{n:03}", "name": f"{mark_of(n)} log", "columns": columns})
        for n in range(count)
    )
    path.write_text("\n".join(lines) + "\n")
    return path


def questions(server):
    """Return how many requests for text the server had."""
    return sum(asked.method == "POST" for asked in server.asked)


def test_a_dry_run_tells_calls_and_tokens_and_neither_asks_nor_writes(polaris, server):
    source = source_of(polaris, N_TABLES)

    would = polaris.answer("ingest", source, *DESCRIBED, "--dry-run", **model_at(server))

    assert (questions(server), would["stored"], would["described"]) == (0, N_TABLES, 0)
    assert polaris.answer("search", "log", exit_code=0)["total"] == 0
    estimate = would["estimate"]
    assert (estimate["tables"], estimate["calls"]) == (N_TABLES, N_TABLES)

    done = polaris.answer("ingest", source, *DESCRIBED, **model_at(server))

    assert done["described"] == N_TABLES
    sent = estimate["shared_tokens"] + estimate["prompt_tokens"]
    assert done["prompt_tokens"] / 1.5 < sent < done["prompt_tokens"] * 1.5
    assert estimate["prompt_tokens"] < estimate["shared_tokens"]  # the examples are the most of it


def test_a_dry_run_needs_no_server(polaris):
    source = source_of(polaris, 5)
    away = {"POLARIS_LLM_URL": "http://127.0.0.1:1", "POLARIS_LLM_KIND": "vllm"}

    finished = polaris("ingest", source, *DESCRIBED, "--dry-run", "--json", **away)

    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["estimate"]["calls"] == 5
    assert b"all tables are counted" in finished.stderr


def test_a_second_dry_run_sees_that_all_is_done(polaris, server):
    source = source_of(polaris, 5)
    polaris.answer("ingest", source, *DESCRIBED, **model_at(server))

    would = polaris.answer("ingest", source, *DESCRIBED, "--dry-run", **model_at(server))

    assert (would["unchanged"], would["reused"], would["to_describe"]) == (5, 5, 0)
    assert would["estimate"]["calls"] == 0


def test_a_dry_run_for_a_person_says_it_in_words(polaris, server):
    source = source_of(polaris, 5)

    said = polaris("ingest", source, *DESCRIBED, "--dry-run", **model_at(server)).stdout.decode()

    assert "Would read 5 tables" in said
    assert re.search(
        r"would be asked about 5 tables \(5 to describe, 0 descriptions kept\): about 5 calls, "
        r"[0-9,]+ prompt tokens and [0-9,]+ of the part that prompts share",
        said,
    )


def test_the_summary_counts_every_outcome_and_what_the_server_was_asked(polaris, server):
    source = source_of(polaris, 10)
    with source.open("a") as lines:
        lines.write('{"table_id": "t000", "name": "again", "columns": []}\n')
        lines.write('{"table_id": "", "name": "nameless", "columns": []}\n')
        lines.write('{"table_id": "t001", "name": "again", "columns": []}\n')

    finished = polaris("ingest", source, *DESCRIBED, **model_at(server))
    said = finished.stdout.decode()

    assert finished.returncode == 1
    assert re.search(r"Read 10 tables in .* s \(.* a second\): 10 stored, 0 unchanged, 3 rej", said)
    assert "  rejected 2: The table_id _ was read before; the first table was kept" in said
    assert "  rejected 1: The table_id is empty" in said
    assert re.search(r"Descriptions: 10 new, 0 failed, 0 kept; [0-9,]+ tokens read", said)
    assert re.search(r"Model server: \d+ requests, 0 without a reply", said)


def test_the_keys_of_the_json_are_those_that_the_docs_explain(polaris, server):
    report = polaris.answer("ingest", source_of(polaris, 1), *DESCRIBED, **model_at(server))

    section = DOCS.read_text().partition("## The summary")[2].partition("\n## ")[0]
    explained = {
        key
        for row in section.splitlines()
        if row.startswith("| `")
        for key in re.findall(r"`([a-z_0-9.]+)`", row.split("|")[1])
    }
    nested = {
        f"{key}.{inner}"
        for key, value in report.items()
        if isinstance(value, dict)
        for inner in value
    }
    plain = {key for key, value in report.items() if not isinstance(value, dict)}
    assert explained == plain | nested


def test_descriptions_of_a_killed_ingest_are_not_asked_for_again(polaris, server):
    source = source_of(polaris, N_TABLES)
    killed = polaris.start("ingest", source, *DESCRIBED, **model_at(server))
    while questions(server) < N_TABLES // 3:
        assert killed.poll() is None, killed.stderr.read()
    killed.kill()
    killed.communicate()
    before = questions(server)

    report = polaris.answer("ingest", source, *DESCRIBED, **model_at(server))

    kept = report["reused"]
    assert (report["stored"], report["unchanged"]) == (0, N_TABLES)
    assert (report["described"], report["failed"]) == (N_TABLES - kept, 0)
    assert before - kept <= 2 * 8 + 4  # what was under way at the kill, and a look at the server
    assert questions(server) - before <= report["described"] + 4  # and a look
