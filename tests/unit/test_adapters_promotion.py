"""Coming into use without the gate, again after the base model, and how one gets judged."""

from datetime import UTC, datetime, timedelta

import pytest
from peft_folder import peft_folder
from publishing import judged

from polaris_search.errors import UsageError
from trainer.adapters.history import trail_of
from trainer.adapters.promotion import NotPromoted, decision, promote, rollback
from trainer.adapters.registry import Registry

START = datetime(2026, 11, 30, 2, tzinfo=UTC)


@pytest.fixture
def registry(tmp_path) -> Registry:
    ticks = iter(range(10_000))
    return Registry(tmp_path / "home", lambda: START + timedelta(minutes=next(ticks)))


def test_back_at_the_base_model_a_named_one_that_was_in_use_is_gone_back_to(registry):
    for name in ("a", "b"):
        promote(judged(registry, name), name, decision(registry))
    for _ in range(2):
        rollback(registry, None, decision(registry))

    change = rollback(registry, "a", decision(registry))

    assert (change.adapter, change.was, change.how) == ("a", None, "rolled back")
    assert trail_of(registry.history()) == (None, "a")
    assert rollback(registry, None, decision(registry)).adapter is None


def test_where_none_was_ever_in_use_no_name_is_gone_back_to(registry):
    judged(registry, "a")

    with pytest.raises(NotPromoted, match="'a' was never in use"):
        rollback(registry, "a", decision(registry))


@pytest.mark.parametrize("reason", ["", " ", "\t\n"])
def test_a_reason_that_says_nothing_forces_nothing(registry, reason):
    peft_folder(registry.root / "bad", name="bad")

    with pytest.raises(UsageError, match="--force needs a reason"):
        promote(registry, "bad", decision(registry, reason))
    assert registry.current is None


def test_the_way_to_be_judged_is_a_command_that_can_be_run(registry):
    peft_folder(registry.root / "new", name="new")

    with pytest.raises(
        NotPromoted,
        match=r"gate new --dataset D --held-out PAIRS\.record\.json`, with a folder of judged",
    ):
        promote(registry, "new", decision(registry))
