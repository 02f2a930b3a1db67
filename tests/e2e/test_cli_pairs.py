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


def test_held_out_queries_rank_nothing_and_the_record_names_them(
    embedded, dataset, candidates, tmp_path
):
    out = tmp_path / "pairs.jsonl"
    arguments = ("pairs", "--dataset", dataset, "--candidates", candidates, "--out", out)

    whole = embedded.answer(*arguments)
    whole_record = json.loads((tmp_path / "pairs.jsonl.record.json").read_text())
    answer = embedded.answer(*arguments, "--hold-out", "0.34", "--hold-out-seed", "1")
    record = json.loads((tmp_path / "pairs.jsonl.record.json").read_text())

    assert (whole["held_out"]["queries"], whole_record["held_out_queries"]) == (0, [])
    assert whole_record["pairs"][0]["queries"] == ["q3", "q1"]
    assert whole_record["judgments_hash"] == whole_record["all_judgments_hash"]
    assert answer["held_out"] == {"share": 0.34, "seed": 1, "queries": 1}
    assert record["hold_out"] == {"share": 0.34, "seed": 1}
    assert record["held_out_queries"] == ["q1"]
    assert record["pairs"][0]["queries"] == ["q3"]
    assert record["all_judgments_hash"] == whole_record["judgments_hash"]
    assert record["judgments_hash"] != whole_record["judgments_hash"]


def test_a_table_whose_queries_are_all_held_out_is_counted_and_not_ranked(
    embedded, dataset, candidates
):
    arguments = ("pairs", "--dataset", dataset, "--candidates", candidates)

    answer = embedded.answer(*arguments, "--hold-out", "0.34", "--hold-out-seed", "0")

    assert (answer["tables"], answer["left_out"]["all_held_out"]) == (1, 1)


def test_a_second_run_knows_the_texts_and_says_the_same(embedded, dataset, candidates, tmp_path):
    arguments = ("pairs", "--dataset", dataset, "--candidates", candidates)
    known = tmp_path / "polaris-data" / "cache" / "analysis"

    embedded.answer(*arguments, "--scores", tmp_path / "without.jsonl", "--no-cache")
    kept_without = known.exists()
    embedded.answer(*arguments, "--scores", tmp_path / "first.jsonl")
    kept_by_first = sorted(known.rglob("*.npz"))
    embedded.answer(*arguments, "--scores", tmp_path / "second.jsonl")

    assert not kept_without
    assert len(kept_by_first) == 1
    assert sorted(known.rglob("*.npz")) == kept_by_first
    scores = [(tmp_path / f"{name}.jsonl").read_text() for name in ("without", "first", "second")]
    assert scores[0] == scores[1] == scores[2]


def test_with_json_nothing_but_notices_is_said_on_the_way(embedded, dataset, candidates):
    finished = embedded("pairs", "--dataset", dataset, "--candidates", candidates, "--json")

    assert b"reading tables" not in finished.stderr
    assert b"\x1b" not in finished.stderr


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


@pytest.mark.parametrize("option", ["--out", "--scores"])
def test_the_candidates_are_not_overwritten(embedded, dataset, candidates, option):
    before = candidates.read_bytes()

    refused = embedded(
        *("pairs", "--dataset", dataset, "--candidates", candidates, option, candidates)
    )

    assert refused.returncode == 2
    assert b"must be different files" in refused.stderr
    assert candidates.read_bytes() == before


def test_nothing_to_rank_is_no_error(embedded, dataset, tmp_path):
    path, out = tmp_path / "candidates.jsonl", tmp_path / "pairs.jsonl"
    path.write_text('{"table_id": "ships", "candidates": [{"text": "vessels"}]}\n')

    answer = embedded.answer(
        *("pairs", "--dataset", dataset, "--candidates", path, "--out", out, "--verify", "3"),
        *("--rounds", "5"),
    )

    assert (answer["tables"], answer["pairs"]) == (0, 0)
    assert answer["left_out"]["gold_without_candidates"] == 2
    assert out.read_text() == ""


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


def test_a_server_that_gives_several_replies_is_asked_once_a_table(embedded, dataset, tmp_path):
    out = tmp_path / "made.jsonl"
    with chat_server() as server:
        server.enqueue(CANARY)
        for _ in range(2):
            server.enqueue(completion(six("gulls"), "stop", six("terns"), six("owls")))
        server.enqueue(completion(six("ships")))

        answer = embedded.answer(
            *("candidates", dataset, "--out", out, "--k", "3"),
            **model_at(server) | {"POLARIS_LLM_CONCURRENCY": "1"},
        )

        asked = [one.body.get("n") for one in server.asked if one.path.endswith("completions")]
    assert (answer["tables"], answer["candidates"], answer["fewer"]) == (3, 7, 0)
    assert asked == [None, 3, 3, None]  # the first is the look at the server
    made = {line["table_id"]: line["candidates"] for line in lines_of(out)}
    assert [(one["reply"], one["request_seed"]) for one in made["birds"]] == [
        (0, 42),
        (1, 42),
        (2, 42),
    ]


def test_what_a_file_holds_of_another_run_is_told(embedded, dataset, tmp_path):
    out = tmp_path / "made.jsonl"
    line = {"table_id": "birds", "candidates": [{"text": "gulls", "model": "another"}]}
    out.write_text(json.dumps(line) + "\n")
    with chat_server() as server:
        server.enqueue(CANARY, *[completion(six(animal)) for animal in FAUNA])

        finished = embedded("candidates", dataset, "--out", out, "--k", "2", **model_at(server))

    assert finished.returncode == 0
    assert b"1 tables were there before with fewer candidates" in finished.stderr
    assert b"1 tables were there before, sampled by another model" in finished.stderr


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
