"""The paired bootstrap: numbers worked by hand, groups, and how often its interval is right."""

import numpy as np
import pytest

from polaris_search.evaluate.intervals import NothingToCompare, paired_difference


def test_the_mean_is_that_of_the_differences():
    found = paired_difference([0.5, 1.0, 0.0], [0.25, 0.5, 0.0])

    assert found.mean == pytest.approx((0.25 + 0.5 + 0.0) / 3)


def test_of_two_values_the_interval_reaches_from_one_to_the_other():
    # Both are drawn twice in a quarter of the draws each, more than the 2.5 % left outside.
    found = paired_difference([1.0, 0.0], [0.0, 0.0])

    assert (found.mean, found.low, found.high) == (0.5, 0.0, 1.0)


def test_less_confidence_is_a_shorter_interval():
    row, baseline = list(np.linspace(0, 1, 40)), [0.5] * 40

    sure, less = (paired_difference(row, baseline, confidence=c) for c in (0.99, 0.5))

    assert sure.low < less.low < less.mean < less.high < sure.high


def test_another_seed_moves_the_interval_and_not_the_mean():
    row, baseline = list(np.linspace(0, 1, 40)), [0.5] * 40

    one, other = (paired_difference(row, baseline, seed=seed, draws=200) for seed in (1, 2))

    assert one.mean == other.mean
    assert one.low != other.low


def test_groups_count_by_their_values_and_are_drawn_whole():
    # Group a: 1, 1, 1; group b: 0. Draws give aa = 1, ab = 3/4, bb = 0.
    found = paired_difference([1.0, 1.0, 1.0, 0.0], [0.0] * 4, ["a", "a", "a", "b"])

    assert (found.mean, found.low, found.high) == (3 / 4, 0.0, 1.0)


def test_values_that_depend_on_each_other_widen_the_interval():
    row = [1.0] * 10 + [0.0] * 10 + [1.0] * 10 + [0.0] * 10
    groups = [place // 10 for place in range(40)]

    alone = paired_difference(row, [0.5] * 40)
    grouped = paired_difference(row, [0.5] * 40, groups)

    assert grouped.low < alone.low < alone.high < grouped.high


@pytest.mark.parametrize(
    ("row", "baseline", "groups"),
    [([], [], None), ([1.0], [1.0, 0.0], None), ([1.0, 0.0], [0.0, 0.0], ["a"])],
)
def test_rows_that_do_not_belong_together_are_refused(row, baseline, groups):
    with pytest.raises(NothingToCompare, match="cannot be compared"):
        paired_difference(row, baseline, groups)


def test_a_nine_in_ten_interval_holds_the_true_difference_about_nine_times_in_ten():
    chance = np.random.default_rng(7)
    true, held = 0.03, 0
    for _ in range(400):
        # Sixty queries for thirty tables: most move little, a few a lot, two of a table together.
        moved = chance.random(30) < 0.4
        of_table = np.where(moved, chance.normal(true / 0.4, 0.3, 30), 0.0).repeat(2)
        row = of_table + chance.normal(0.0, 0.05, 60)
        found = paired_difference(
            list(row),
            [0.0] * 60,
            [n // 2 for n in range(60)],
            confidence=0.9,
            draws=400,
        )
        held += found.low <= true <= found.high

    # 400 trials of .9 have a standard deviation of .015; a percentile interval of thirty groups is
    # known to be a little short.
    assert 0.84 <= held / 400 <= 0.94
