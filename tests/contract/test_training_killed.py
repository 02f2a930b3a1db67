"""A training that is killed in its steps, and goes on with the same command."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from training_pairs import pair_of, write_pairs

pytestmark = pytest.mark.train

STEPS = 16
DEADLINE_S = 300
POLL_S = 0.01
SEED = 7
"""Of the steps after which the process is killed."""


@pytest.fixture
def command(tiny_base, tmp_path):
    pairs = write_pairs(tmp_path / "pairs.jsonl", map(pair_of, range(2 * STEPS)))

    def command_into(out):
        options = ["--rank=4", "--batch=2", "--held-out=0", "--learning-rate=1e-3", "--json"]
        program = [sys.executable, "-m", "polaris_search.cli.main"]
        return [*program, "train", str(pairs), f"--base={tiny_base}", f"--out={out}", *options]

    return command_into


def environment(home):
    return {**os.environ, "POLARIS_HOME": str(home), "OMP_NUM_THREADS": "1"}


def steps_done(out):
    metrics = out / "training" / "metrics.jsonl"
    return metrics.read_text().count("\n") if metrics.exists() else 0


def killed_after(command, out, step, home):
    """Run the command and kill it as soon as it has told of the step."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment(home)
    ) as process:
        until = time.monotonic() + DEADLINE_S
        while steps_done(out) < step:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < until
            time.sleep(POLL_S)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


def finished(command, home):
    ended = subprocess.run(
        command, capture_output=True, text=True, env=environment(home), check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended


def weights_of(out):
    return hashlib.sha256((out / "adapter_model.safetensors").read_bytes()).hexdigest()


def test_a_run_killed_three_times_ends_with_the_adapter_of_one_that_was_not(command, tmp_path):
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    steps = sorted(random.Random(SEED).sample(range(2, STEPS), 3))

    said_by_reference = set()
    for step in steps:
        killed_after(command(killed), killed, step, tmp_path)
        assert not (killed / "record.json").exists()
        kept = (killed / "training" / "data").rglob("*.arrow")
        said_by_reference.add(tuple(sorted(path.name for path in kept)))
    ended = finished(command(killed), tmp_path)
    finished(command(whole), tmp_path)

    assert "Going on after step" in ended.stderr
    assert weights_of(killed) == weights_of(whole)
    assert len(said_by_reference) == 1  # what it said of each pair was found again
    assert (killed / "metrics.jsonl").read_text() == (whole / "metrics.jsonl").read_text()


def test_a_run_whose_last_checkpoint_is_half_goes_on_from_the_one_before(command, tmp_path):
    out = tmp_path / "out"
    killed_after(command(out), out, 6, tmp_path)
    marks = (out / "training" / "checkpoints").glob("checkpoint-*/whole.json")
    last = max((mark.parent for mark in marks), key=lambda path: int(path.name.split("-")[1]))
    (last / "optimizer.pt").write_bytes((last / "optimizer.pt").read_bytes()[:100])

    ended = finished(command(out), tmp_path)

    step = int(last.name.split("-")[1])
    assert f"Going on after step {step - 1} of {STEPS}." in ended.stderr
    assert (out / "metrics.jsonl").read_text().count("\n") == STEPS
