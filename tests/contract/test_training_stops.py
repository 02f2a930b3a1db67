"""A run that has to stop: what it says, what stays, how it goes on."""

import subprocess
import sys
from dataclasses import replace

import pytest
from training_listener import Heard, Stops, request_of, rows_of, run, weights_of
from training_pairs import pair_of, write_pairs

pytestmark = pytest.mark.train


@pytest.fixture
def pairs(tmp_path):
    return write_pairs(tmp_path / "pairs.jsonl", map(pair_of, range(20)))


def test_a_loss_that_is_no_number_stops_the_run_and_what_was_saved_stays(
    tiny_base, pairs, tmp_path
):
    from trainer.training.problems import TrainingStopped

    out = tmp_path / "out"

    with pytest.raises(TrainingStopped) as stopped:
        run(request_of(pairs, tiny_base, out, tmp_path, learning_rate=1e30))

    assert "is no longer a number after step" in str(stopped.value)
    assert "was saved before and is the last good one. Lower --learning-rate" in str(stopped.value)
    from trainer.training.folder.checkpoints import last_whole

    kept = last_whole(out / "training" / "checkpoints")
    assert kept is not None
    assert str(kept) in str(stopped.value)
    assert not (out / "record.json").exists()


def test_an_interrupted_run_goes_on_without_asking_the_reference_again(tiny_base, pairs, tmp_path):
    request = request_of(pairs, tiny_base, tmp_path / "out", tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run(request, Stops(4))
    heard = Heard()

    trained = run(request, heard)

    assert trained.resumed_at == 3
    assert [step for step, _, _ in heard.steps] == [4, 5]
    assert heard.references == []
    whole = run(replace(request, out=tmp_path / "whole"))
    assert weights_of(trained.folder) == weights_of(whole.folder)
    assert rows_of(trained.folder) == rows_of(whole.folder)


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
from polaris_search.cli.main import main
main()
"""


def test_a_full_disk_is_said_in_words_and_the_same_command_goes_on(tiny_base, pairs, tmp_path):
    command = ["train", str(pairs), f"--base={tiny_base}", f"--out={tmp_path / 'out'}"]
    command += ["--rank=128", "--batch=4"]

    # no file may grow beyond 200 kB, which an adapter of rank 128 does
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, *command],
        capture_output=True,
        text=True,
        check=False,
        env={"POLARIS_HOME": str(tmp_path), "OMP_NUM_THREADS": "1"},
    )

    assert ended.returncode == 1, ended.stderr
    assert "is full, or a file there may not grow so large. Make room" in ended.stderr
    assert "Traceback" not in ended.stderr
    request = request_of(pairs, tiny_base, tmp_path / "out", tmp_path, rank=128)
    settings = replace(request.settings, learning_rate=5e-6)
    assert (run(replace(request, settings=settings)).folder / "record.json").exists()


def test_memory_that_is_not_enough_is_said_with_what_to_lower(tmp_path):
    import torch

    from trainer.training.failures import in_words
    from trainer.training.folder.run_folder import RunFolder

    with pytest.raises(RuntimeError) as failed:
        torch.empty(1 << 60)

    said = str(in_words(failed.value, RunFolder(tmp_path), longest=3000))
    assert said.startswith("There is not enough memory for a pair of 3,000 tokens.")
    assert "--checkpointing on, --max-length" in said
    assert in_words(RuntimeError("a fault of ours"), RunFolder(tmp_path), longest=1) is None
