"""A peft adapter as the GGUF file that llama.cpp loads beside its base model.

Numbers are kept as they are, alpha too; only the rows of q and k change places. What llama.cpp has
no room for is refused with the reason, never left out in silence.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polaris_search.errors import PolarisError
from trainer.adapters.layout import Adapter, Module, checked_adapter, weights_hash
from trainer.adapters.weights import read_tensor
from trainer.publish.llama_layout import GGUF_ARCHITECTURE, LlamaBase, gguf_name, llama_base

FINGERPRINT_CHARS = 16

_REFUSED = {
    "use_rslora": "rank-stabilised LoRA scales by the root of its rank, which llama.cpp does not",
    "use_dora": "DoRA changes the length of each row as well",
    "lora_bias": "it adds to biases",
    "modules_to_save": "it replaces whole modules of the base model",
    "trainable_token_indices": "it replaces embeddings of the base model",
    "alpha_pattern": "its modules have an alpha each, llama.cpp knows one",
    "layer_replication": "it repeats layers of the base model",
    "fan_in_fan_out": "its matrices are turned",
}
_PLAIN_STARTS = (True, False, "gaussian", "orthogonal")
"""Ways to begin a LoRA that leave the base model as it is."""


class NotConvertible(PolarisError):
    """An adapter cannot be a GGUF file; a sentence says why and what serves it."""

    def __init__(
        self, folder: Path, why: str, remedy: str = "Train a plain LoRA, or serve it with vLLM."
    ) -> None:
        super().__init__(
            f"The adapter in {folder} cannot be converted for llama.cpp: {why}. {remedy}"
        )


def write_lora_gguf(folder: Path, base: Path, out: Path) -> Path:
    """Write the adapter in `folder` as the GGUF file `out`, whole or not at all; return its path.

    Args:
        folder: the adapter, peft's layout.
        base: what it was trained on, a transformers folder or a GGUF file.
        out: the file to write. llama.cpp names the adapter by it, without the ending.

    Raises:
        AdapterInvalid: the folder holds no adapter.
        BaseUnfit: the base model cannot be read, or is of another kind.
        NotConvertible: llama.cpp has no room for such an adapter, or it does not fit the base.
    """
    adapter = checked_adapter(folder)
    require_plain(adapter)
    shaped = llama_base(base)
    parts = {_fitting(adapter, module, shaped): module for module in adapter.modules.values()}
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        _write(adapter, parts, shaped, unfinished, fingerprint(out.stem, folder))
        unfinished.replace(out)
    finally:
        unfinished.unlink(missing_ok=True)
    return out


def fingerprint(name: str, folder: Path) -> str:
    """Return what the file says it is: name and weights, which llama.cpp repeats when asked."""
    return f"{name} {weights_hash(folder)[:FINGERPRINT_CHARS]}"


def require_plain(adapter: Adapter) -> None:
    """Check that the adapter is a LoRA as llama.cpp knows it.

    Raises:
        NotConvertible: it is not.
    """
    config = adapter.config
    reasons = [why for name, why in _REFUSED.items() if config.get(name)]
    if config.get("bias", "none") != "none":
        reasons.append("it has biases")
    if config.get("init_lora_weights", True) not in _PLAIN_STARTS:
        reasons.append(f"it began by {config['init_lora_weights']!r}, which changes the base model")
    if reasons:
        raise NotConvertible(adapter.folder, "; ".join(reasons))


def _fitting(adapter: Adapter, module: Module, base: LlamaBase) -> str:
    name = gguf_name(module.name)
    if name is None:
        raise NotConvertible(
            adapter.folder, f"it adapts {module.name!r}, which is none of a Llama's projections"
        )
    shape = (module.b.shape[0], module.a.shape[1])
    expected = base.shapes.get(name)
    if base.shapes and expected != shape:
        raise NotConvertible(
            adapter.folder,
            f"it was trained on another base model: {module.name} is {shape[0]} x {shape[1]} in "
            f"it, {'absent' if expected is None else f'{expected[0]} x {expected[1]}'} there",
            f"Train an adapter on the model that serves, or have {adapter.base_model} serve, which "
            "this one was trained on: set POLARIS_LOCAL_MODEL to its GGUF file, or name it with "
            "--base where servers of your own have it.",
        )
    heads = base.rotated_heads(module.name)
    if heads and shape[0] % (2 * heads):
        raise NotConvertible(
            adapter.folder, f"the rows of {module.name} cannot be shared out among the heads"
        )
    return name


def _write(
    adapter: Adapter, parts: Mapping[str, Module], base: LlamaBase, path: Path, name: str
) -> None:
    import gguf

    writer = gguf.GGUFWriter(path, GGUF_ARCHITECTURE)
    writer.add_type("adapter")
    writer.add_string("general.name", name)
    writer.add_string("adapter.type", "lora")
    writer.add_string("adapter.lora.task_name", name)
    writer.add_float32("adapter.lora.alpha", adapter.alpha)
    for gguf_tensor, module in parts.items():
        a, b = (read_tensor(adapter.weights, part) for part in (module.a, module.b))
        _add(writer, f"{gguf_tensor}.lora_a", a)
        _add(writer, f"{gguf_tensor}.lora_b", base.permuted(module.name, b))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add(writer: Any, name: str, values: NDArray[np.float32]) -> None:
    writer.add_tensor(name, values)
