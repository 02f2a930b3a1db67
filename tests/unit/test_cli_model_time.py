"""How long a model would take for what a dry run estimates."""

import pytest
from fakes_llm import FakeLLM

from ingest.estimate import Estimate
from polaris_search.cli.model_time import estimated_seconds, keep_speed, time_text
from polaris_search.llm.model import Usage

ESTIMATE = Estimate(tables=1_000, calls=1_000, completion_tokens=300_000)


class Used(FakeLLM):
    def usage(self) -> Usage:
        return Usage(requests=100, completion_tokens=3_000, busy_s=20.0)


def test_the_time_is_that_of_the_speed_that_the_last_run_showed(tmp_path):
    model = Used()
    before = estimated_seconds(ESTIMATE, model, tmp_path)

    keep_speed(model, tmp_path)

    assert before is None
    # 3,000 tokens in 20 s are 150 a second.
    assert estimated_seconds(ESTIMATE, model, tmp_path) == 300_000 / 150


def test_where_nothing_would_be_asked_no_time_is_told(tmp_path):
    keep_speed(Used(), tmp_path)

    assert estimated_seconds(Estimate(), Used(), tmp_path) is None
    assert estimated_seconds(ESTIMATE, None, tmp_path) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(40, "40 s"), (720, "12 min"), (12_600, "3.5 h"), (181_440, "2.1 days"), (0.4, "0 s")],
)
def test_a_time_is_told_in_the_unit_that_suits_it(seconds, text):
    assert time_text(seconds) == text
