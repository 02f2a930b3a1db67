"""Experiments: which rows there are, how sure a difference is, and what their tables say."""

import csv

import pytest

from polaris_search.errors import UsageError
from polaris_search.experiments.runs.catalogue import MEASURES, experiment_named, rows_for
from polaris_search.experiments.runs.cells import Cell
from polaris_search.experiments.runs.intervals import paired_difference
from polaris_search.experiments.runs.tables import csv_lines, markdown


def cell(row, values, dataset="data", against=None):
    per_query = {f"q{n}": dict.fromkeys(MEASURES, value) for n, value in enumerate(values)}
    means = dict.fromkeys(MEASURES, sum(values) / len(values))
    return Cell(dataset, row, means, per_query, 0, against, ())


def test_a_difference_that_every_query_shares_is_sure():
    found = paired_difference([0.5, 0.6, 0.9], [0.4, 0.5, 0.8])

    assert found.mean == pytest.approx(0.1)
    assert found.low == pytest.approx(0.1)
    assert found.is_sure


def test_a_difference_that_goes_both_ways_is_not_sure():
    found = paired_difference([1.0, 0.0] * 20, [0.0, 1.0] * 20)

    assert found.low < 0 < found.high
    assert not found.is_sure


def test_the_same_values_give_the_same_interval():
    values = ([0.1, 0.9, 0.3, 0.4], [0.2, 0.5, 0.3, 0.1])

    assert paired_difference(*values) == paired_difference(*values)


def test_rows_with_descriptions_are_there_once_for_each_of_the_given():
    rows = rows_for(experiment_named("fields"), ["ours", "theirs"])

    assert [(row.name, name) for row, name in rows[:3]] == [
        ("three fields", "ours"),
        ("three fields", "theirs"),
        ("without description", "ours"),
    ]


def test_an_experiment_of_descriptions_without_any_says_how_to_name_some():
    with pytest.raises(UsageError, match="--descriptions NAME=FILE"):
        rows_for(experiment_named("fields"), [])


def test_an_unknown_experiment_names_those_there_are():
    with pytest.raises(UsageError, match="overall, fields, expansion"):
        experiment_named("all")


def test_each_row_is_compared_with_its_own_baseline():
    cells = [
        cell("first", [0.1, 0.1]),
        cell("second", [0.5, 0.5]),
        cell("third", [0.6, 0.6], against="second"),
    ]

    rows = list(csv.DictReader(csv_lines(cells)))

    third = next(row for row in rows if row["row"] == "third" and row["measure"] == "nDCG@10")
    assert (third["against"], third["queries"]) == ("second", "2")
    assert float(third["difference"]) == pytest.approx(0.1)


def test_the_page_marks_what_is_sure():
    lines = list(
        markdown(
            experiment_named("expansion"),
            [cell("first", [0.1, 0.1]), cell("second", [0.5, 0.5]), cell("none", [0.3], "other")],
        )
    )

    assert "## data, 2 queries" in lines
    assert "## other, 1 queries" in lines
    (second,) = [line for line in lines if line.startswith("| second |")]
    assert "0.5000 (+0.4000 [+0.4000, +0.4000]*)" in second
