"""The rate and the time left: of the last minute, by a clock that is passed in."""

import pytest

from polaris_search.cli.pace import Pace, said_of


class Clock:
    """Seconds that stand still until `now` is set."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_the_rate_is_the_count_over_the_time(clock):
    pace = Pace(clock)

    clock.now = 10
    pace.at(500)

    assert pace.rate == 500 / 10
    assert pace.left_s(2_000) == 1_500 / 50


def test_nothing_is_said_before_it_can_be_known(clock):
    pace = Pace(clock)

    clock.now = 1.9
    pace.at(500)

    assert pace.rate is None
    assert pace.left_s(1_000) is None
    assert said_of(pace.rate, pace.left_s(1_000)) == ""


def test_without_a_total_there_is_no_time_left(clock):
    pace = Pace(clock)

    clock.now = 10
    pace.at(500)

    assert pace.left_s(None) is None


def test_a_quick_beginning_is_forgotten_after_a_minute(clock):
    pace = Pace(clock)
    clock.now = 5
    pace.at(100_000)  # what an earlier run had stored

    for second in range(6, 126):
        clock.now = second
        pace.at(100_000 + 10 * (second - 5))

    assert pace.rate == pytest.approx(10)
    assert pace.left_s(100_000 + 1_200 + 6_000) == pytest.approx(600)


def test_what_stands_still_slows_down(clock):
    pace = Pace(clock)
    clock.now = 10
    pace.at(500)

    clock.now = 50

    assert pace.rate == 500 / 50


def test_more_than_was_expected_leaves_nothing(clock):
    pace = Pace(clock)

    clock.now = 10
    pace.at(500)

    assert pace.left_s(400) == 0


def test_many_counts_in_a_short_time_take_no_memory(clock):
    pace = Pace(clock)

    for number in range(100_000):
        clock.now = number / 100
        pace.at(number)

    assert len(pace._samples) <= 62
    assert pace.rate == pytest.approx(100, rel=0.02)


@pytest.mark.parametrize(
    ("rate", "left_s", "words"),
    [
        (1_234.4, 59, "1,234 a second, about 59 s left"),
        (10, 89.6, "10 a second, about 90 s left"),
        (0.5, 600, "30 a minute, about 10 min left"),
        (0.5, 5_399, "30 a minute, about 1 h 30 min left"),
        (3, 100_000, "180 a minute, about 27 h 47 min left"),
        (3, None, "180 a minute"),
        (0, None, "0 a minute"),
    ],
)
def test_words_for_a_person(rate, left_s, words):
    assert said_of(rate, left_s) == words
