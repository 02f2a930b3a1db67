"""What a training run is asked for. The defaults are the paper's configuration (appendix A.4).

What follows from them, such as warm-up steps, is worked out in `steps`; what depends on the
machine, such as 4-bit weights, in `machine`.
"""

import math
from dataclasses import asdict, dataclass
from typing import Literal

from polaris_search.errors import UsageError

AutoOnOff = Literal["auto", "on", "off"]
PROJECTIONS = (
    "q_proj",
    "k_proj",
    "v_proj",
    "o_proj",
    "gate_proj",
    "up_proj",
    "down_proj",
)
"""What LoRA adapts in each layer: attention and feed-forward."""
WARMUP_SHARE = 0.1
MIN_PAIRS = 8
"""One optimizer step of the default batch: less says nothing about a model."""


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """How to train.

    Attributes:
        rank: of the adapter's matrices, >= 1.
        alpha: what the adapter is scaled by, over its rank; None: the same as the rank.
        beta: pull towards the reference, > 0.
        learning_rate: at its highest, > 0; it falls linearly to 0.
        epochs: how often each pair is seen, >= 1.
        batch: pairs of one optimizer step, over all devices, >= 1.
        seed: of the adapter's first weights, the order of pairs and the split.
        max_length: most tokens of a prompt with a reply; None: the longest there is, so that
            nothing is cut.
        min_pairs: fewer usable pairs are refused, >= 1.
        held_out: share of the pairs that is only measured, 0 to below 1.
        four_bit: NF4 weights of the base; None: where there is a GPU.
        share_prompt: compute a prompt once for both replies; auto: where the model allows it.
        checkpointing: compute activations anew in the backward pass instead of keeping them;
            auto: where memory is short.

    Raises:
        UsageError: a value is out of its range; all of them are named.
    """

    rank: int = 64
    alpha: int | None = None
    beta: float = 0.1
    learning_rate: float = 5e-6
    epochs: int = 1
    batch: int = 8
    seed: int = 42
    max_length: int | None = None
    min_pairs: int = MIN_PAIRS
    held_out: float = 0.1
    four_bit: bool | None = None
    share_prompt: AutoOnOff = "auto"
    checkpointing: AutoOnOff = "auto"

    def __post_init__(self) -> None:
        faults = [
            f"{name} is {value}; {expected} was expected"
            for name, value, good, expected in self._ranges()
            if not good
        ]
        if faults:
            raise UsageError(f"{'; '.join(faults)}.")

    @property
    def lora_alpha(self) -> int:
        """The scale of the adapter."""
        return self.rank if self.alpha is None else self.alpha

    def named(self) -> dict[str, str | int | float | bool | None]:
        """Return every value by its name, for records."""
        return asdict(self) | {"alpha": self.lora_alpha}

    def _ranges(self) -> list[tuple[str, object, bool, str]]:
        counts = [
            (f"--{name.replace('_', '-')}", value, value >= 1, "a whole number of at least 1")
            for name, value in (
                ("rank", self.rank),
                ("alpha", self.lora_alpha),
                ("epochs", self.epochs),
                ("batch", self.batch),
                ("max_length", 1 if self.max_length is None else self.max_length),
                ("min_pairs", self.min_pairs),
            )
        ]
        numbers = [
            (f"--{name}", value, math.isfinite(value) and value > 0, "a number above 0")
            for name, value in (("beta", self.beta), ("learning-rate", self.learning_rate))
        ]
        share = ("--held-out", self.held_out, 0 <= self.held_out < 1, "0 or more and below 1")
        return [*counts, *numbers, share]
