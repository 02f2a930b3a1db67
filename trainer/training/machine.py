"""What there is to train on, and what a run stands on there: weights, optimizer, memory.

On a GPU: NF4 weights and 8-bit AdamW, as in the paper. On a CPU: float32 weights and plain AdamW.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trainer.training.packages import INSTALL, ON_GPU
from trainer.training.problems import TrainExtraMissing, TrainingRefused
from trainer.training.settings import TrainSettings

Device = Literal["cpu", "cuda"]
MEMORY_SHARE = 0.6
"""Of what is free, what activations may take: the rest is for weights, gradients and the head."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where this process trains.

    Attributes:
        device: cpu or cuda.
        name: of the device, for people.
        free_bytes: of its memory.
        devices: processes that train together, one a device.
        place: which of them this one is, from 0.
        local: which device of its machine this process has, from 0.
    """

    device: Device
    name: str
    free_bytes: int
    devices: int = 1
    place: int = 0
    local: int = 0


@dataclass(frozen=True, slots=True)
class Footing:
    """What a run stands on: `dtype` by torch's name, `optimizer` by transformers'."""

    device: Device
    four_bit: bool
    dtype: str
    optimizer: str
    mixed: bool

    @property
    def said(self) -> str:
        """It in words, for the log."""
        if self.device == "cpu":
            return "float32 weights and plain AdamW on the CPU"
        weights = "4-bit (NF4) weights" if self.four_bit else "bfloat16 weights"
        return f"{weights} and 8-bit AdamW on the GPU"


def this_machine() -> Machine:
    """Return what this process can train on."""
    import torch
    from accelerate import PartialState

    state = PartialState(cpu=not torch.cuda.is_available())  # else CPUs do not find each other
    processes, place, local = (
        state.num_processes,
        state.process_index,
        state.local_process_index,
    )
    if state.device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(local)
        name = torch.cuda.get_device_name(local)
        return Machine("cuda", name, free, processes, place, local)
    return Machine("cpu", "CPU", _free_memory(), processes, place, local)


def footing(settings: TrainSettings, device: Device, *, has_bitsandbytes: bool) -> Footing:
    """Return what a run stands on.

    Raises:
        TrainingRefused: 4-bit weights were asked for, and there is no GPU.
        TrainExtraMissing: a GPU, and the package for 4-bit weights and 8-bit AdamW is missing.
    """
    if device == "cpu":
        if settings.four_bit:
            raise TrainingRefused(
                "4-bit weights were asked for, and there is no GPU that torch can use. Leave "
                "--four-bit out to train with float32 weights on the CPU, or run it on a machine "
                "with a GPU (`python -c 'import torch; print(torch.cuda.is_available())'`)."
            )
        return Footing("cpu", four_bit=False, dtype="float32", optimizer="adamw_torch", mixed=False)
    if not has_bitsandbytes:
        raise TrainExtraMissing(
            f"On a GPU {ON_GPU} gives 4-bit weights and 8-bit AdamW, and it is not installed. "
            f"{INSTALL}"
        )
    four_bit = settings.four_bit is not False
    return Footing("cuda", four_bit=four_bit, dtype="bfloat16", optimizer="adamw_8bit", mixed=True)


@dataclass(frozen=True, slots=True)
class ModelSize:
    """A model's layers, its width, and its width inside a layer."""

    layers: int
    hidden: int
    inner: int


def activation_bytes(size: ModelSize, tokens: int, *, mixed: bool, checkpointing: bool) -> int:
    """Return about how many bytes of activations `tokens` tokens keep for the backward pass.

    In float32 a layer keeps about 16 vectors of its width and 6 of its inner width; with bfloat16
    these are half as long, and each adapted projection keeps its input in float32 beside it. With
    checkpointing a layer keeps its input, and one layer at a time is whole. An estimate: it
    decides how many pairs go at a time, never how many make a step.
    """
    whole = 56 * size.hidden + 16 * size.inner if mixed else 64 * size.hidden + 24 * size.inner
    kept = 4 * size.hidden * size.layers + whole if checkpointing else whole * size.layers
    return kept * tokens


def memory_plan(
    settings: TrainSettings, machine: Machine, size: ModelSize, longest: int
) -> tuple[int, bool]:
    """Return how many pairs a device has memory for at a time, and whether with checkpointing.

    Args:
        settings: what was asked for.
        machine: what there is.
        size: of the model.
        longest: tokens of the longest pair.
    """
    mixed = machine.device == "cuda"
    room = int(machine.free_bytes * MEMORY_SHARE)
    plain = activation_bytes(size, longest, mixed=mixed, checkpointing=False)
    on = settings.checkpointing == "on" or (settings.checkpointing == "auto" and plain > room)
    if not mixed:
        return 1, on  # more at a time are not faster on a CPU, and take their memory
    one = activation_bytes(size, longest, mixed=mixed, checkpointing=on)
    return max(1, room // one), on


def _free_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Return the bytes of memory that are free; where nobody says, enough for a small model."""
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return 8 << 30
