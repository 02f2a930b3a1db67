"""A prompt computed once gives trl's loss and trl's gradients, whatever the settings."""

import pytest

pytestmark = [
    pytest.mark.train,
    # trl 1.16 uses names that transformers 5.24 has deprecated.
    pytest.mark.filterwarnings("ignore:`.*gradient_checkpointing.*` is deprecated:FutureWarning"),
]

LARGEST_DIFFERENCE = 1e-4


@pytest.fixture
def steps():
    import preference_steps

    return preference_steps


@pytest.fixture
def pairs(steps):
    """Unequal ones: a prompt of one token, a reply of one, replies longer than their prompt."""
    lengths = ((30, 9, 14), (1, 1, 6), (17, 5, 5), (8, 12, 1))
    return steps.pairs_of([steps.Lengths(*each) for each in lengths])


def both(steps, pairs, folder, model=None, **changed):
    """Return the steps of plain trl and ours, from the same start."""
    from trl import DPOTrainer

    from trainer.training.shared_prompt import SharedPromptDPOTrainer

    make = model or steps.random_llama
    return [
        steps.steps_of(kind, make(), pairs, steps.settings(folder, **changed))
        for kind in (DPOTrainer, SharedPromptDPOTrainer)
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"per_device_train_batch_size": 2},
        {"per_device_train_batch_size": 4},
        {"precompute_ref_log_probs": True},
        {"precompute_ref_log_probs": True, "per_device_train_batch_size": 2},
        {"activation_checkpointing": True, "per_device_train_batch_size": 2},
        {
            "activation_checkpointing": True,
            "activation_checkpointing_kwargs": {"use_reentrant": True},
        },
        {"activation_checkpointing": True, "precompute_ref_log_probs": True},
        {"max_length": 20, "per_device_train_batch_size": 2},
        {"pad_to_multiple_of": 8, "per_device_train_batch_size": 2},
        {"loss_type": ["ipo"], "per_device_train_batch_size": 2},
        {"loss_type": ["hinge"]},
        {"loss_type": ["apo_zero"]},
        {"loss_type": ["sigmoid_norm"], "per_device_train_batch_size": 2},
        {"loss_type": ["sigmoid", "sft"], "loss_weights": [0.7, 0.3]},
        {"ld_alpha": 0.3, "per_device_train_batch_size": 2},
        {"ld_alpha": 0.3, "precompute_ref_log_probs": True},
        {"use_weighting": True},
        {"label_smoothing": 0.1},
        {"f_divergence_type": "js_divergence"},
    ],
    ids=lambda changed: ", ".join(f"{name}={value}" for name, value in changed.items()) or "plain",
)
def test_loss_and_every_gradient_are_those_of_plain_trl(steps, pairs, tmp_path, changed):
    theirs, ours = both(steps, pairs, tmp_path, **changed)

    assert len(theirs.gradients) == 2 * 2 * len(steps.SEVEN_PROJECTIONS)
    assert steps.largest_difference(ours, theirs) <= LARGEST_DIFFERENCE


def test_metrics_are_those_of_plain_trl_but_for_the_tokens_of_prompts(steps, pairs, tmp_path):
    theirs, ours = both(steps, pairs, tmp_path, per_device_train_batch_size=2)

    fewer = {"num_tokens"}
    measured = {key: value for key, value in theirs.metrics.items() if key not in fewer}
    assert {key: ours.metrics[key] for key in measured} == pytest.approx(measured, rel=1e-4)
    prompts = 30 + 1 + 17 + 8
    assert theirs.metrics["num_tokens"] - ours.metrics["num_tokens"] == prompts


def test_without_an_adapter_the_reference_is_a_model_of_its_own(steps, pairs, tmp_path):
    from trl import DPOTrainer

    from trainer.training.shared_prompt import SharedPromptDPOTrainer

    theirs, ours = (
        steps.steps_of(
            kind,
            steps.random_llama(),
            pairs,
            steps.settings(tmp_path, per_device_train_batch_size=2),
            adapter=None,
            ref_model=steps.random_llama(initializer_range=0.31),
        )
        for kind in (DPOTrainer, SharedPromptDPOTrainer)
    )

    assert steps.largest_difference(ours, theirs) <= LARGEST_DIFFERENCE


def test_a_reference_that_trl_loads_itself_shares_prompts_too(steps, pairs, tmp_path):
    from transformers import AutoModelForCausalLM
    from trl import DPOTrainer

    from trainer.training.shared_prompt import SharedPromptDPOTrainer

    steps.random_llama().save_pretrained(tmp_path / "base")
    theirs, ours = (
        steps.steps_of(
            kind,
            AutoModelForCausalLM.from_pretrained(tmp_path / "base"),
            pairs,
            steps.settings(tmp_path),
            adapter=None,
        )
        for kind in (DPOTrainer, SharedPromptDPOTrainer)
    )

    assert steps.largest_difference(ours, theirs) <= LARGEST_DIFFERENCE


def test_training_goes_on_from_an_adapter_against_a_copy_of_it(steps, pairs, tmp_path):
    from peft import get_peft_model
    from trl import DPOTrainer

    from trainer.training.shared_prompt import SharedPromptDPOTrainer

    def adapted():
        return get_peft_model(steps.random_llama(), steps.RANDOM_ADAPTER)

    theirs, ours = (
        steps.steps_of(kind, adapted(), pairs, steps.settings(tmp_path), adapter=None)
        for kind in (DPOTrainer, SharedPromptDPOTrainer)
    )

    assert steps.largest_difference(ours, theirs) <= LARGEST_DIFFERENCE


@pytest.mark.parametrize("seed", range(4))
def test_pairs_of_random_lengths_give_the_gradients_of_plain_trl(steps, tmp_path, seed):
    import random

    draw = random.Random(seed)

    def length(longest):
        return draw.choice((1, draw.randint(1, longest)))

    lengths = [steps.Lengths(length(40), length(25), length(25)) for _ in range(24)]
    changed = {
        "per_device_train_batch_size": draw.randint(1, 5),
        "max_length": draw.choice((None, 41, 50)),
    }

    theirs, ours = both(steps, steps.pairs_of(lengths, seed), tmp_path, **changed)

    assert steps.largest_difference(ours, theirs) <= LARGEST_DIFFERENCE
