"""What watches a run step by step: metrics to a file, progress to a person, a stop at nonsense."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from trainer.training.folder.checkpoints import PREFIX, mark_whole, step_of
from trainer.training.problems import TrainingStopped
from trainer.training.request import Listener

METRICS = {
    "loss": "loss",
    "rewards/margins": "margin",
    "rewards/accuracies": "accuracy",
    "rewards/chosen": "reward_chosen",
    "rewards/rejected": "reward_rejected",
    "logps/chosen": "logp_chosen",
    "logps/rejected": "logp_rejected",
    "grad_norm": "gradient_norm",
    "learning_rate": "learning_rate",
    "num_tokens": "tokens",
}
"""trl's names of what a step is told with, and ours."""


class Watch(TrainerCallback):  # type: ignore[misc]  # transformers has no types
    """Writes each step's metrics, tells of them, marks whole checkpoints, stops at no number.

    Args:
        metrics: file that a line a step is added to.
        progress: is told.
    """

    def __init__(self, metrics: Path, progress: Listener) -> None:
        self._metrics = metrics
        self._progress = progress
        self._tokens = 0.0  # trl counts them from the start of the process

    def referred(self, done: int, total: int) -> None:
        """Hear for how many pairs the reference has been computed, of a total."""
        self._progress.referred(done, total)

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Take a step's metrics.

        Raises:
            TrainingStopped: the loss or its gradient is no number.
        """
        step = logs or {}
        _refuse_no_number(step, state.global_step, Path(args.output_dir))
        if not state.is_world_process_zero or "loss" not in step:
            return  # another process tells, or this is no step but the run's end
        told = {ours: float(step[name]) for name, ours in METRICS.items() if name in step}
        self._tokens, told["tokens"] = told["tokens"], told["tokens"] - self._tokens
        with self._metrics.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": state.global_step, **told}) + "\n")
        self._progress.stepped(state.global_step, state.max_steps, told)

    def on_save(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **_: Any,
    ) -> None:
        """Mark the checkpoint that was just written."""
        if state.is_world_process_zero:
            mark_whole(Path(args.output_dir) / f"{PREFIX}{state.global_step}")


def _refuse_no_number(logs: Mapping[str, float], step: int, checkpoints: Path) -> None:
    wrong = [
        name for name in ("loss", "grad_norm") if not math.isfinite(float(logs.get(name, 0.0)))
    ]
    if wrong:
        what = "loss" if "loss" in wrong else "gradient"
        kept = max(checkpoints.glob(f"{PREFIX}*"), key=step_of, default=None)
        saved = f" {kept} was saved before and is the last good one." if kept else ""
        raise TrainingStopped(
            f"The {what} is no longer a number after step {step}; the run was stopped and this "
            f"step not saved.{saved} Lower --learning-rate, and train into another folder."
        )
