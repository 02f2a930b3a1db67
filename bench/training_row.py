"""One way to train, in a process of its own: what a pair costs, and the gradients it gives.

    python bench/training_row.py shared --base FOLDER --prompt 640 --pairs 1 --gradients FILE

prints a line of JSON. trl's own loop runs over one short pair, which loads what is loaded once, and
then over the pairs that are measured, all in one step; the clock stops before the optimizer.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from datasets import Dataset
from machine import peak_mb, start_new_peak
from made_up_pairs import made_up_pair
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig, TrainerCallback
from trl import DPOConfig, DPOTrainer

from trainer.training.shared_prompt import SharedPromptDPOTrainer
from trainer.training.shared_prompt.backbone import unwrapped

CHOSEN_TOKENS, REJECTED_TOKENS = 226, 164
"""Beside two tokens that the chat template ends a reply with."""
WARM_UP = (400, 8, 8)
PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


@dataclass(frozen=True)
class Way:
    shared: bool = False
    reused: bool = False
    checkpointing: bool = False
    nf4: bool = False


WAYS = {
    "plain": Way(),
    "plain, checkpointing": Way(checkpointing=True),
    "plain, reference reused": Way(reused=True),
    "shared": Way(shared=True),
    "shared, reference reused": Way(shared=True, reused=True),
    "shared, checkpointing": Way(shared=True, checkpointing=True),
    "shared, checkpointing, reference reused": Way(shared=True, reused=True, checkpointing=True),
    "shared, checkpointing, NF4": Way(shared=True, checkpointing=True, nf4=True),
}


@dataclass(frozen=True)
class Cost:
    """Of one pair, in means over the pairs; the reference's own run is apart, where it is."""

    user_s: float
    system_s: float
    wall_s: float
    peak_mb: float
    tokens: float
    reference_s: float
    losses: tuple[float, ...]
    load: str


class Meter(TrainerCallback):
    """Starts behind the first pair, stops before the optimizer's step."""

    def __init__(self) -> None:
        self.tokens = 0
        self.gradients: dict[str, torch.Tensor] = {}

    def count(self, module, given, result):
        self.tokens += given[0].numel()

    def on_substep_end(self, args, state, control, model=None, **_):
        if not hasattr(self, "began"):
            start_new_peak()
            self.tokens = 0
            self.wall = time.monotonic()
            self.began = resource.getrusage(resource.RUSAGE_SELF)

    def on_pre_optimizer_step(self, args, state, control, model=None, **_):
        self.ended = resource.getrusage(resource.RUSAGE_SELF)
        self.wall = time.monotonic() - self.wall
        self.peak = peak_mb()
        self.gradients = {
            name: weight.grad.float().clone()
            for name, weight in model.named_parameters()
            if weight.grad is not None
        }


class Noting:
    """Mixed into a trainer: its losses."""

    def compute_loss(self, *given, **named):
        loss = super().compute_loss(*given, **named)
        self.losses = (*getattr(self, "losses", ()), float(loss.detach()))
        return loss


class Plain(Noting, DPOTrainer):
    pass


class Shared(Noting, SharedPromptDPOTrainer):
    pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--prompt", type=int, required=True)
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument("--gradients", type=Path)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    cost, gradients = run(WAYS[asked.way], asked.base, asked.prompt, asked.pairs)
    if asked.gradients:
        torch.save(gradients, asked.gradients)
    print(json.dumps(asdict(cost)))


def run(way: Way, base: Path, prompt: int, n_pairs: int) -> tuple[Cost, dict[str, torch.Tensor]]:
    tokenizer = AutoTokenizer.from_pretrained(base)
    lengths = [WARM_UP, *[(prompt, CHOSEN_TOKENS, REJECTED_TOKENS)] * n_pairs]
    pairs = [made_up_pair(tokenizer, seed, *each) for seed, each in enumerate(lengths)]
    meter = Meter()
    before = resource.getrusage(resource.RUSAGE_SELF)
    with tempfile.TemporaryDirectory() as folder:
        trainer = (Shared if way.shared else Plain)(
            model=_model(base, way),
            args=_settings(folder, way, len(pairs)),
            train_dataset=Dataset.from_list(pairs),
            processing_class=tokenizer,
            peft_config=LoraConfig(
                r=64, lora_alpha=64, lora_dropout=0.0, target_modules=PROJECTIONS
            ),
            callbacks=[meter],
        )
        prepared = resource.getrusage(resource.RUSAGE_SELF)
        _leave_the_reference(trainer.model)
        unwrapped(trainer.model).get_input_embeddings().register_forward_hook(meter.count)
        trainer.train()
    cost = Cost(
        user_s=(meter.ended.ru_utime - meter.began.ru_utime) / n_pairs,
        system_s=(meter.ended.ru_stime - meter.began.ru_stime) / n_pairs,
        wall_s=meter.wall / n_pairs,
        peak_mb=meter.peak,
        tokens=meter.tokens / n_pairs,
        reference_s=prepared.ru_utime + prepared.ru_stime - before.ru_utime - before.ru_stime,
        losses=trainer.losses,
        load=f"{os.getloadavg()[0]:.1f}",
    )
    return cost, meter.gradients


def _model(base: Path, way: Way):
    quantised = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.float32,
    )
    return AutoModelForCausalLM.from_pretrained(
        base, dtype=torch.float32, **({"quantization_config": quantised} if way.nf4 else {})
    )


def _settings(folder: str, way: Way, n_pairs: int) -> DPOConfig:
    return DPOConfig(
        output_dir=folder,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=n_pairs,
        max_steps=1,
        max_length=None,
        max_grad_norm=0.0,
        optim="adamw_8bit",
        precompute_ref_log_probs=way.reused,
        activation_checkpointing=way.checkpointing,
        bf16=False,
        use_cpu=True,
        train_sampling_strategy="sequential",
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
    )


def _leave_the_reference(model: torch.nn.Module) -> None:
    """Move the adapter off its start, where it says what the reference says and A has no slope."""
    random = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "lora_B" in name:
                weight.normal_(0, 0.01, generator=random)


if __name__ == "__main__":
    main()
