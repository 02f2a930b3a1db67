"""`--expand llm` and `auto` as a person runs them, against a chat server that a test wrote."""

import json
import re

import pytest
from asking_llm import closed_address
from commands import Commands
from http_server import Asked, Reply, http_server

MEANINGS = {"cust": "customer", "ord": "order", "dt": "date", "qv": "quiver"}
LINE = re.compile(r"^(\d+): .*\(([a-z, ]+)\)", re.MULTILINE)
DESCRIPTION = {
    "dataset_overview": "Orders of customers",
    "key_themes_or_topics": "trade, archery",
    "applications_and_use_cases": "planning deliveries",
    "concepts_and_synonyms": "purchase, arrow case",
    "keywords_and_themes": "order, quiver, city",
    "additional_context": "One row for each order",
}


def answered(asked: Asked) -> Reply:
    """Answer a chat request: about names by MEANINGS, for a description by DESCRIPTION."""
    body = json.loads(asked.body or b"{}")
    if "messages" not in body:
        return Reply(body={"data": [{"id": "served"}]})
    lines = LINE.findall(body["messages"][-1]["content"])
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    if lines:
        said = {
            number: ", ".join(f"{one}={MEANINGS.get(one, one)}" for one in parts.split(", "))
            for number, parts in lines
        }
    else:
        said = {name: DESCRIPTION.get(name, "ocean") for name in schema["required"]}
    message = {"role": "assistant", "content": json.dumps(said)}
    return Reply(
        body={
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "served",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 50, "completion_tokens": 9, "total_tokens": 59},
        }
    )


@pytest.fixture
def server():
    with http_server(answered) as running:
        yield running


@pytest.fixture
def polaris(tmp_path):
    return Commands(tmp_path, f"file:{tmp_path / 'store'}")


@pytest.fixture
def tables(polaris):
    return written(polaris, "cust_ord", "ord_dt", "qv", "city")


def written(polaris, name, *columns):
    path = polaris.folder / "tables.jsonl"
    row = {"table_id": "t1", "name": name, "columns": columns}
    path.write_text(json.dumps(row) + "\n")
    return path


def model_of(server) -> dict[str, str]:
    return {"POLARIS_LLM_URL": server.address, "POLARIS_LLM_MODEL": "served"}


def names_asked(server) -> int:
    return sum(b"ord_dt" in asked.body for asked in server.asked)


def expansion(polaris, **model):
    return polaris.answer("show", "t1", **model)["expansion"]


@pytest.mark.parametrize(
    "command",
    [
        ("ingest", "tables.jsonl", "--expand", "llm"),
        ("reindex", "--expand", "llm"),
        ("evaluate-expansion", "gold.csv", "--expand", "llm"),
    ],
    ids=lambda command: command[0],
)
def test_asking_a_model_that_is_not_set_is_said_in_a_sentence(polaris, tables, command):
    finished = polaris(*command)

    assert finished.returncode == 2
    assert finished.stderr.decode() == (
        "Error: --expand llm needs a model. Set POLARIS_LLM_URL to a chat server, or "
        "POLARIS_LLM_KIND=local for the small local one.\n"
    )


def test_names_are_read_by_the_model_shown_searched_and_not_read_twice(polaris, tables, server):
    model = model_of(server)

    first = polaris("ingest", tables, "--expand", "llm", "--describe", "none", **model)

    assert first.returncode == 0, first.stderr
    assert b"Names: a model was asked about 2 columns of 1 tables in 2 calls" in first.stdout
    assert expansion(polaris, **model) == {
        "name": "customer order",
        "columns": ["order date", "quiver", "city"],
    }
    assert [hit["table_id"] for hit in polaris.answer("search", "quiver")["hits"]] == ["t1"]
    asked = names_asked(server)
    again = polaris.answer("ingest", tables, "--expand", "llm", "--describe", "none", **model)
    assert (again["unchanged"], again["model_names"]["calls"]) == (1, 0)
    assert names_asked(server) == asked


def test_names_and_descriptions_come_from_one_model(polaris, tables, server):
    report = polaris.answer("ingest", tables, "--expand", "llm", **model_of(server))

    assert (report["described"], report["failed"]) == (1, 0)
    assert report["model_names"]["tables"] == 1
    shown = polaris.answer("show", "t1")
    assert shown["expansion"]["name"] == "customer order"
    assert shown["description"]["dataset_overview"] == "Orders of customers"


def test_dry_run_counts_calls_and_asks_about_no_table(polaris, tables, server):
    report = polaris.answer(
        "ingest", tables, "--expand", "llm", "--describe", "none", "--dry-run", **model_of(server)
    )

    assert (report["estimate"]["tables"], report["estimate"]["calls"]) == (1, 2)
    assert names_asked(server) == 0


def test_server_that_is_gone_costs_neither_tables_nor_names_that_were_read(polaris, tables, server):
    polaris("ingest", tables, "--expand", "llm", "--describe", "none", **model_of(server))
    with tables.open("a") as file:
        file.write(json.dumps({"table_id": "t2", "name": "cust_ord", "columns": []}) + "\n")
    gone = {"POLARIS_LLM_URL": closed_address()}

    finished = polaris("ingest", tables, **gone)

    assert finished.returncode == 3
    assert b"tables are stored without asking it" in finished.stderr
    assert expansion(polaris)["columns"] == ["order date", "quiver", "city"]
    assert polaris.answer("show", "t2")["expansion"]["name"] == "customer order"


def test_reindex_reads_the_names_anew(polaris, tables, server):
    polaris("ingest", tables, "--expand", "lexical", "--describe", "none")
    model = model_of(server)

    preview = polaris.answer("reindex", "--expand", "llm", "--dry-run", **model)
    finished = polaris("reindex", "--expand", "llm", **model)

    assert preview["estimate"]["calls"] == 2
    assert finished.returncode == 0, finished.stderr
    assert b"Names: a model was asked about 2 columns" in finished.stdout
    assert expansion(polaris)["columns"] == ["order date", "quiver", "city"]


def test_expansion_is_evaluated_with_what_asking_took(polaris, server):
    gold = polaris.folder / "gold.csv"
    gold.write_text(
        "table_name,column_name,expansion\ncust,qv,quiver\ncust,city,city\ncust,ord_dt,order date\n"
    )

    figures = polaris.answer("evaluate-expansion", gold, "--expand", "llm", **model_of(server))

    assert (figures["columns"], figures["exact_match"]) == (3, 1.0)
    assert figures["model_names"] == {
        "tables": 1,
        "failed": 0,
        "asked": 2,
        "sure": 1,
        "calls": 2,
        "saved_calls": 0,
        "prompt_tokens": 2 * 50,
        "completion_tokens": 2 * 9,
    }


def test_auto_says_where_a_model_is_too_weak_to_be_asked(polaris, server):
    tables = written(polaris, "", "q_z_x", "city")

    finished = polaris("ingest", tables, "--describe", "none", **model_of(server))

    assert finished.returncode == 0
    assert b"easy names right, too few to be trusted" in finished.stderr
    assert b"0 columns of 1 tables in 1 calls" in finished.stdout


def test_glossary_wins_over_the_model(polaris, tables, server):
    glossary = polaris.folder / "glossary.csv"
    glossary.write_text("short,long\nqv,quality value\n")

    polaris(
        "ingest",
        tables,
        "--expand",
        "llm",
        "--describe",
        "none",
        POLARIS_GLOSSARY=str(glossary),
        **model_of(server),
    )

    assert expansion(polaris)["columns"] == ["order date", "quality value", "city"]
