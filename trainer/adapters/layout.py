"""An adapter's folder as peft writes it: what it must hold to be one, looked at without peft.

Comes in: a folder. Goes out: its settings and the shapes of its weights, or a sentence with what
is wrong. Only plain LoRA is known; whether a server can serve it is not this module's business.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polaris_search.errors import PolarisError
from trainer.adapters.weights import Tensor, WeightsUnreadable, read_tensors, tensors_of

CONFIG_FILE = "adapter_config.json"
WEIGHTS_FILE = "adapter_model.safetensors"
REFERENCE = "ref"
"""What trl calls the copy of an adapter that it measures preferences against."""

_LORA = re.compile(r"^base_model\.model\.(?P<module>.+)\.lora_(?P<part>[AB])\.weight$")


class AdapterInvalid(PolarisError):
    """A folder holds no adapter that can be used; `reason` is a sentence with a next step."""

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(f"{folder} holds no adapter that can be used: {reason}")


@dataclass(frozen=True, slots=True)
class Module:
    """One adapted matrix of the base model: `a` is (rank, inputs), `b` (outputs, rank)."""

    name: str
    a: Tensor
    b: Tensor

    @property
    def rank(self) -> int:
        """The rank of what is added to the matrix."""
        return self.a.shape[0]


@dataclass(frozen=True, slots=True)
class Adapter:
    """A LoRA adapter in a folder: its settings as peft wrote them, and its modules by name."""

    folder: Path
    config: Mapping[str, Any]
    modules: Mapping[str, Module]

    @property
    def weights(self) -> Path:
        """The file of its weights."""
        return self.folder / WEIGHTS_FILE

    @property
    def rank(self) -> int:
        """The highest rank of its modules: what a server must have room for."""
        return max(module.rank for module in self.modules.values())

    @property
    def alpha(self) -> float:
        """What the product of both parts is multiplied with, times the rank."""
        return float(self.config["lora_alpha"])

    @property
    def targets(self) -> tuple[str, ...]:
        """The kinds of matrices that it adapts, for example q_proj."""
        return tuple(sorted({name.rpartition(".")[2] for name in self.modules}))

    @property
    def base_model(self) -> str:
        """The model it was trained on, as it was named."""
        return str(self.config.get("base_model_name_or_path") or "unknown")


def read_adapter(folder: Path) -> Adapter:
    """Return the adapter in the folder, its weights not read but for their shapes.

    Raises:
        AdapterInvalid: it is none, is not whole, or holds a second adapter.
    """
    config = _config(folder)
    _require_alone(folder)
    try:
        tensors = tensors_of(folder / WEIGHTS_FILE)
    except WeightsUnreadable as error:
        raise AdapterInvalid(folder, f"{WEIGHTS_FILE}: {error}. {_COPY_AGAIN}") from None
    return Adapter(folder, config, _modules(folder, tensors))


def checked_adapter(folder: Path) -> Adapter:
    """Return the adapter in the folder, each of its numbers read and found finite.

    Raises:
        AdapterInvalid: as `read_adapter` does, or it holds a number that is none.
    """
    adapter = read_adapter(folder)
    for tensor, values in read_tensors(adapter.weights):
        if not np.isfinite(values).all():
            raise AdapterInvalid(
                folder,
                f"{tensor.name} holds numbers that are not finite: its training has failed. "
                "Train it again, with a lower learning rate.",
            )
    return adapter


def weights_hash(folder: Path) -> str:
    """Return the SHA-256 of the file of weights: two adapters with the same one are the same."""
    with (folder / WEIGHTS_FILE).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_COPY_AGAIN = "Copy the folder again, or name the one that `polaris-admin train` wrote."


def _config(folder: Path) -> Mapping[str, Any]:
    path = folder / CONFIG_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise AdapterInvalid(folder, f"there is no {CONFIG_FILE}. {_COPY_AGAIN}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise AdapterInvalid(
            folder, f"{CONFIG_FILE} cannot be read ({error}). {_COPY_AGAIN}"
        ) from None
    if not isinstance(document, dict) or document.get("peft_type") != "LORA":
        raise AdapterInvalid(folder, f"{CONFIG_FILE} is not that of a LoRA adapter. {_COPY_AGAIN}")
    for name in ("r", "lora_alpha"):
        value = document.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
            raise AdapterInvalid(
                folder,
                f"{CONFIG_FILE} says {name} = {value!r}; a number above 0 was expected. "
                f"{_COPY_AGAIN}",
            )
    return document


def _require_alone(folder: Path) -> None:
    """Check that no reference copy lies within: a server would serve it under the same name."""
    if (folder / REFERENCE).exists():
        raise AdapterInvalid(
            folder,
            f"it has a second adapter in it, {REFERENCE!r}, the copy that its training measured "
            f"against. Remove the folder {folder / REFERENCE}, which is never served.",
        )


def _modules(folder: Path, tensors: tuple[Tensor, ...]) -> dict[str, Module]:
    parts: dict[str, dict[str, Tensor]] = {}
    for tensor in tensors:
        found = _LORA.match(tensor.name)
        if found is None or len(tensor.shape) != 2:
            raise AdapterInvalid(
                folder,
                f"{WEIGHTS_FILE} holds {tensor.name!r}, which is no part of a plain LoRA adapter. "
                "Save the one adapter that was trained, without a reference copy, biases, "
                "embeddings or whole modules.",
            )
        parts.setdefault(found["module"], {})[found["part"]] = tensor
    if not parts:
        raise AdapterInvalid(folder, f"{WEIGHTS_FILE} holds no weights. {_COPY_AGAIN}")
    return {name: _module(folder, name, both) for name, both in sorted(parts.items())}


def _module(folder: Path, name: str, parts: Mapping[str, Tensor]) -> Module:
    a, b = parts.get("A"), parts.get("B")
    if a is None or b is None or a.shape[0] != b.shape[1] or not (a.size and b.size):
        raise AdapterInvalid(
            folder, f"{name} lacks a part, or its two parts do not fit each other. {_COPY_AGAIN}"
        )
    return Module(name, a, b)
