"""Candidates of the small local model: several texts of a table out of one request, each traced."""

import json
from pathlib import Path

import pytest
from commands import Commands

pytestmark = pytest.mark.llm


def test_the_local_model_writes_candidates_that_differ_and_tell_their_seeds(tmp_path: Path):
    polaris = Commands(tmp_path, f"file:{tmp_path / 'store'}")
    folder, out = tmp_path / "data", tmp_path / "made.jsonl"
    folder.mkdir()
    (folder / "metadata.csv").write_text(
        'table_id,table_name,column_names\nt1,seabird_counts,"[""species"", ""site"", ""year""]"\n'
        't2,bank_loans,"[""customer"", ""amount""]"\n'
    )
    (folder / "queries.csv").write_text("query_id,query\nq1,birds of the coast\n")
    (folder / "qrels.csv").write_text("query_id,table_id,relevance_score\nq1,t1,1\n")

    answer = polaris.answer(
        *("candidates", folder, "--out", out, "--k", "3"), POLARIS_LLM_KIND="local"
    )

    assert (answer["tables"], answer["candidates"], answer["duplicates"]) == (2, 4, 0)
    lines = map(json.loads, out.read_text().splitlines())
    made = {line["table_id"]: line["candidates"] for line in lines}
    assert len({one["text"] for one in made["t1"]}) == 3
    assert len({one["seed"] for one in made["t1"]}) == 3
    # Which replies of the one request are good enough depends on how the server shares its work.
    together = [one for one in made["t1"] if "reply" in one]
    assert all(one["seed"] == one["request_seed"] + one["reply"] for one in together)
    assert "reply" not in made["t2"][0]
