"""What is seen of sampling candidates and building pairs: bars, lines, or nothing."""

import io

import pytest
from rich.console import Console

from polaris_search.cli.learning_progress import SHOWN_EVERY, PairsBar, SamplingBar
from polaris_search.cli.stages import Bars, Lines, Silence


def on_terminal():
    screen = io.StringIO()
    return screen, Bars(Console(file=screen, force_terminal=True, width=200))


def test_sampling_shows_the_tables_done_and_those_without_a_candidate():
    screen, bars = on_terminal()

    with SamplingBar(stages=bars) as bar:
        bar.sampled(0, 40, 0)
        bar.sampled(12, 40, 1)

    assert "sampling (1 without a candidate)" in screen.getvalue()
    assert "12/40" in screen.getvalue()


def test_pairs_show_reading_rounds_writing_and_verifying():
    screen, bars = on_terminal()

    with PairsBar(stages=bars) as bar:
        bar.read(SHOWN_EVERY, 150)
        bar.round_done(1, 9, 150)
        bar.round_done(2, 9, 31)
        bar.written(70, 70)
        bar.verified(1, 5)

    shown = screen.getvalue()
    for text in ("reading tables", "31 winners changed", "writing pairs", "verifying", "100/150"):
        assert text in shown


@pytest.mark.parametrize("bar", [SamplingBar, PairsBar])
def test_quiet_shows_nothing_and_a_log_hears_nothing_of_a_short_command(bar):
    said = []

    assert isinstance(bar(quiet=True)._stages, Silence)
    with bar(stages=Lines(said.append, clock=lambda: 0.0)) as shown:
        if bar is SamplingBar:
            shown.sampled(1, 2, 0)
        else:
            shown.read(2, 2)

    assert said == []
