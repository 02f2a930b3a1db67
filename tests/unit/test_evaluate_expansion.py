"""The measure of name expansion, case by case, by hand."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.steps import NoExpander
from polaris_search.evaluate.expansion import (
    ExpansionScore,
    GoldRow,
    GoldRules,
    name_words,
    read_gold,
    read_rules,
    score_name,
    score_set,
    singular,
)
from polaris_search.evaluate.problems import EvaluationDataInvalid
from polaris_search.experiments.evaluate_expansion import evaluate_gold, predict
from polaris_search.records import Expansion, RawTable

NO_RULES = GoldRules()
GOLD_HEADER = "table_name,column_name,expansion\n"


def test_case_punctuation_articles_and_digit_borders_do_not_count() -> None:
    assert name_words("The Address_Line2 (of a Person)") == (
        "address",
        "line",
        "2",
        "of",
        "person",
    )


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("cities", "city"),
        ("classes", "class"),
        ("boxes", "box"),
        ("matches", "match"),
        ("names", "name"),
        ("ties", "tie"),
        ("status", "status"),
        ("class", "class"),
        ("gas", "gas"),
    ],
)
def test_plural_endings_are_cut(word: str, expected: str) -> None:
    assert singular(word) == expected


def test_equal_names_match_whatever_their_plurals() -> None:
    assert score_name("order details", "Order_Detail", NO_RULES).exact_match == 1
    assert score_name("order details", "Order_Detail", NO_RULES).f1 == 1


def test_f1_is_the_harmonic_mean_over_tokens() -> None:
    score = score_name("customer name", "customer last name", NO_RULES)

    assert score.exact_match == 0
    assert score.f1 == pytest.approx(2 * 2 / (2 + 3))


def test_order_counts_for_the_match_and_not_for_f1() -> None:
    score = score_name("date order", "order date", NO_RULES)

    assert (score.exact_match, score.f1) == (0, 1)


def test_nothing_in_common_scores_nothing() -> None:
    assert score_name("", "order date", NO_RULES).f1 == 0
    assert score_name("x", "order date", NO_RULES).f1 == 0


def test_synonyms_count_both_ways_and_stop_words_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "aw.synonyms.json").write_text(
        json.dumps({"id": ["identifier"], "sub category": "subcategory"})
    )
    (tmp_path / "aw.stopwords.json").write_text(json.dumps(["of"]))
    rules = read_rules(tmp_path / "aw.csv")

    assert score_name("customer identifier", "customer id", rules).exact_match == 1
    assert score_name("customer id", "customer identifier", rules).exact_match == 1
    assert score_name("subcategory", "sub category", rules).exact_match == 1
    assert score_name("date of birth", "date birth", rules).exact_match == 1


def test_set_is_averaged_over_all_columns_and_a_missing_prediction_scores_nothing() -> None:
    gold = [GoldRow("t", "a", "order date"), GoldRow("t", "b", "city"), GoldRow("t", "c", "x y")]

    score = score_set("s", gold, ["order dates", None, "x"], NO_RULES)

    assert score == ExpansionScore("s", 3, 1 / 3, pytest.approx((1 + 0 + 2 / 3) / 3))


def test_gold_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("table_name,column_name,expansion\nCust,nm,name\n")

    assert read_gold(path) == [GoldRow("Cust", "nm", "name")]


@pytest.mark.parametrize("text", ["", "table_name,column_name\na,b\n", GOLD_HEADER])
def test_gold_file_without_columns_or_rows_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text)

    with pytest.raises(EvaluationDataInvalid):
        read_gold(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("synonyms", "["),
        ("synonyms", "[]"),
        ("stopwords", '{"a": 1}'),
        ("stopwords", "[1]"),
        ("synonyms", '{"a": 1}'),
    ],
)
def test_broken_rules_are_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / f"s.{name}.json").write_text(text)

    with pytest.raises(EvaluationDataInvalid):
        read_rules(tmp_path / "s.csv")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("a\0,b,c", "The table_name holds a NUL character"),
        ("a,b\0,c", "The column_name holds a NUL character"),
        ("a,b,c\0", "The expansion holds a NUL character"),
        (3000 * "x" + ",b,c", "The table_name has 3000 characters, more than 2048"),
        ("a,b", "It has 2 cells, the header 3"),
    ],
)
def test_every_bad_gold_row_is_refused_with_file_and_line(
    tmp_path: Path, row: str, problem: str
) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"{GOLD_HEADER}t,c,e\n{row}\nt,d,f\n{row}\n")

    with pytest.raises(EvaluationDataInvalid) as refused:
        evaluate_gold(path, NoExpander())

    found = [(one.path, one.line, one.problem) for one in refused.value.problems]
    assert found == [(path, 3, problem), (path, 5, problem)]


def test_the_longest_table_name_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"{GOLD_HEADER}{2048 * 'x'},c,e\n")

    assert evaluate_gold(path, NoExpander()).columns == 1


@pytest.mark.parametrize(
    ("name", "text", "line", "problem"),
    [
        ("synonyms", 5000 * b"[", 1, "It is nested more than 2 deep"),
        ("synonyms", b'{"a":\n' * 5000, 3, "It is nested more than 2 deep"),
        ("synonyms", b'{"[[[": "b",\n "a": [\n["b"]]}', 3, "It is nested more than 2 deep"),
        ("stopwords", b'[\n["a"]]', 2, "It is nested more than 1 deep"),
        ("stopwords", b'["of",\n the]', 2, "It is not JSON (Expecting value)"),
        ("stopwords", b'["of",\n"caf\xe9"]', 2, "Byte 0xe9 is not UTF-8"),
    ],
)
def test_what_is_wrong_with_rules_is_said_with_file_and_line(
    tmp_path: Path, name: str, text: bytes, line: int, problem: str
) -> None:
    path = tmp_path / f"s.{name}.json"
    path.write_bytes(text)

    with pytest.raises(EvaluationDataInvalid) as refused:
        read_rules(tmp_path / "s.csv")

    (one,) = refused.value.problems
    assert (one.path, one.line, one.problem) == (path, line, problem)


def test_rules_may_begin_with_a_byte_order_mark_and_hold_brackets_in_texts(tmp_path: Path) -> None:
    (tmp_path / "s.stopwords.json").write_bytes(b'\xef\xbb\xbf["[[{", "\\"[", "of"]')

    assert read_rules(tmp_path / "s.csv").stop_words == {"[[{", '"[', "of"}


class Echo:
    """An expander that answers with the table's name before each column's."""

    name = "echo"
    version = "1"

    def expand(self, table: RawTable) -> Expansion:
        return Expansion(table.name, tuple(f"{table.name}.{c.name}" for c in table.columns))


def test_rows_of_a_table_are_expanded_together_and_an_id_is_no_name() -> None:
    gold = [GoldRow("A", "x", ""), GoldRow("db#B", "y", ""), GoldRow("A", "z", "")]

    assert predict(gold, Echo()) == ["A.x", ".y", "A.z"]
    assert predict(gold, NoExpander()) == ["x", "y", "z"]


def test_gold_file_is_evaluated_and_timed(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text(GOLD_HEADER + "#,name,name\n#,nm,name\n")
    ticks: Iterator[float] = iter([10.0, 10.5])

    figures = evaluate_gold(path, NoExpander(), clock=lambda: next(ticks))

    assert (figures.set, figures.columns) == ("small", 2)
    assert figures.exact_match == 1 / 2
    assert figures.names_per_second == 2 / 0.5
