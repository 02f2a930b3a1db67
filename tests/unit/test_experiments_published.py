"""Published figures stand beside ours only where the data set is the paper's."""

import pytest
from cells import cell

from polaris_search.experiments.runs.catalogue import experiment_named, experiments
from polaris_search.experiments.runs.report.published import publication, published_lines


def lines(name, *cells):
    return list(published_lines(experiment_named(name), cells))


def paper_cell(dataset, system, row="description alone", **means):
    paper = next(one for one in publication().datasets if dataset in one.folders)
    return cell(row, [0.5] * paper.queries, dataset, system=system, tables=paper.tables, **means)


def test_a_folder_of_another_name_is_no_data_set_of_the_paper():
    assert lines("overall", cell("names", [0.5], "orders"))[-1] == (
        "orders: not a data set of the paper."
    )


def test_a_folder_of_the_name_and_another_size_gets_no_figure():
    said = lines("overall", cell("names", [0.5] * 57, "wikitables", tables=2932))[-1]

    assert said.startswith("wikitables: not the paper's WikiTables, which has 3,361 tables and 57")
    assert said.endswith("this one has 2,932 and 57.")


def test_a_value_stands_beside_ours_of_the_single_field():
    found = lines(
        "overall",
        paper_cell("lter", "polaris", "description alone (polaris)", nDCG_at_100=0.5),
        paper_cell("lter", "polaris", "three fields (polaris)", nDCG_at_100=0.9),
    )

    rows = [line for line in found if line.startswith("| lter | nDCG@100")]
    assert rows[0].startswith("| lter | nDCG@100 | autoddg | 0.356 | not measured | table 2;")
    assert rows[1].startswith("| lter | nDCG@100 | polaris | 0.515 | 0.500 | table 2;")


def test_a_relative_change_of_an_unnamed_measure_is_shown_of_both():
    found = lines(
        "ablations",
        paper_cell("aw", "polaris", "Polaris", nDCG_at_5=0.6, R_at_5=0.5),
        paper_cell("aw", "no-dpo", "without DPO", nDCG_at_5=0.5, R_at_5=0.4),
    )

    (row,) = [line for line in found if "+9.4% to no-dpo" in line]
    assert f"| +{0.6 / 0.5 - 1:.1%} (nDCG@5), +{0.5 / 0.4 - 1:.1%} (R@5) |" in row


def test_an_experiment_without_a_figure_says_so():
    assert lines("fields", paper_cell("wtr", "polaris"))[-1].endswith(
        "no sentence gives a figure of this experiment."
    )


def test_every_figure_is_of_an_experiment_and_system_that_there_is_and_names_its_sentence():
    rows = {one.name: {row.system for row in one.rows} for one in experiments()}
    names = {one.name for one in publication().datasets}

    for figure in publication().figures:
        systems = rows[figure.experiment] | {"polaris", "autoddg"}
        assert {figure.system, figure.against or figure.system} <= systems
        assert figure.dataset in names
        assert figure.where.startswith("section 4, ")
        given = (figure.value, figure.difference, figure.relative)
        assert sum(one is not None for one in given) == 1


@pytest.mark.parametrize("figure", publication().figures)
def test_a_comparison_names_whom_it_is_with(figure):
    assert (figure.against is None) == (figure.value is not None)
