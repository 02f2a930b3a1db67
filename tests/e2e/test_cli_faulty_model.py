"""`polaris-admin ingest` with a chat server that fails: what is stored and said, and the exit code.

The scripted server's texts show which table they were written for; the real model's do not, but
its server and its faults are real.
"""

import csv
import json
from pathlib import Path

import pytest
from commands import Commands
from faulty_server import NOT_AN_ADAPTER, Faulty, faulty_server
from http_server import passed_on
from scripted_llm import ADAPTER, ScriptedLlm, mark_of, scripted_server, sign_of

from polaris_search.store.embedded.store import EmbeddedStore

EXAMPLES = Path(__file__).parents[2] / "examples" / "demo" / "metadata.csv"
N_EXAMPLES = 2
N_TABLES = 64
IDS = [f"t{n:02}" for n in range(N_TABLES)]
QUICK = {"POLARIS_LLM_TIMEOUT_S": "1", "POLARIS_LLM_CONCURRENCY": "16"}


@pytest.fixture
def polaris(tmp_path) -> Commands:
    return Commands(tmp_path, "file:store")


def marked_tables(polaris: Commands, number: int):
    return polaris.tables(*((IDS[n], f"{mark_of(n)} log") for n in range(number)))


def ingested(polaris: Commands, source, url: str, kind: str, **more: str):
    """Ingest with --json; return the exit code and the report."""
    told = {"POLARIS_LLM_URL": url, "POLARIS_LLM_KIND": kind, **more}
    finished = polaris("ingest", source, "--expand", "none", "--describe", "llm", "--json", **told)
    assert finished.stdout, finished.stderr.decode()
    return finished.returncode, json.loads(finished.stdout)


def described_texts(polaris: Commands) -> dict[str, list[str]]:
    """Return what is stored of each table: the texts of its description, or none."""
    store = EmbeddedStore(polaris.folder / "store")
    try:
        return {
            table.table_id: list(table.description.values()) if table.description else []
            for table in store.tables()
        }
    finally:
        store.close()


def test_faults_at_a_third_of_the_calls_end_in_a_true_report_and_exit_code(polaris):
    faulty = Faulty(ScriptedLlm(), seed=7)
    with faulty_server(faulty) as server:
        exit_code, report = ingested(
            polaris,
            marked_tables(polaris, N_TABLES),
            server.address,
            "vllm",
            POLARIS_LLM_MODEL=ADAPTER,
            **QUICK,
        )

    texts = described_texts(polaris)
    assert sorted(texts) == IDS
    assert faulty.met.total() > N_TABLES * 0.2
    assert report["described"] == sum(map(bool, texts.values()))
    assert report["described"] + report["failed"] == report["stored"] == N_TABLES
    assert exit_code == (1 if report["failed"] else 0)
    for n, table_id in enumerate(IDS):
        assert all(sign_of(mark_of(n)) in text for text in texts[table_id])
        assert all(sign_of(ADAPTER) in text for text in texts[table_id])


def test_a_key_revoked_on_the_way_is_asked_with_a_few_times_and_told(polaris):
    n_sound = 24
    faulty = Faulty(ScriptedLlm(), seed=7, share=1.0, faults=["denied"], sound=n_sound)
    with faulty_server(faulty) as server:
        source = marked_tables(polaris, N_TABLES)
        exit_code, report = ingested(polaris, source, server.address, "vllm", **QUICK)

    texts = described_texts(polaris)
    assert exit_code == 1
    assert sorted(texts) == IDS
    assert report["failed"] == N_TABLES - report["described"] > 0
    assert sum(map(bool, texts.values())) == report["described"]
    # The last requests under way are denied together; after them nothing is sent.
    assert faulty.calls <= n_sound + 2 * int(QUICK["POLARIS_LLM_CONCURRENCY"])
    assert any("asked no more" in reason for reason, _ in report["reasons"])


def check_that_a_wrong_adapter_is_told(polaris: Commands, source, url: str) -> None:
    told = {"POLARIS_LLM_URL": url, "POLARIS_LLM_KIND": "tgi", "POLARIS_LLM_MODEL": NOT_AN_ADAPTER}
    finished = polaris("ingest", source, "--expand", "none", "--describe", "llm", **told)

    assert finished.returncode not in (0, None)
    assert NOT_AN_ADAPTER in finished.stderr.decode()
    assert not any(described_texts(polaris).values())


def test_an_adapter_that_tgi_does_not_know_writes_nothing_in_its_name(polaris):
    with scripted_server(ScriptedLlm()) as server:
        check_that_a_wrong_adapter_is_told(polaris, marked_tables(polaris, 3), server.address)


@pytest.mark.llm
def test_a_real_model_that_lacks_the_adapter_writes_nothing_in_its_name(polaris, tgi_url):
    check_that_a_wrong_adapter_is_told(polaris, marked_tables(polaris, 1), tgi_url)


@pytest.mark.llm
def test_examples_are_described_or_marked_by_a_real_model_on_tgi_behind_faults(polaris, tgi_url):
    faults = ("busy_with_wait", "error", "half_reply", "no_json", "reset")
    faulty = Faulty(passed_on(tgi_url, timeout_s=120), seed=3, share=0.4, faults=faults)
    with EXAMPLES.open(newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))[: 1 + N_EXAMPLES]
    source = polaris.folder / "metadata.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])

    # One request at a time reads what all prompts begin with once.
    one_at_a_time = {"POLARIS_LLM_MAX_TOKENS": "100", "POLARIS_LLM_CONCURRENCY": "1"}
    with faulty_server(faulty) as server:
        exit_code, report = ingested(polaris, source, server.address, "tgi", **one_at_a_time)

    texts = described_texts(polaris)
    assert sorted(texts) == sorted(row[header.index("table_id")] for row in rows)
    assert faulty.met.total() > 0
    assert report["described"] + report["failed"] == N_EXAMPLES
    assert exit_code == (1 if report["failed"] else 0)
    assert [len(one) for one in texts.values() if one] == [6] * report["described"]
