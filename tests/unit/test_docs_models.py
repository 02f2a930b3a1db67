"""The page on models names each kind of server and each setting, with defaults that are true."""

from pathlib import Path

import pytest

from polaris_search.llm.traffic.circuit import FIRST_PAUSE_S, LIMIT, TIMEOUT_WEIGHT
from polaris_search.llm.traffic.pace import FIRST_LEVEL
from polaris_search.llm.traffic.retries import RetryPolicy
from polaris_search.setting_table import LLM_KINDS, SETTINGS

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
SAID_ELSEWHERE = {"POLARIS_LLM_MAX_TOKENS", "POLARIS_LLM_NAMES"}
DEFAULTS = {setting.name: setting.default for setting in SETTINGS}


@pytest.mark.parametrize("kind", LLM_KINDS)
def test_every_kind_has_a_row(kind):
    assert PAGE.count(f"\n| `{kind}` | ") == 1


def test_every_setting_of_a_server_is_explained():
    names = {name for name in DEFAULTS if name.startswith("POLARIS_LLM_")} - SAID_ELSEWHERE

    assert [name for name in sorted(names) if f"`{name}`" not in PAGE] == []


@pytest.mark.parametrize(
    "name", ["POLARIS_LLM_CONCURRENCY", "POLARIS_LLM_TIMEOUT_S", "POLARIS_LOCAL_SLOTS"]
)
def test_defaults_are_those_in_force(name):
    assert f"`{name}` ({DEFAULTS[name]})" in PAGE


def test_the_numbers_of_patience_are_those_in_force():
    assert (RetryPolicy().attempts, LIMIT, TIMEOUT_WEIGHT, FIRST_PAUSE_S) == (8, 5, 2, 2.0)
    assert "eight attempts at most" in PAGE
    assert "fails five times on end (a timeout counts for two) | it is left alone for 2 s" in PAGE
    assert f": {FIRST_LEVEL} at first, twice as many" in PAGE
