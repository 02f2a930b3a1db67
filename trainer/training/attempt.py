"""From what is ready to a finished adapter: load, compute the reference, train, measure, write.

This module and those it imports at its top need the train extra.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from accelerate import PartialState
from peft import PeftModel
from trl import DPOTrainer

from polaris_search.llm.adapters import adapter_name
from trainer.training.base.model import base_model
from trainer.training.data.prepared import conversations
from trainer.training.dpo import Data, kept_data, reference_margin, trainer_of
from trainer.training.folder.adapter_folder import rows_of, write_adapter
from trainer.training.folder.checkpoints import step_of
from trainer.training.folder.run_folder import RunFolder
from trainer.training.machine import memory_plan, this_machine
from trainer.training.plan import Plan
from trainer.training.request import Listener, Ready
from trainer.training.steps import batch_plan, steps_of
from trainer.training.watch import Watch

LAST = ("loss", "margin", "accuracy")


def attempt(
    ready: Ready, run: RunFolder, listener: Listener, now: datetime | None
) -> tuple[Path | None, int | None]:
    """Return the finished adapter's folder within the run's, and the step it went on from.

    Only the first of several processes writes an adapter; others return None.
    """
    began = perf_counter()
    listener.doing("loading the base model")
    model = _model(ready)
    plan = plan_of(replace(ready, machine=this_machine()))  # with what the weights have left free
    _say_plan(plan, ready, listener)
    with first_alone():
        data = _data(ready, run)
    watch = Watch(run.metrics, listener)
    trainer, reason = trainer_of(model, ready.base, data, plan, run, watch)
    if reason and plan.settings.share_prompt == "auto":
        listener.say(f"Each prompt is computed twice, once for each reply: {reason}.")
    with first_alone():
        found = run.checkpoint()
    step = step_of(found) if found else None
    if step is not None:
        listener.say(f"Going on after step {step} of {plan.steps.total}.")
    listener.doing("training")
    trainer.train(resume_from_checkpoint=str(found) if found else None)
    listener.doing("measuring the held-out pairs")
    measured = _measured(trainer, plan.settings.beta)
    if ready.machine.place:
        return None, step
    rows = rows_of(run.metrics)
    metrics = {
        **{name: one for name, one in rows[-1].items() if name in LAST},
        "tokens": sum(row["tokens"] for row in rows),
        **measured,
        "steps": plan.steps.total,
        "seconds": perf_counter() - began,
    }
    listener.doing("writing the adapter")
    made_at = (now or datetime.now(UTC)).astimezone(UTC).replace(microsecond=0)
    record = replace(ready.draft, name=adapter_name(made_at), made_at=made_at, metrics=metrics)
    trained = trainer.accelerator.unwrap_model(trainer.model)
    return write_adapter(trained, ready.source.shown, record, run), step


def plan_of(ready: Ready) -> Plan:
    """Return how the run is trained on this machine.

    Raises:
        TrainingRefused: its batch cannot be divided among the processes.
    """
    settings, pairs = ready.request.settings, ready.pairs
    at_a_time, checkpointing = memory_plan(
        settings, ready.machine, ready.base.size, pairs.fitted.longest
    )
    return Plan(
        settings,
        ready.footing,
        batch_plan(settings.batch, ready.machine.devices, at_a_time),
        steps_of(len(pairs.train), settings.batch, settings.epochs),
        pairs.fitted,
        checkpointing,
        ready.request.tensorboard,
    )


@contextmanager
def first_alone() -> Iterator[None]:
    """Let the first process through the block alone, the others after it."""
    with PartialState().main_process_first():
        yield


def _say_plan(plan: Plan, ready: Ready, listener: Listener) -> None:
    batch, steps = plan.batch, plan.steps
    listener.say(f"Training with {ready.footing.said}.")
    of = f", in each of {batch.devices} processes" if batch.devices > 1 else ""
    listener.say(
        f"Pairs to train on: {len(ready.pairs.train)}, in {steps.total} steps of {batch.pairs} "
        f"(at a time: {batch.per_device}, {batch.accumulation} times{of}); held out: "
        f"{len(ready.pairs.held_out)}; limit: {plan.fitted.limit:,} tokens; reference: "
        f"{ready.draft.reference}."
    )
    if not steps.warmup:
        listener.say(
            "There is no warm-up: a tenth of so few steps would be one, in which the learning "
            "rate is 0 and nothing is learned."
        )


def _model(ready: Ready) -> Any:
    model = base_model(ready.source, ready.footing, ready.machine.local)
    if ready.start is None:
        return model
    adapted = PeftModel.from_pretrained(model, ready.start.folder, is_trainable=True)
    # It was saved without a path of the machine; as a name, peft would look for it on the hub.
    adapted.peft_config["default"].base_model_name_or_path = str(ready.source.folder)
    return adapted


def _data(ready: Ready, run: RunFolder) -> Data:
    run.data.mkdir(exist_ok=True)
    pairs = ready.pairs
    train = kept_data(run.data, "train", lambda: conversations(pairs.train))
    if not pairs.held_out:
        return Data(train, None)
    return Data(train, kept_data(run.data, "held_out", lambda: conversations(pairs.held_out)))


def _measured(trainer: DPOTrainer, beta: float) -> Mapping[str, float]:
    """Return what the held-out pairs say before and after the training, in nats.

    The margin of a pair is how much likelier its chosen reply is than its rejected one. Before the
    training it is the reference's.
    """
    if trainer.eval_dataset is None:
        return {}
    said = trainer.evaluate()
    before = reference_margin(trainer.eval_dataset)
    return {
        "held_out_loss": said["eval_loss"],
        "held_out_margin_before": before,
        "held_out_margin_after": before + said["eval_rewards/margins"] / beta,
        "held_out_reward_margin": said["eval_rewards/margins"],
        "held_out_accuracy": said["eval_rewards/accuracies"],
    }
