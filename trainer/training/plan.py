"""How one run trains on one machine, and the same in trl's and peft's terms.

Every default of trl that matters is set here: those of another version may differ.
"""

from dataclasses import dataclass
from pathlib import Path

from peft import LoraConfig
from trl import DPOConfig

from trainer.training.data.lengths import Fitted
from trainer.training.machine import Footing
from trainer.training.settings import PROJECTIONS, TrainSettings
from trainer.training.steps import BatchPlan, Steps


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a trainer is made from, beside model and data."""

    settings: TrainSettings
    footing: Footing
    batch: BatchPlan
    steps: Steps
    fitted: Fitted
    checkpointing: bool
    tensorboard: bool = False


def config_of(plan: Plan, checkpoints: Path) -> DPOConfig:
    """Return the plan in trl's terms."""
    settings = plan.settings
    return DPOConfig(
        output_dir=str(checkpoints),
        beta=settings.beta,
        max_length=plan.fitted.limit,
        precompute_ref_log_probs=True,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=plan.steps.warmup,
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=plan.batch.per_device,
        per_device_eval_batch_size=1,  # a mean over batches is then one over pairs
        gradient_accumulation_steps=plan.batch.accumulation,
        gradient_checkpointing=plan.checkpointing,
        gradient_checkpointing_kwargs={"use_reentrant": False},
        optim=plan.footing.optimizer,
        bf16=plan.footing.mixed,
        use_cpu=plan.footing.device == "cpu",
        seed=settings.seed,
        data_seed=settings.seed,
        logging_steps=1,
        logging_nan_inf_filter=False,  # else a loss that is no number looks like one
        save_steps=plan.steps.save_every,
        save_total_limit=2,
        eval_strategy="no",
        report_to=["tensorboard"] if plan.tensorboard else [],
        disable_tqdm=True,
        dataloader_pin_memory=plan.footing.device == "cuda",
    )


def adapter_config(settings: TrainSettings) -> LoraConfig:
    """Return the adapter to begin with: of the settings' rank, on all seven projections."""
    return LoraConfig(
        r=settings.rank,
        lora_alpha=settings.lora_alpha,
        lora_dropout=0.0,
        bias="none",
        target_modules=list(PROJECTIONS),
        task_type="CAUSAL_LM",
    )
