"""From a data set to preference pairs as a person runs it: `candidates`, then `pairs`."""

import json
from pathlib import Path

import pytest
from commands import Commands
from fakes_llm import CANARY, chat_server, completion

from polaris_search.records import DESCRIPTION_FIELDS

TABLES = [("birds", "BirdCount"), ("loans", "LOAN_ACCT"), ("ships", "vessel")]
QUERIES = [("q1", "seabird colonies"), ("q2", "bank lending"), ("q3", "bird nests")]
RELEVANT = [("q3", "birds"), ("q1", "birds"), ("q2", "loans"), ("q2", "gone")]


@pytest.fixture
def polaris(tmp_path: Path, store_url: str) -> Commands:
    return Commands(tmp_path, store_url)


@pytest.fixture
def embedded(tmp_path: Path) -> Commands:
    return Commands(tmp_path, f"file:{tmp_path / 'store'}")


@pytest.fixture
def dataset(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    tables = "".join(f'{key},{name},"[""a""]"\n' for key, name in TABLES)
    (folder / "metadata.csv").write_text("table_id,table_name,column_names\n" + tables)
    queries = "".join(f"{key},{text}\n" for key, text in QUERIES)
    (folder / "queries.csv").write_text("query_id,query\n" + queries)
    qrels = "".join(f"{query},{table},1\n" for query, table in RELEVANT)
    (folder / "qrels.csv").write_text("query_id,table_id,relevance_score\n" + qrels)
    return folder


@pytest.fixture
def candidates(tmp_path):
    path = tmp_path / "candidates.jsonl"
    lines = [
        {"table_id": "birds", "candidates": texts("a list of sites", "seabird nests", "birds")},
        {"table_id": "loans", "candidates": texts("loan", "")},
        {"table_id": "ships", "candidates": texts("vessels at sea")},
        {"table_id": "nowhere", "candidates": texts("what is not there")},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def texts(*found):
    return [{"text": text, "seed": seed} for seed, text in enumerate(found)]


def lines_of(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_pairs_prefer_what_the_queries_find_and_say_what_was_left_out(
    polaris, dataset, candidates, tmp_path
):
    out, scores = tmp_path / "pairs.jsonl", tmp_path / "scores.jsonl"

    answer = polaris.answer(
        *("pairs", "--dataset", dataset, "--candidates", candidates, "--out", out),
        *("--scores", scores, "--verify", "5", "--rounds", "9"),
    )

    assert (answer["tables"], answer["pairs"], answer["ended"]) == (2, 1, "converged")
    assert answer["verified"] == {
        "tables": 2,
        "means": 5,
        "largest_difference": 0.0,
        "other_orders": 0,
    }
    assert answer["left_out"]["unknown_candidates"] == 1
    assert answer["left_out"]["unknown_judged"] == 1
    (pair,) = lines_of(out)
    assert pair["chosen"][0]["content"] == "seabird nests"
    assert pair["rejected"][0]["content"] == "a list of sites"
    assert "bird count" in pair["prompt"][-1]["content"].lower()
    ranked = {line["table_id"]: line for line in lines_of(scores)}
    assert (ranked["birds"]["best"], ranked["birds"]["worst"]) == (1, 0)
    assert ranked["loans"]["pair"] is False
    record = json.loads((tmp_path / "pairs.jsonl.record.json").read_text())
    assert record["pairs"][0]["chosen"] == {"place": 1, "seed": 1}
    assert len(record["corpus_hash"]) == 64


@pytest.mark.parametrize("objective", ["terms-once", "reciprocal-rank", "ndcg"])
def test_every_objective_agrees_with_the_store(polaris, dataset, candidates, objective):
    answer = polaris.answer(
        *("pairs", "--dataset", dataset, "--candidates", candidates, "--verify", "5"),
        *("--objective", objective, "--profile", "paper", "--corpus", "first"),
    )

    assert answer["verified"]["largest_difference"] == 0.0


def test_a_file_that_holds_no_candidates_is_refused_with_the_line(embedded, dataset, tmp_path):
    path = tmp_path / "candidates.jsonl"
    path.write_text('{"table_id": "birds"}\n')

    refused = embedded("pairs", "--dataset", dataset, "--candidates", path)

    assert refused.returncode == 1
    assert b"line 1: table 'birds' has no list of candidates" in refused.stderr


def six(text):
    return json.dumps({name: f"{text} about {name.split('_')[0]}s" for name in DESCRIPTION_FIELDS})


def test_candidates_are_sampled_with_their_seeds_and_a_stopped_run_goes_on(
    embedded, dataset, tmp_path
):
    out = tmp_path / "made.jsonl"
    out.write_text('{"table_id": "ships", "candidates": [{"text": "there"}]}\n{"table_id": "bi')
    words = iter(f"{one} {other} coast" for one in FAUNA for other in FAUNA if one != other)
    with chat_server() as server:
        server.enqueue(CANARY)
        for _ in range(40):
            server.enqueue(completion(six(next(words))))
        settings = model_at(server)

        answer = embedded.answer("candidates", dataset, "--out", out, "--k", "2", **settings)

    assert (answer["tables"], answer["there_before"]) == (2, 1)
    made = {line["table_id"]: line["candidates"] for line in lines_of(out)}
    assert sorted(made) == ["birds", "loans", "ships"]
    assert [len(made[key]) for key in ("birds", "loans")] == [2, 2]
    assert [one["seed"] for one in made["birds"]] == [42, 142]
    assert made["birds"][0]["text"] != made["birds"][1]["text"]


def model_at(server):
    return {
        "POLARIS_LLM_URL": server.url,
        "POLARIS_LLM_KIND": "openai",
        "POLARIS_LLM_MODEL": "served-model",
    }


FAUNA = ("gulls", "terns", "puffins", "herons", "plovers", "storks", "eagles", "owls")


def test_a_table_that_got_no_candidate_is_told_and_asked_for_again(embedded, dataset, tmp_path):
    out = tmp_path / "made.jsonl"
    with chat_server() as server:
        server.enqueue(CANARY)
        for _ in range(60):
            server.enqueue(completion("no JSON at all"))
        settings = model_at(server)

        failed = embedded("candidates", dataset, "--out", out, "--k", "1", **settings)

    assert failed.returncode == 1
    assert b"3 tables got no candidate" in failed.stderr
    assert out.read_text() == ""


def test_candidates_without_a_model_say_what_to_set(embedded, dataset, tmp_path):
    refused = embedded("candidates", dataset, "--out", tmp_path / "made.jsonl")

    assert refused.returncode == 2
    assert b"POLARIS_LLM_URL" in refused.stderr
