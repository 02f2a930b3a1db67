"""Numbers of a run: its optimizer steps, the warm-up among them, and how a batch is made up."""

import math
from dataclasses import dataclass

from trainer.training.problems import TrainingRefused
from trainer.training.settings import WARMUP_SHARE

CHECKPOINTS_PER_RUN = 20


@dataclass(frozen=True, slots=True)
class Steps:
    """Optimizer steps.

    Attributes:
        total: of the run.
        warmup: in which the learning rate rises; it is 0 in the first of them.
        save_every: steps between two checkpoints.
    """

    total: int
    warmup: int
    save_every: int


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """How a batch is made up: pairs at a time on each device, and how often before a step."""

    per_device: int
    accumulation: int
    devices: int

    @property
    def pairs(self) -> int:
        """Pairs of one optimizer step."""
        return self.per_device * self.accumulation * self.devices


def steps_of(n_pairs: int, batch: int, epochs: int) -> Steps:
    """Return the steps of a run. A last batch that is not full is a step as well.

    The learning rate of a warm-up's first step is 0. A run of fewer than 10 steps has none: its
    tenth would be that one step, in which nothing is learned.
    """
    total = math.ceil(n_pairs / batch) * epochs
    warmup = math.ceil(total * WARMUP_SHARE) if total * WARMUP_SHARE >= 1 else 0
    return Steps(total, warmup, max(1, total // CHECKPOINTS_PER_RUN))


def batch_plan(batch: int, devices: int, most_at_a_time: int) -> BatchPlan:
    """Return the plan with the most pairs at a time that the memory allows.

    The number of pairs of a step is the same with any number of devices.

    Args:
        batch: pairs of one step.
        devices: processes that train, one a device.
        most_at_a_time: pairs that one device has memory for, >= 1.

    Raises:
        TrainingRefused: the batch cannot be divided among the devices.
    """
    if batch % devices:
        raise TrainingRefused(
            f"A batch of {batch} pairs cannot be divided among {devices} processes. "
            f"Use --batch {math.ceil(batch / devices) * devices}, or another number of processes."
        )
    share = batch // devices
    at_a_time = max(n for n in range(1, min(share, most_at_a_time) + 1) if share % n == 0)
    return BatchPlan(at_a_time, share // at_a_time, devices)
