"""`adapters list` of what `train` itself has written."""

import pytest
from commands import Commands
from training_pairs import pair_of, write_pairs

pytestmark = pytest.mark.train


def test_the_margin_of_a_trained_adapter_is_listed(tmp_path, tiny_base):
    polaris = Commands(tmp_path, f"file:{tmp_path / 'store'}")
    pairs = write_pairs(tmp_path / "pairs.jsonl", map(pair_of, range(12)))
    trained = polaris.answer("train", pairs, "--base", tiny_base, "--rank", 4, OMP_NUM_THREADS="1")

    listing = polaris("adapters", "list").stdout.decode()

    (row,) = [line for line in listing.splitlines() if line.startswith(trained["name"])]
    assert row.split()[-1] == f"{trained['metrics']['held_out_reward_margin']:.3f}"
