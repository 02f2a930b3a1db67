"""Every type of model that prompts are shared for gives plain trl's loss and gradients."""

import pytest

pytestmark = [
    pytest.mark.train,
    # trl 1.16 uses names that transformers 5.24 has deprecated.
    pytest.mark.filterwarnings("ignore:`.*gradient_checkpointing.*` is deprecated:FutureWarning"),
]

LARGEST_DIFFERENCE = 1e-4
CHANGED = {
    "mistral": {"sliding_window": None},
    "gemma": {"head_dim": 8},
    "qwen3": {"head_dim": 8},
}
"""Where the type's defaults are too large for a small model, or not eligible."""

MODEL_TYPES = (
    *("cohere", "gemma", "glm4", "granite", "llama", "mistral"),
    *("olmo2", "phi3", "qwen2", "qwen3", "smollm3", "starcoder2"),
)


def test_every_type_on_the_list_is_tested_here():
    from trainer.training.shared_prompt.eligible import TESTED_MODEL_TYPES

    assert set(MODEL_TYPES) == TESTED_MODEL_TYPES


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_a_model_of_the_type_gives_the_loss_and_gradients_of_plain_trl(model_type, tmp_path):
    import preference_steps as steps
    from peft import LoraConfig
    from transformers import CONFIG_MAPPING
    from trl import DPOTrainer

    from trainer.training.shared_prompt import SharedPromptDPOTrainer

    config = CONFIG_MAPPING[model_type](**steps.SMALL_SHAPE | CHANGED.get(model_type, {}))
    pairs = steps.pairs_of([steps.Lengths(17, 5, 9), steps.Lengths(6, 8, 1)])
    adapter = LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False)

    theirs, ours = (
        steps.steps_of(
            kind,
            steps.random_model(config),
            pairs,
            steps.settings(tmp_path, per_device_train_batch_size=2),
            adapter=adapter,
        )
        for kind in (DPOTrainer, SharedPromptDPOTrainer)
    )

    assert steps.largest_difference(ours, theirs) <= LARGEST_DIFFERENCE
