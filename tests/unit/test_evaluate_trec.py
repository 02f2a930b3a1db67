"""TREC runs and qrels come back exactly, and other programs' files are read as documented."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polaris_search.evaluate.measures import evaluate_run
from polaris_search.evaluate.per_query import per_query_lines
from polaris_search.evaluate.problems import EvaluationDataInvalid
from polaris_search.evaluate.qrels import qrels_lines, read_qrels
from polaris_search.evaluate.run import read_run, run_lines
from polaris_search.evaluate.trec_ids import decoded_id, encoded_id
from polaris_search.evaluate.written import NotWritten, write_lines
from polaris_search.store.protocol import ScoredTable


def faults(error: EvaluationDataInvalid) -> list[str]:
    return [str(problem).partition(":")[2] for problem in error.problems]


def test_a_run_has_six_columns_and_scores_in_shortest_decimals():
    run = {"q 1": [ScoredTable("db#a b", 12.345678), ScoredTable("100%", 0.1)], "q2": []}

    assert list(run_lines(run, "default")) == [
        "q%201 Q0 db#a%20b 1 12.345678 default",
        "q%201 Q0 100%25 2 0.1 default",
    ]


@pytest.mark.parametrize(
    ("plain", "encoded"),
    [
        ("db#t", "db#t"),
        ("a b", "a%20b"),
        ("a\tb\nc", "a%09b%0Ac"),
        ("50%20", "50%2520"),
        ("a\u00a0b", "a%C2%A0b"),
        ("\u2028", "%E2%80%A8"),
        ("größe/表", "größe/表"),
    ],
)
def test_white_space_and_percent_are_encoded_and_come_back(plain, encoded):
    assert encoded_id(plain) == encoded
    assert decoded_id(encoded) == plain


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_id_comes_back_and_never_splits_a_line(text):
    encoded = encoded_id(text)

    assert decoded_id(encoded) == text
    assert encoded.split() == [encoded]


@pytest.mark.parametrize("foreign", ["100%", "5%zz", "%ff", "a%"])
def test_an_id_that_is_not_encoded_stays_as_it_is(foreign):
    assert decoded_id(foreign) == foreign


def test_a_run_comes_back_in_its_order_even_where_scores_tie(tmp_path):
    run = {
        "q 2": (ScoredTable("z", 3.5), ScoredTable("b", 1.0), ScoredTable("a %", 1.0)),
        "q1": (ScoredTable("a", 1e-07),),
    }

    write_lines(tmp_path / "out.run", run_lines(run, "default"))

    assert read_run(tmp_path / "out.run") == run
    assert list(read_run(tmp_path / "out.run")) == ["q 2", "q1"]


def test_a_foreign_run_is_ordered_by_score_then_rank_then_id(tmp_path):
    (tmp_path / "x.run").write_text(
        "q Q0 d 0 1.0 x\nq Q0 low 1 0.5 x\nq\tQ0  c 0 1.0 x\nq Q0 b 7 1.0 x\nq Q0 top 9 2 x\n"
    )

    ordered = [table.table_id for table in read_run(tmp_path / "x.run")["q"]]

    assert ordered == ["top", "c", "d", "b", "low"]


def test_every_bad_line_of_a_run_is_named(tmp_path):
    (tmp_path / "x.run").write_bytes(
        b"q Q0 a 1 2.0 x\n\nq Q0 b c 2 1.0 x\nq Q0 c one 1.0 x\nq Q0 d 3 nan x\n"
        b"q Q0 a 4 0.5 x\nq Q0 \xff 5 0.1 x\n"
    )

    with pytest.raises(EvaluationDataInvalid) as refused:
        read_run(tmp_path / "x.run")

    assert faults(refused.value) == [
        "3: It has 7 columns, not 6. "
        "Write query Q0 table rank score tag, and percent-encode white space in ids.",
        "4: The rank is 'one' and the score '1.0'. Give a whole number and a number.",
        "5: The rank is '3' and the score 'nan'. Give a whole number and a number.",
        "6: Table 'a' stands there before for query 'q'. List every table once for a query.",
        "7: It holds bytes that are not UTF-8. Save the file as UTF-8.",
    ]


def test_qrels_come_back_with_fractions_and_blanks(tmp_path):
    qrels = {"q 1": {"t 1": 1.6, "t%": 2.0, "t3": 0.0}, "q2": {"t1": 1.0}}

    write_lines(tmp_path / "x.qrels", qrels_lines(qrels))

    assert (tmp_path / "x.qrels").read_text().splitlines()[:2] == [
        "q%201 0 t%201 1.6",
        "q%201 0 t%25 2",
    ]
    assert read_qrels(tmp_path / "x.qrels") == qrels


def test_a_negative_grade_of_a_trec_track_is_not_relevant(tmp_path):
    (tmp_path / "x.qrels").write_text("q 0 junk -2\nq 0 good 1\n")

    assert read_qrels(tmp_path / "x.qrels") == {"q": {"junk": 0.0, "good": 1.0}}


def test_every_bad_line_of_a_qrels_file_is_named(tmp_path):
    (tmp_path / "x.qrels").write_text("q 0 a 1\nq 0 a 1\nq 0 b yes\nq a 1\n")

    with pytest.raises(EvaluationDataInvalid) as refused:
        read_qrels(tmp_path / "x.qrels")

    assert faults(refused.value) == [
        "2: Table 'a' is judged before for query 'q'. Keep one of the two judgments.",
        "3: The relevance is 'yes'. Give a number.",
        "4: It has 3 columns, not 4. "
        "Write query iteration table relevance, and percent-encode white space in ids.",
    ]


def test_the_per_query_table_is_csv_with_a_column_for_each_measure():
    run = {"q,1": [ScoredTable("a", 1.0)]}
    evaluation = evaluate_run({"q,1": {"a": 1}, "q2": {"a": 1, "b": 1}}, run, ["nDCG@10", "R@1"])

    assert list(per_query_lines(evaluation)) == [
        "query_id,nDCG@10,R@1",
        '"q,1",1.0,1.0',
        "q2,0.0,0.0",
    ]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "out.run"
    write_lines(path, ["one", "two"])

    def breaks_off():
        yield "three"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_lines(path, breaks_off())

    assert path.read_text() == "one\ntwo\n"
    assert list(path.parent.iterdir()) == [path]


def test_a_path_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(NotWritten, match="Choose another path"):
        write_lines(tmp_path / "file" / "out.run", ["x"])
