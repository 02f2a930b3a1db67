"""`polaris-admin train` as a person runs it: a process, its output, its exit code."""

import json
import subprocess
import sys

import pytest
from commands import Commands, environment
from training_pairs import pair_of, write_pairs

pytestmark = pytest.mark.train

ONE_THREAD = {"OMP_NUM_THREADS": "1"}


@pytest.fixture
def polaris(tmp_path):
    return Commands(tmp_path, f"file:{tmp_path / 'store'}")


@pytest.fixture
def pairs(tmp_path):
    return write_pairs(tmp_path / "pairs.jsonl", map(pair_of, range(12)))


def words(finished):
    assert b"Traceback" not in finished.stderr
    return " ".join(finished.stderr.decode().split())


def test_pairs_become_a_candidate_of_the_registry_and_stdout_holds_json_alone(
    polaris, pairs, tiny_base
):
    trained = polaris.answer("train", pairs, "--base", tiny_base, "--rank", 4, **ONE_THREAD)

    assert (trained["base_model"], trained["reference"], trained["device"]) == (
        "tiny",
        "base",
        "CPU",
    )
    assert (trained["pairs"]["trained"], trained["pairs"]["held_out"]) == (11, 1)
    assert trained["metrics"]["steps"] == 2
    assert (trained["resumed_at"], trained["again"]) == (None, False)
    listed = polaris.answer("adapters", "list")["adapters"]
    assert [(one["name"], one["state"]) for one in listed] == [(trained["name"], "candidate")]


def test_a_file_with_faults_exits_1_and_names_each_line(polaris, pairs, tiny_base):
    pairs.write_text(pairs.read_text() + 'x\n{"prompt": []}\n')

    refused = polaris("train", pairs, "--base", tiny_base)

    assert refused.returncode == 1
    assert "line 13: it is no JSON; line 14: it has no chosen and no rejected." in words(refused)


def test_4_bit_weights_without_a_gpu_exit_1_with_what_to_do(polaris, pairs, tiny_base):
    refused = polaris("train", pairs, "--base", tiny_base, "--four-bit", **ONE_THREAD)

    assert refused.returncode == 1
    assert "there is no GPU that torch can use. Leave --four-bit out" in words(refused)


@pytest.mark.parametrize(
    "option", ["--learning-rate=nan", "--held-out=1", "--beta=-1", "--seed=4294967296"]
)
def test_a_setting_out_of_its_range_exits_2_and_is_named(polaris, pairs, option):
    refused = polaris("train", pairs, "--base", "x", option)

    assert refused.returncode == 2
    assert option.partition("=")[0] in words(refused)


def test_a_base_that_nobody_has_exits_1_with_what_to_name(polaris, pairs):
    refused = polaris("train", pairs, "--base", "./nowhere", **ONE_THREAD)

    assert refused.returncode == 1
    assert "./nowhere: it is not there. Name a folder" in words(refused)


def test_two_processes_take_the_steps_that_one_takes(polaris, pairs, tiny_base, tmp_path):
    """The batch is divided among them: up to rounding, it is the same adapter."""
    import numpy as np
    from safetensors.numpy import load_file

    options = [pairs, "--base", tiny_base, "--rank", 4, "--batch", 4, "--learning-rate", 1e-3]
    options += ["--held-out", 0]
    polaris.answer("train", *options, "--out", "one", **ONE_THREAD)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    launch += ["-m", "polaris_search.cli.main", "train", *map(str, options), "--out", "two"]

    ended = subprocess.run(
        launch,
        cwd=tmp_path,
        env=environment(polaris.store_url, **ONE_THREAD),
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    one, two = (load_file(tmp_path / name / "adapter_model.safetensors") for name in ("one", "two"))
    assert max(float(np.abs(one[name] - two[name]).max()) for name in one) < 1e-4
    rows = [
        json.loads((tmp_path / name / "metrics.jsonl").read_text().splitlines()[-1])
        for name in ("one", "two")
    ]
    assert rows[0]["step"] == rows[1]["step"] == 3
