"""A data set folder is read whole, or refused with every fault named."""

from pathlib import Path

import pytest

from polaris_search.evaluate.dataset import read_dataset
from polaris_search.evaluate.problems import MAX_SHOWN, EvaluationDataInvalid, Problem

QUERIES = 'query_id,query\nq1,turtles measured\nq2,"snakes, found"\n'
QRELS = "query_id,table_id,relevance_score\nq1,t1,1\nq1,t2,0.4\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "reptiles"
    folder.mkdir()
    (folder / "queries.csv").write_text(QUERIES, encoding="utf-8")
    (folder / "qrels.csv").write_text(QRELS, encoding="utf-8")
    return folder


def faults(folder: Path) -> list[str]:
    """The faults of a folder's files as sentences, paths relative to the folder."""
    with pytest.raises(EvaluationDataInvalid) as refused:
        read_dataset(folder)
    return str(refused.value).replace(f"{folder}/", "").splitlines()


def test_dataset_holds_queries_and_judgments_in_file_order(folder):
    dataset = read_dataset(folder)

    assert dataset.name == "reptiles"
    assert dataset.queries == {"q1": "turtles measured", "q2": "snakes, found"}
    assert dataset.qrels == {"q1": {"t1": 1.0, "t2": 0.4}, "q2": {}}
    assert dataset.notices == ()


def test_columns_may_stand_in_any_order_beside_others(folder):
    (folder / "qrels.csv").write_text(
        "note,relevance_score,table_id,query_id\nx,1.6,t1,q1\n", encoding="utf-8"
    )

    assert read_dataset(folder).qrels["q1"] == {"t1": 1.6}


def test_byte_order_mark_windows_lines_and_blank_lines_are_accepted(folder):
    (folder / "queries.csv").write_bytes(b"\xef\xbb\xbfquery_id,query\r\nq1,turtles\r\n\r\n")

    assert read_dataset(folder).queries == {"q1": "turtles"}


def test_a_query_may_be_any_text_even_none(folder):
    (folder / "queries.csv").write_text('query_id,query\nq1,\nq2,"two\nlines ""x"" \U0001f422"\n')

    assert read_dataset(folder).queries == {"q1": "", "q2": 'two\nlines "x" \U0001f422'}


def test_judgments_for_unknown_queries_are_counted_in_a_notice(folder):
    with (folder / "qrels.csv").open("a") as file:
        file.write("q8,t1,1\nq9,t1,1\n")

    dataset = read_dataset(folder)

    assert dataset.qrels == {"q1": {"t1": 1.0, "t2": 0.4}, "q2": {}}
    assert dataset.notices == (
        "2 judgments for queries that queries.csv does not hold were set aside.",
    )


def test_a_judgment_repeated_with_the_same_relevance_counts_once(folder):
    with (folder / "qrels.csv").open("a") as file:
        file.write("q1,t2,0.40\n")

    dataset = read_dataset(folder)

    assert dataset.qrels["q1"] == {"t1": 1.0, "t2": 0.4}
    assert dataset.notices == (
        "1 judgments stand twice with the same relevance; each counts once.",
    )


def test_every_fault_of_both_files_is_named_at_once_with_file_and_line(folder):
    (folder / "queries.csv").write_bytes(
        b"query_id,query\n"
        b"q1,turtles\n"
        b",no id\n"
        b"q1,again\n"
        b"q3,snakes, found\n"
        b"q4,caf\xe9\n"
        b'q5,"a query\nof two lines"\n'
        b"q6\n"
    )
    (folder / "qrels.csv").write_text(
        "query_id,table_id,relevance_score\n"
        "q1,t1,1\n"
        "q1,t1,2\n"
        "q1,,1\n"
        ",t1,1\n"
        "q1,t2,high\n"
        "q1,t3,-1\n"
        "q1,t4,nan\n"
        "q1,t5,inf\n"
        "q1,t6,\n"
    )

    assert faults(folder) == [
        "queries.csv:3: The query_id is empty. Give every query an id.",
        "queries.csv:4: The query_id 'q1' stands there before. Give every query an id of its own.",
        "queries.csv:5: It has 3 cells, the header 2. "
        "Put a text that holds a comma into double quotes.",
        "queries.csv:6: It holds bytes that are not UTF-8. Save the file as UTF-8.",
        "queries.csv:9: It has 1 cells, the header 2. "
        "Put a text that holds a comma into double quotes.",
        "qrels.csv:3: Table 't1', query 'q1': the relevance is 2, and 1 in an earlier row. "
        "Keep one of the two judgments.",
        "qrels.csv:4: The table_id is empty. Name it, or drop the row.",
        "qrels.csv:5: The query_id is empty. Name it, or drop the row.",
        "qrels.csv:6: The relevance_score is 'high'. Give a number of 0 or more.",
        "qrels.csv:7: The relevance_score is '-1'. Give a number of 0 or more.",
        "qrels.csv:8: The relevance_score is 'nan'. Give a number of 0 or more.",
        "qrels.csv:9: The relevance_score is 'inf'. Give a number of 0 or more.",
        "qrels.csv:10: The relevance_score is ''. Give a number of 0 or more.",
    ]


def test_missing_columns_are_named(folder):
    (folder / "qrels.csv").write_text("query_id,table,grade\nq1,t1,1\n")

    assert faults(folder) == [
        "qrels.csv:1: It has no column table_id, relevance_score "
        "(its columns: query_id, table, grade). "
        "Name the columns query_id,table_id,relevance_score in the first line."
    ]


def test_missing_and_empty_files_are_named_together(folder):
    (folder / "queries.csv").unlink()
    (folder / "qrels.csv").write_bytes(b"")

    assert faults(folder) == [
        "queries.csv: It cannot be read (No such file or directory). Put the file there.",
        "qrels.csv: It is empty. Give it a header: query_id,table_id,relevance_score.",
    ]


def test_a_quote_left_open_is_named_at_the_line_it_opens(folder):
    (folder / "queries.csv").write_text('query_id,query\nq1,turtles\nq2,"snakes\nq3,frogs\n')

    (fault,) = faults(folder)

    assert fault.startswith("queries.csv:3: It is not CSV")


def test_a_file_in_another_encoding_is_named(folder):
    (folder / "queries.csv").write_bytes("query_id,query\nq1,x\n".encode("utf-16"))

    assert "queries.csv:1: It holds bytes that are not UTF-8. Save the file as UTF-8." in faults(
        folder
    )


def test_a_flood_of_faults_is_cut_in_the_message_and_kept_in_the_error():
    error = EvaluationDataInvalid(
        [
            Problem(Path("qrels.csv"), line, "It is off", "Mend it.")
            for line in range(1, MAX_SHOWN + 8)
        ]
    )

    assert str(error).splitlines()[-1] == "And 7 more."
    assert len(error.problems) == MAX_SHOWN + 7


def test_a_query_of_a_million_characters_is_read(folder):
    (folder / "queries.csv").write_text("query_id,query\nq1," + "x" * 10**6 + "\n")

    assert len(read_dataset(folder).queries["q1"]) == 10**6
