"""A whole evaluation of a small made-up folder, on a real embedded store."""

import json
from collections.abc import Iterator
from contextlib import closing
from math import log2
from pathlib import Path

import pytest

from ingest.steps import NoExpander
from polaris_search.evaluate.measures import NothingToMeasure, evaluate_run
from polaris_search.evaluate.problems import EvaluationDataInvalid
from polaris_search.evaluate.run import read_run
from polaris_search.experiments.evaluate_folder import (
    FolderEvaluation,
    NoEvaluationProgress,
    evaluate_folder,
)
from polaris_search.experiments.given_descriptions import read_descriptions
from polaris_search.profiles.model import profile_named
from polaris_search.records import Column, EnrichedTable, Provenance, RawTable
from polaris_search.store.embedded.store import EmbeddedStore

METADATA = """table_id,table_name,column_names,table_context
db#turtles,turtles,"[""shell length"", ""weight""]","{""caption"": ""turtle survey""}"
db#snakes 2,snakes,"[""length"", ""venom""]","{""caption"": ""snake survey""}"
db#traps,traps,"[""trap number"", ""location""]",
"""
QUERIES = """query_id,query
q1,venom
q2,survey turtle
q3,rainfall
q4,nobody judged this
"""
QRELS = """query_id,table_id,relevance_score
q1,db#snakes 2,1
q2,db#snakes 2,0.4
q2,db#turtles,1.6
q3,db#traps,1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "reptiles"
    folder.mkdir()
    (folder / "metadata.csv").write_text(METADATA)
    (folder / "queries.csv").write_text(QUERIES)
    (folder / "qrels.csv").write_text(QRELS)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with closing(EmbeddedStore(tmp_path / "store")) as store:
        yield store


def evaluated(folder: Path, store: EmbeddedStore, **others: object) -> FolderEvaluation:
    return evaluate_folder(folder, store, profile_named("paper"), NoExpander(), **others)


def test_a_folder_gives_the_measures_worked_out_by_hand(folder, store):
    found = evaluated(folder, store, measures=["R@10", "nDCG@10"])

    # q1 finds its table first, q2 finds both in the ideal order, q3 finds nothing, q4 is left out.
    assert (found.dataset, found.profile, found.queries, found.left_out) == (
        "reptiles",
        "paper",
        3,
        1,
    )
    assert list(found.measures) == ["R@10", "nDCG@10"]
    assert found.measures == pytest.approx({"R@10": 2 / 3, "nDCG@10": 2 / 3})
    assert found.evaluation.per_query["q3"] == {"R@10": 0, "nDCG@10": 0}
    assert found.notices == ()
    assert found.ingested.seen == 3


def test_live_tables_are_neither_searched_nor_changed(folder, store):
    live = EnrichedTable(RawTable("live", "venom", (Column("venom"),)), Provenance("x"))
    store.put([live])
    store.refresh()
    before = store.status()

    found = evaluated(folder, store, measures=["nDCG@1"])

    assert found.evaluation.per_query["q1"] == {"nDCG@1": 1}
    assert list(store.table_ids()) == ["live"]
    assert store.status() == before


def test_the_run_file_gives_the_same_measures_again(folder, store, tmp_path):
    run_path = tmp_path / "out" / "paper.run"

    found = evaluated(folder, store, run_path=run_path, measures=["nDCG@10", "R@5"])

    lines = [line.split() for line in run_path.read_text().splitlines()]
    assert [line[:4] for line in lines] == [
        ["q1", "Q0", "db#snakes%202", "1"],
        ["q2", "Q0", "db#turtles", "1"],
        ["q2", "Q0", "db#snakes%202", "2"],
    ]
    assert {line[5] for line in lines} == {"paper"}
    judged = {"q1": {"db#snakes 2": 1}, "q2": {"db#snakes 2": 0.4, "db#turtles": 1.6}}
    again = evaluate_run(judged | {"q3": {"db#traps": 1}}, read_run(run_path), ["nDCG@10", "R@5"])
    assert again.means == found.measures


def test_the_per_query_table_is_written(folder, store, tmp_path):
    evaluated(folder, store, per_query_path=tmp_path / "each.csv", measures=["nDCG@10", "R@1"])

    assert (tmp_path / "each.csv").read_text().splitlines() == [
        "query_id,nDCG@10,R@1",
        "q1,1.0,1.0",
        "q2,1.0,0.5",
        "q3,0.0,0.0",
    ]


def test_given_descriptions_are_searched_word_for_word(folder, store, tmp_path):
    descriptions = tmp_path / "descriptions.jsonl"
    records = [
        {"table_id": "db#traps", "description": "Traps, and the rainfall at each."},
        {"table_id": "db#turtles", "description": "Shells."},
        {"table_id": "db#snakes 2", "description": "Fangs."},
    ]
    descriptions.write_text("\n".join(json.dumps(record) for record in records))

    found = evaluate_folder(
        folder,
        store,
        profile_named("paper-single"),
        NoExpander(),
        read_descriptions(descriptions),
        ["nDCG@10"],
    )

    assert found.evaluation.per_query["q3"] == {"nDCG@10": 1}
    assert found.notices == ()
    assert found.ingested.described == 3


def test_a_table_that_the_descriptions_lack_is_told_and_still_searched(folder, store, tmp_path):
    descriptions = tmp_path / "descriptions.jsonl"
    descriptions.write_text('{"table_id": "db#traps", "description": "Rainfall."}\n')

    found = evaluated(folder, store, describer=read_descriptions(descriptions), measures=["R@5"])

    assert found.notices == (
        f"2 tables were not described: {descriptions} holds no description of it.",
    )
    assert found.measures == {"R@5": 1}


def test_what_is_missing_or_set_aside_is_told(folder, store):
    with (folder / "qrels.csv").open("a") as file:
        file.write("q1,db#gone,1\nq1,db#gone too,0\nq9,db#traps,1\n")
    with (folder / "metadata.csv").open("a") as file:
        file.write(",nameless,[],\n")
    with (folder / "queries.csv").open("a") as file:
        file.write("q5," + " ".join(f"word{i}" for i in range(200)) + "\n")

    found = evaluated(folder, store, measures=["nDCG@10"])

    assert found.evaluation.per_query["q1"]["nDCG@10"] == pytest.approx(1 / (1 + 1 / log2(3)))
    assert found.ingested.rejected == 1
    notices = [notice.replace(str(folder) + "/", "") for notice in found.notices]
    assert notices[0] == "1 judgments for queries that queries.csv does not hold were set aside."
    assert notices[1] == "1 relevant tables are not in metadata.csv; they count as not found."
    assert notices[2] == "1 rows of metadata.csv were not taken:"
    assert notices[3].startswith("metadata.csv:5: ")
    assert notices[4].startswith("1 queries: Only the first 128 words")


def test_a_folder_that_cannot_be_measured_touches_no_store(folder, store):
    (folder / "qrels.csv").write_text("query_id,table_id,relevance_score\nq1,db#traps,0\n")
    with pytest.raises(NothingToMeasure):
        evaluated(folder, store)

    (folder / "qrels.csv").write_text("query_id,table_id,relevance_score\nq1,db#traps,x\n")
    with pytest.raises(EvaluationDataInvalid):
        evaluated(folder, store)

    assert store.status().tables == 0


def test_progress_is_heard_of_tables_and_of_queries(folder, store):
    class Heard(NoEvaluationProgress):
        def __init__(self) -> None:
            self.calls: list[tuple[str, int, int]] = []

        def read(self, seen: int, rejected: int) -> None:
            self.calls.append(("read", seen, rejected))

        def searched(self, done: int, total: int) -> None:
            self.calls.append(("searched", done, total))

    heard = Heard()

    evaluated(folder, store, progress=heard)

    assert heard.calls == [("read", 3, 0), *(("searched", done, 4) for done in (1, 2, 3, 4))]


def test_equal_folders_give_equal_runs(folder, store, tmp_path):
    evaluated(folder, store, run_path=tmp_path / "one.run")
    evaluated(folder, store, run_path=tmp_path / "two.run")

    assert (tmp_path / "one.run").read_bytes() == (tmp_path / "two.run").read_bytes()


def test_default_profile_works_on_the_folder_too(folder, store):
    found = evaluate_folder(
        folder, store, profile_named("default"), NoExpander(), measures=["nDCG@10"]
    )

    assert found.evaluation.per_query["q1"] == {"nDCG@10": 1}
