"""The page on evaluating names every experiment and its systems, with numbers that are true."""

from pathlib import Path

import pytest

from polaris_search.evaluate.intervals import CONFIDENCE, DRAWS
from polaris_search.experiments.runs.catalogue import experiments
from polaris_search.experiments.runs.corpus.downsample import TOP
from polaris_search.profiles.model import comparison_profiles

PAGE = (Path(__file__).parents[2] / "docs" / "evaluating.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("experiment", experiments(), ids=lambda one: one.name)
def test_every_experiment_has_a_row_that_names_the_systems_it_wants(experiment):
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{experiment.name}` |")]

    assert [
        one.system for one in experiment.rows if one.system and f"`{one.system}`" not in row
    ] == []


def test_profiles_for_comparisons_and_numbers_are_those_in_force():
    assert [name for name in comparison_profiles() if name not in PAGE] == []
    assert (
        f"{CONFIDENCE * 100:.0f} %\ninterval of a paired bootstrap over queries ({DRAWS:,} draws"
        in PAGE
    )
    assert f"the best {TOP} tables of each query" in PAGE
