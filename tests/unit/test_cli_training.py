"""What a person is told of a training: what is refused, how far it is, what it has moved."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from polaris_search.cli import train as cli
from polaris_search.cli.stages import LINE_EVERY_S, Lines
from polaris_search.cli.training_bar import TrainingBar
from polaris_search.errors import UsageError
from trainer.adapters.record import TrainingRecord
from trainer.training.request import Trained

RECORD = TrainingRecord(
    name="polaris-desc-20261201t0100z",
    made_at=datetime(2026, 12, 1, 1, tzinfo=UTC),
    base_model="tiny",
    base_revision=None,
    base_hash="b",
    tokenizer_hash="t",
    prompt_version="v1",
    pairs_hash="p",
    judgments_hash=None,
    seed=42,
    device="CPU",
    reference="base",
    parent=None,
    pairs={"trained": 9, "held_out": 1},
    metrics={
        "steps": 2.0,
        "seconds": 3.0,
        "held_out_margin_before": -150.78,
        "held_out_margin_after": -150.7799766,
        "held_out_accuracy": 1.0,
    },
)


@pytest.mark.parametrize(
    ("names", "empty"),
    [
        ({"base": "x", "out": ""}, "--out"),
        ({"base": "x", "out": " "}, "--out"),
        ({"base": ""}, "--base"),
    ],
)
def test_an_empty_name_is_refused_and_not_taken_for_this_folder(names, empty):
    with pytest.raises(UsageError, match=f"{empty} is empty"):
        cli.train(Path("pairs.jsonl"), **names)


def test_a_small_move_of_a_large_margin_is_told_with_its_digits(capsys):
    cli._print(Trained(Path("out"), RECORD))

    told = " ".join(capsys.readouterr().out.split())
    assert "chosen minus rejected -150.78 nats before, +2.34e-05 since" in told


def test_a_stage_without_a_count_is_told_without_a_zero():
    said, now = [], [0.0]
    bar = TrainingBar(Lines(said.append, lambda: now[0]))

    with bar:
        bar.doing("loading the base model")
        now[0] += LINE_EVERY_S
        bar.doing("training")
        bar.doing("measuring the held-out pairs")

    assert said == ["training ..."]
