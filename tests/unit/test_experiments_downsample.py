"""Down-sampling keeps the best tables of each query and all relevant ones, and nothing else."""

import json
from math import log

import pytest
from data_sets import data_set, read_csv

from polaris_search.errors import UsageError
from polaris_search.experiments.runs.corpus.downsample import downsample
from polaris_search.experiments.runs.corpus.metadata_index import metadata_index

TABLES = [
    ("d", [], {"caption": "river lake"}),
    ("a", [], {"caption": "river lake"}),
    ("c", ["river"], {"caption": "towns"}),
    ("b", [], {"caption": "river"}),
    ("e", ["name"], {"caption": "payroll"}),
    ("f", ["salary"], {}),
]


def ids(folder):
    return [row["table_id"] for row in read_csv(folder / "metadata.csv")]


def test_the_best_of_each_query_and_the_relevant_ones_are_kept_in_their_order(tmp_path):
    queries = {"q1": "rivers", "q2": "payroll"}
    folder = data_set(tmp_path / "full", TABLES, queries, [("q1", "f", 1), ("q2", "e", 2)])

    found = downsample(folder, tmp_path / "small", top=2)

    # q1: "river" alone is the shortest context; the trigrams of the column "river" match as well.
    assert ids(tmp_path / "small") == ["c", "b", "e", "f"]
    assert (found.read, found.retrieved, found.relevant, found.kept) == (6, 3, 2, 4)
    assert (found.queries, found.dropped_queries) == (2, ())


def test_of_tables_that_tie_for_the_last_place_the_smaller_id_is_kept(tmp_path):
    folder = data_set(tmp_path / "full", TABLES, {"q": "lake"}, [("q", "e", 1)])

    downsample(folder, tmp_path / "small", top=1)

    assert ids(tmp_path / "small") == ["a", "e"]


def test_queries_without_a_relevant_table_are_searched_and_then_dropped(tmp_path):
    judged = [("q1", "b", 1), ("q1", "zzz", 1), ("q2", "e", 0), ("q3", "gone", 2)]
    queries = {"q1": "rivers", "q2": "payroll", "q3": "salary", "q4": "towns"}
    folder = data_set(tmp_path / "full", TABLES, queries, judged)

    found = downsample(folder, tmp_path / "small", top=1)

    assert [row["query_id"] for row in read_csv(tmp_path / "small" / "queries.csv")] == ["q1"]
    assert found.dropped_queries == ("q2", "q3", "q4")
    assert found.unknown_relevant == 2
    assert {"e", "f"} <= set(ids(tmp_path / "small"))  # the best of queries that are dropped
    assert read_csv(tmp_path / "small" / "qrels.csv") == [
        {"query_id": "q1", "table_id": "b", "relevance_score": "1"}
    ]


def test_a_score_is_the_equal_sum_of_both_fields(tmp_path):
    tables = [("a", ["river"], {"k": "river"}), ("b", [], {"k": "river towns"}), ("c", [], {})]
    folder = data_set(tmp_path / "full", tables, {"q": "river"}, [])

    def score(length, average, n_documents, with_term):
        idf = log(1 + (n_documents - with_term + 0.5) / (with_term + 0.5))
        return idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / average))

    with metadata_index(folder / "metadata.csv") as corpus:
        best = dict(corpus.best("rivers", 5)) | dict(corpus.best("river", 5))

    trigrams = 5 * score(5, 5, 1, 1)  # _ri riv ive ver er_
    assert best["a"] == pytest.approx(0.5 * (trigrams + score(1, 1.5, 2, 2)))
    assert best["b"] == pytest.approx(0.5 * score(2, 1.5, 2, 2))
    assert best.keys() == {"a", "b"}


def test_cells_stay_as_they_stood_and_bad_rows_are_counted(tmp_path):
    folder = data_set(tmp_path / "full", TABLES, {"q": "river"}, [("q", "b", "0.50")])
    with (folder / "metadata.csv").open("a") as file:
        file.write('b,twice,"[]",{}\nx,name,"[broken",\ny,"two\nlines","[""river""]",plain text\n')

    found = downsample(folder, tmp_path / "small", top=10)

    kept = {row["table_id"]: row for row in read_csv(tmp_path / "small" / "metadata.csv")}
    assert kept["y"]["table_name"] == "two\nlines"
    assert kept["y"]["table_context"] == "plain text"
    assert kept["b"]["table_name"] == ""
    assert found.rejected == 2
    (judged,) = read_csv(tmp_path / "small" / "qrels.csv")
    assert judged["relevance_score"] == "0.50"


def test_the_record_says_what_was_read_and_a_second_run_gives_the_same_bytes(tmp_path):
    folder = data_set(tmp_path / "full", TABLES, {"q": "river"}, [("q", "b", 1)])

    downsample(folder, tmp_path / "one", top=2)
    downsample(folder, tmp_path / "two", top=2)

    for name in ("metadata.csv", "queries.csv", "qrels.csv", "downsample.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    record = json.loads((tmp_path / "one" / "downsample.json").read_text())
    assert (record["from"], record["top"], record["kept"]) == ("full", 2, 2)


def test_a_data_set_is_not_written_over(tmp_path):
    folder = data_set(tmp_path / "full", TABLES, {"q": "river"}, [("q", "b", 1)])
    before = (folder / "metadata.csv").read_bytes()

    with pytest.raises(UsageError, match="holds metadata.csv"):
        downsample(folder, folder)

    assert (folder / "metadata.csv").read_bytes() == before
