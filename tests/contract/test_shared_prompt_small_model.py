"""The real small model: a pair of the product's own prompt, trained plain and shared."""

import pytest

pytestmark = [
    pytest.mark.train,
    # trl 1.16 uses names that transformers 5.24 has deprecated.
    pytest.mark.filterwarnings("ignore:`.*gradient_checkpointing.*` is deprecated:FutureWarning"),
]

LARGEST_DIFFERENCE = 1e-4


def test_the_small_model_gets_the_loss_and_gradients_of_plain_trl(small_base, tmp_path):
    import preference_steps as steps
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import DPOTrainer

    from trainer.training.shared_prompt import SharedPromptDPOTrainer

    pair = {
        "prompt": [{"role": "user", "content": "Describe the table birds: site, year, nests."}],
        "chosen": [{"role": "assistant", "content": "Nests of seabirds, counted every year."}],
        "rejected": [{"role": "assistant", "content": "A table."}],
    }
    adapter = LoraConfig(r=8, target_modules=list(steps.SEVEN_PROJECTIONS), init_lora_weights=False)

    theirs, ours = (
        steps.steps_of(
            kind,
            AutoModelForCausalLM.from_pretrained(small_base),
            Dataset.from_list([pair]),
            steps.settings(tmp_path),
            tokenizer=AutoTokenizer.from_pretrained(small_base),
            adapter=adapter,
        )
        for kind in (DPOTrainer, SharedPromptDPOTrainer)
    )

    assert len(theirs.gradients) == 2 * 30 * len(steps.SEVEN_PROJECTIONS)
    assert steps.largest_difference(ours, theirs) <= LARGEST_DIFFERENCE
