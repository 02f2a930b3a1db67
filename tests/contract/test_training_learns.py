"""The small real model learns what consistent pairs prefer, and the reverse of swapped ones."""

import pytest
from training_listener import Heard, request_of
from training_pairs import pair_of, write_pairs

pytestmark = pytest.mark.train

N_PAIRS = 30
BETA = 0.1
LEARNED_REWARD_MARGIN = 1.55
"""What this seed gives on the held-out pairs, within TOLERANCE on other processors."""
TOLERANCE = 0.25


@pytest.fixture(scope="module")
def learned(small_base, tmp_path_factory):
    """The metrics of both runs, by whether the replies were swapped."""
    from trainer.training.run import train

    folder = tmp_path_factory.mktemp("learned")
    metrics = {}
    for swapped in (False, True):
        pairs = write_pairs(
            folder / f"swapped_{swapped}.jsonl",
            (pair_of(number, swapped=swapped) for number in range(N_PAIRS)),
        )
        settings = {"rank": 8, "batch": 8, "learning_rate": 5e-4, "held_out": 0.2}
        request = request_of(pairs, small_base, folder / f"out_{swapped}", folder, **settings)
        metrics[swapped] = train(request, Heard()).record
    return metrics


def test_consistent_pairs_raise_the_held_out_margin_of_chosen_over_rejected(learned):
    record = learned[False]

    assert (record.pairs["trained"], record.pairs["held_out"]) == (24, 6)
    metrics = record.metrics
    assert metrics["held_out_margin_after"] > metrics["held_out_margin_before"]
    assert metrics["held_out_accuracy"] == 1.0
    assert metrics["held_out_reward_margin"] == pytest.approx(LEARNED_REWARD_MARGIN, abs=TOLERANCE)


def test_swapped_pairs_lower_the_margin_of_the_replies_that_were_chosen_before(learned):
    straight, swapped = learned[False].metrics, learned[True].metrics

    # the same held-out pairs with both replies swapped: before the training the margin's negative
    assert swapped["held_out_margin_before"] == pytest.approx(-straight["held_out_margin_before"])
    assert -swapped["held_out_margin_after"] < straight["held_out_margin_before"]
    lowered = straight["held_out_margin_before"] + swapped["held_out_margin_after"]
    assert lowered * BETA == pytest.approx(LEARNED_REWARD_MARGIN, abs=TOLERANCE)
