"""What is seen of a long command: bars on a terminal, else a line each half minute."""

import io

import pytest
from rich.console import Console

from polaris_search.cli.progress import EvaluationBar, IngestBar, ReindexBar
from polaris_search.cli.stages import Bars, Lines, stages_on


class Clock:
    """Seconds that stand still until `now` is set."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def terminal():
    return Console(file=io.StringIO(), force_terminal=True, width=200)


def test_where_no_terminal_is_a_line_comes_each_half_minute(clock):
    said = []

    with IngestBar(1_000_000, Lines(said.append, clock)) as bar:
        for second in range(1, 61):
            clock.now = second
            bar.read(400 * second, 0)

    assert said == [
        "reading tables: 12,000 of 1,000,000, 400 a second, about 41 min left.",
        "reading tables: 24,000 of 1,000,000, 400 a second, about 41 min left.",
    ]


def test_a_short_command_says_nothing(clock):
    said = []

    with IngestBar(None, Lines(said.append, clock)) as bar:
        clock.now = 29.9
        bar.read(10_000, 3)

    assert said == []


def test_a_total_that_nobody_knows_is_left_out_and_rejected_rows_are_counted(clock):
    said = []

    with IngestBar(None, Lines(said.append, clock)) as bar:
        bar.read(0, 0)
        clock.now = 30
        bar.read(12_000, 3)

    assert said == ["reading tables (3 rejected): 12,000, 400 a second."]


def test_an_estimate_that_was_too_small_gives_way(clock):
    said = []

    with IngestBar(9_000, Lines(said.append, clock)) as bar:
        bar.read(0, 0)
        clock.now = 30
        bar.read(12_000, 0)

    assert said == ["reading tables: 12,000 of 12,000, 400 a second, about 0 s left."]


def test_descriptions_have_a_pace_and_a_total_of_their_own(clock):
    said = []

    with IngestBar(600, Lines(said.append, clock)) as bar:
        clock.now = 10
        bar.read(600, 0)
        bar.describing(600)
        for second in range(11, 41):
            clock.now = second
            bar.described(second - 10 - (second - 10) // 10, (second - 10) // 10)

    assert said == ["describing (2 failed): 20 of 600, 60 a minute, about 10 min left."]


def test_other_commands_have_their_stages_too(clock):
    said = []
    lines = Lines(said.append, clock)

    with EvaluationBar(stages=lines) as bar:
        bar.searched(0, 10)
        clock.now = 30
        bar.searched(3, 10)
    with ReindexBar(lines) as bar:
        clock.now = 60
        bar.reached("staged")
        clock.now = 90
        bar.copied(3_000)

    assert said == [
        "searching: 3 of 10, 6 a minute, about 70 s left.",
        "copying tables: 0.",
        "copying tables: 3,000, 100 a second.",
    ]


def test_on_a_terminal_bars_show_count_total_rate_and_time_left(clock):
    console = terminal()

    with IngestBar(1_000, Bars(console, clock)) as bar:
        clock.now = 10
        bar.read(0, 0)
        clock.now = 20
        bar.read(400, 2)
        bar.describing(50)

    shown = console.file.getvalue()
    assert "reading tables (2 rejected)" in shown
    assert "400/1000" in shown
    assert "40 a second, about 15 s left" in shown
    assert "0/50" in shown


def test_names_in_a_stage_are_no_markup(clock):
    console = terminal()
    bars = Bars(console, clock)

    bars.start()
    bars.show("reading", "reading [red]x[/red]", 1, None)
    bars.stop()

    assert "[red]x[/red]" in console.file.getvalue()


def test_the_console_decides_which_it_is():
    assert isinstance(stages_on(terminal()), Bars)
    assert isinstance(stages_on(Console(file=io.StringIO())), Lines)
