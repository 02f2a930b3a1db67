"""Experiments: which rows there are, what each is compared with, and what their tables say."""

import csv

import pytest
from cells import cell

from polaris_search.errors import UsageError
from polaris_search.experiments.runs.catalogue import (
    MEASURES,
    experiment_named,
    experiments,
)
from polaris_search.experiments.runs.report.compared import compared
from polaris_search.experiments.runs.report.tables import csv_lines, markdown
from polaris_search.experiments.runs.rows import chosen_rows


def titles(name, systems):
    return [row.title for row in chosen_rows(experiment_named(name), systems).rows]


def test_rows_of_everybodys_descriptions_are_there_once_for_each_system():
    assert titles("fields", ["ours", "theirs"])[:3] == [
        "three fields (ours)",
        "three fields (theirs)",
        "without description (ours)",
    ]


def test_a_row_is_compared_with_the_row_of_the_same_descriptions():
    rows = chosen_rows(experiment_named("fields"), ["ours", "theirs"]).rows

    against = {row.title: row.against for row in rows}
    assert against["without context (theirs)"] == "three fields (theirs)"
    assert against["three fields (theirs)"] is None


def test_rows_of_systems_that_nobody_describes_for_are_named_as_left_out():
    chosen = chosen_rows(experiment_named("ablations"), ["polaris", "prompt-only", "others"])

    assert [row.title for row in chosen.rows] == ["Polaris", "prompt alone"]
    assert chosen.left_out == ("no-dpo", "no-expansion", "autoddg")


def test_an_experiment_of_descriptions_without_any_says_how_to_name_some():
    with pytest.raises(UsageError, match=r"of any system.*--descriptions NAME=FILE"):
        chosen_rows(experiment_named("fields"), [])
    with pytest.raises(UsageError, match="of polaris, model, beta-0.5, k-5, epochs-3"):
        chosen_rows(experiment_named("sensitivity"), ["ours"])


def test_an_unknown_experiment_names_those_there_are():
    with pytest.raises(UsageError, match="overall, ablations, sensitivity, fields, length"):
        experiment_named("all")


def test_each_table_of_the_paper_has_an_experiment():
    said = " ".join(one.help for one in experiments())

    for table in ("tables 2, 3, 23, 24", "tables 9 to 12", "tables 13 to 22", "table 25"):
        assert table in said


def test_both_tables_show_the_very_differences_that_were_worked_out():
    found = compared([cell("first", [0.1, 0.2, 0.9]), cell("second", [0.5, 0.3, 0.1])])

    page = list(markdown(experiment_named("expansion"), found))
    rows = list(csv.DictReader(csv_lines(found)))

    assert found[0].differences == {}
    assert list(found[1].differences) == list(MEASURES)
    (shown,) = [line for line in page if line.startswith("| data | 3 | second | first |")]
    for measure, text in zip(MEASURES, shown.split(" | ")[4:], strict=True):
        difference = found[1].differences[measure]
        row = next(one for one in rows if (one["row"], one["measure"]) == ("second", measure))
        assert text.startswith(f"{difference.mean:+.3f} [{difference.low:+.3f}, ")
        assert [float(row[end]) for end in ("difference", "low", "high")] == [
            difference.mean,
            difference.low,
            difference.high,
        ]


def test_each_row_is_compared_with_its_own_baseline():
    cells = [
        cell("first", [0.1, 0.1]),
        cell("second", [0.5, 0.5]),
        cell("third", [0.6, 0.6], against="second"),
    ]

    rows = list(csv.DictReader(csv_lines(compared(cells))))

    of_10 = {row["row"]: row for row in rows if row["measure"] == "nDCG@10"}
    assert (of_10["third"]["against"], of_10["third"]["queries"]) == ("second", "2")
    assert float(of_10["third"]["difference"]) == pytest.approx(0.1)
    assert of_10["first"]["difference"] == ""


def test_the_page_has_both_measures_with_the_best_of_each_data_set_in_bold():
    cells = [cell("first", [0.1, 0.1]), cell("second", [0.5, 0.5]), cell("none", [0.3], "other")]

    lines = list(markdown(experiment_named("expansion"), compared(cells)))

    ndcg = lines[lines.index("## nDCG@K") : lines.index("## Recall@K")]
    assert "| data set | row | @5 | @10 | @20 | @50 | @100 | described |" in ndcg
    assert f"| data | first |{' 0.100 |' * 5} 0 of 3 |" in ndcg
    assert f"| data | second |{' **0.500** |' * 5} 0 of 3 |" in ndcg
    assert f"| other | none |{' **0.300** |' * 5} 0 of 3 |" in ndcg


def test_the_page_marks_what_is_sure_and_compares_no_row_with_itself():
    cells = [cell("first", [0.1, 0.1]), cell("second", [0.5, 0.5]), cell("none", [0.3], "other")]

    lines = list(markdown(experiment_named("expansion"), compared(cells)))

    differences = lines[lines.index("## Differences") :]
    (second,) = [line for line in differences if line.startswith("| data |")]
    assert second.startswith("| data | 2 | second | first | +0.400 [+0.400, +0.400]* |")
    assert [line for line in differences if line.startswith("| other |")] == []
