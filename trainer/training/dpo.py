"""The trainer of one run: trl's DPOTrainer, or the one that computes each prompt once.

What this module adds to trl: nothing is logged to stdout, adapter weights stay float32 where the
base is quantised, the reference is computed before the first step and then no longer kept, and the
pairs that trl makes of the data are checked against what was counted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets
import torch
from datasets import Dataset
from peft import PeftModel
from transformers import PrinterCallback, ProgressCallback
from trl import DPOConfig, DPOTrainer

from trainer.training.base.model import BaseTokenizer
from trainer.training.folder.run_folder import RunFolder
from trainer.training.plan import Plan, adapter_config, config_of
from trainer.training.problems import TrainingRefused
from trainer.training.settings import TrainSettings
from trainer.training.shared_prompt import SharedPromptDPOTrainer, why_not_shared
from trainer.training.watch import Watch

REFERENCE_COPY = "ref"
"""trl's copy of an adapter that training begins from. It must never be saved or served."""


@dataclass(frozen=True, slots=True)
class Data:
    """Pairs in trl's conversational format; `held_out` is None where no pair is held out."""

    train: Dataset
    held_out: Dataset | None

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return len(self.train) + (len(self.held_out) if self.held_out else 0)


def kept_data(folder: Path, name: str, make: Callable[[], list[dict[str, Any]]]) -> Dataset:
    """Return the data kept in the folder, made and kept there if it is not.

    What trl makes of it (tokens, what the reference says) is kept beside it, and found again.
    """
    path = folder / name
    if not path.exists():
        unfinished = folder / f".{name}"
        Dataset.from_list(make()).save_to_disk(unfinished)
        unfinished.rename(path)
    return datasets.load_from_disk(path)


def trainer_of(
    model: Any, base: BaseTokenizer, data: Data, plan: Plan, folder: RunFolder, watch: Watch
) -> tuple[DPOTrainer, str | None]:
    """Return the trainer, its reference computed, and why it is not the one that shares prompts.

    Args:
        model: the base, or the adapter on it that training begins from.
        base: its tokenizer.
        data: pairs to train on and to measure.
        plan: how.
        folder: where the trainer writes.
        watch: is called by the trainer; see `watch`.

    Raises:
        TrainingRefused: sharing prompts was asked for and the model does not allow it, or trl
            makes other pairs of the data than were counted.
    """
    config = config_of(plan, folder.checkpoints)
    reason = _why_not_shared(model, config, plan.settings)
    kind = DPOTrainer if reason else SharedPromptDPOTrainer
    with _counted(model, data.pairs, plan.batch.per_device, watch):
        trainer = kind(
            model=model,
            args=config,
            processing_class=base.tokenizer,
            train_dataset=data.train,
            eval_dataset=data.held_out,
            peft_config=None if isinstance(model, PeftModel) else adapter_config(plan.settings),
            callbacks=[watch],
        )
    for printing in (PrinterCallback, ProgressCallback):
        trainer.remove_callback(printing)
    _require_same_pairs(trainer, data)
    _leave_the_reference(trainer)
    _keep_float32(trainer)
    return trainer, reason


def reference_margin(dataset: Dataset) -> float:
    """Return how much likelier the reference finds the chosen replies, in nats, on average."""
    pairs = zip(dataset["ref_chosen_logps"], dataset["ref_rejected_logps"], strict=True)
    margins = [float(chosen) - float(rejected) for chosen, rejected in pairs]
    return sum(margins) / len(margins)


@contextmanager
def _counted(model: Any, pairs: int, at_a_time: int, watch: Watch) -> Iterator[None]:
    """Tell of the reference's passes within the block: each is a call of the model."""
    calls = 0

    def called(*_: object) -> None:
        nonlocal calls
        calls += 1
        watch.referred(min(calls * at_a_time, pairs), pairs)

    handle = model.register_forward_pre_hook(called)
    try:
        yield
    finally:
        handle.remove()


def _why_not_shared(model: Any, config: DPOConfig, settings: TrainSettings) -> str | None:
    if settings.share_prompt == "off":
        return "it was turned off"
    reason = why_not_shared(model, config)
    if reason and settings.share_prompt == "on":
        raise TrainingRefused(
            f"Each prompt cannot be computed once for both replies: {reason}. Leave --share-prompt "
            "out to train this model the plain way."
        )
    return reason


def _require_same_pairs(trainer: DPOTrainer, data: Data) -> None:
    """Check that trl has dropped no pair in silence."""
    for made, given in ((trainer.train_dataset, data.train), (trainer.eval_dataset, data.held_out)):
        if given is not None and len(made) != len(given):
            raise TrainingRefused(
                f"trl made {len(made)} pairs of {len(given)}. Raise --max-length, or leave it out."
            )


def _leave_the_reference(trainer: DPOTrainer) -> None:
    """Remove trl's copy of the adapter that training begins from: what it says is known by now."""
    model = trainer.model
    if REFERENCE_COPY in model.peft_config:
        model.set_adapter("default")
        model.delete_adapter(REFERENCE_COPY)


def _keep_float32(trainer: DPOTrainer) -> None:
    """Give adapter weights float32 where trl made them bfloat16, as it does on a quantised base.

    A step of AdamW is about the learning rate, 5e-6; half the distance between two bfloat16
    numbers near 0.01 is 3e-5, so that most of A's weights would never change.
    """
    for parameter in trainer.model.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.to(torch.float32)
