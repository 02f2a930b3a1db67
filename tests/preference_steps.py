"""Steps of DPO on small random models: what they cost the weights, by either trainer.

Imports the training stack: only for tests marked train.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from datasets import Dataset
from peft import LoraConfig, PeftConfig
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import (
    AutoModelForCausalLM,
    LlamaConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    TrainerCallback,
)
from trl import DPOConfig, DPOTrainer

N_WORDS = 120
TINY = 1e-6
"""A loss may be nothing at all, where a margin is wide enough."""
END = "</s>"
SEVEN_PROJECTIONS = (
    *("q_proj", "k_proj", "v_proj", "o_proj"),
    *("gate_proj", "up_proj", "down_proj"),
)
RANDOM_ADAPTER = LoraConfig(
    r=4,
    target_modules=list(SEVEN_PROJECTIONS),
    # Random B matrices: the policy differs from its reference, and the A matrices have gradients.
    init_lora_weights=False,
)


# Two layers, and fewer key heads than query heads.
SMALL_SHAPE = {
    "vocab_size": N_WORDS + 1,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "initializer_range": 0.3,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "pad_token_id": 0,
}


@dataclass(frozen=True)
class Steps:
    """What a run computed: a loss for each batch, the summed gradients, trl's last metrics."""

    losses: list[float]
    gradients: dict[str, torch.Tensor]
    metrics: dict[str, float]


@dataclass(frozen=True)
class Lengths:
    """How many tokens a pair has; a reply's last is the end of the turn."""

    prompt: int
    chosen: int
    rejected: int


def word_tokenizer() -> PreTrainedTokenizerBase:
    """A word is a token: `w0` to `w119`."""
    words = [END, *(f"w{number}" for number in range(N_WORDS))]
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(words)}))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=END)


def pairs_of(lengths: Sequence[Lengths], seed: int = 0) -> Dataset:
    """Pairs of random words with these lengths."""
    draw = random.Random(seed)

    def words(count: int) -> str:
        return "".join(f" w{draw.randrange(N_WORDS)}" for _ in range(count))

    return Dataset.from_list(
        [
            {
                "prompt": words(each.prompt).strip(),
                "chosen": words(each.chosen - 1) + f" {END}",
                "rejected": words(each.rejected - 1) + f" {END}",
            }
            for each in lengths
        ]
    )


def random_llama(**changed: object) -> PreTrainedModel:
    return random_model(LlamaConfig(**SMALL_SHAPE | changed))


def random_model(config: PreTrainedConfig) -> PreTrainedModel:
    torch.manual_seed(1)
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32)


def settings(folder: Path, **changed: object) -> DPOConfig:
    """One pass over the pairs in one step, on the processor, that moves no weight."""
    wanted = {
        "output_dir": str(folder),
        "per_device_train_batch_size": 1,
        "gradient_accumulation_steps": 64,
        "num_train_epochs": 1,
        "learning_rate": 0.0,
        "max_grad_norm": 0.0,
        "max_length": None,
        "activation_checkpointing": False,
        "bf16": False,
        "use_cpu": True,
        "report_to": "none",
        "save_strategy": "no",
        "logging_steps": 1,
        "disable_tqdm": True,
    }
    return DPOConfig(**wanted | changed)


def steps_of(
    trainer_class: type[DPOTrainer],
    model: PreTrainedModel,
    pairs: Dataset,
    args: DPOConfig,
    *,
    tokenizer: PreTrainedTokenizerBase | None = None,
    adapter: PeftConfig | None = RANDOM_ADAPTER,
    ref_model: PreTrainedModel | None = None,
) -> Steps:
    """Run trl's own loop over the pairs and return what it computed."""
    kept = _Gradients()
    losses: list[float] = []
    trainer = _noting_losses(trainer_class, losses)(
        model=model,
        ref_model=ref_model,
        args=args,
        train_dataset=pairs,
        processing_class=tokenizer or word_tokenizer(),
        peft_config=adapter,
        callbacks=[kept],
    )
    trainer.train()
    return Steps(losses, kept.gradients, trainer.state.log_history[0])


def largest_difference(ours: Steps, theirs: Steps) -> float:
    """The largest relative difference of a loss, or of a tensor's gradient by its norm."""
    assert theirs.gradients
    assert ours.gradients.keys() == theirs.gradients.keys()
    of_losses = [
        abs(mine - other) / max(abs(other), TINY)
        for mine, other in zip(ours.losses, theirs.losses, strict=True)
    ]
    of_gradients = [
        float((ours.gradients[name] - other).norm() / other.norm())
        for name, other in theirs.gradients.items()
    ]
    return max(of_losses + of_gradients)


def _noting_losses(
    trainer_class: type[DPOTrainer], losses: list[float]
) -> Callable[..., DPOTrainer]:
    class Noting(trainer_class):  # type: ignore[misc,valid-type]
        def compute_loss(self, *given, **named):
            loss = super().compute_loss(*given, **named)
            losses.append(float(loss.detach()))
            return loss

    return Noting


class _Gradients(TrainerCallback):
    def __init__(self) -> None:
        self.gradients: dict[str, torch.Tensor] = {}

    def on_pre_optimizer_step(self, args, state, control, model=None, **_):
        self.gradients = {
            name: weight.grad.detach().clone()
            for name, weight in model.named_parameters()
            if weight.grad is not None
        }
