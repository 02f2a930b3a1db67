"""What llama.cpp calls the matrices of a Llama-like model, and how it orders the rows of two.

A base model is a transformers folder or a GGUF file; either says its architecture and its heads.
Source of names and order: llama.cpp, `gguf-py/gguf/tensor_mapping.py` and `convert_hf_to_gguf.py`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polaris_search.errors import PolarisError

GGUF_ARCHITECTURE = "llama"
"""llama.cpp's name for models that are built as Llama is, Mistral among them."""
LLAMA_LIKE = ("llama", "mistral")
"""`model_type` of these in transformers. Others differ in names, order of rows, or both."""

_MODULE = re.compile(r"^model\.layers\.(\d+)\.(self_attn|mlp)\.(\w+)$")
_NAMES = {
    ("self_attn", "q_proj"): "attn_q",
    ("self_attn", "k_proj"): "attn_k",
    ("self_attn", "v_proj"): "attn_v",
    ("self_attn", "o_proj"): "attn_output",
    ("mlp", "gate_proj"): "ffn_gate",
    ("mlp", "up_proj"): "ffn_up",
    ("mlp", "down_proj"): "ffn_down",
}


class BaseUnfit(PolarisError):
    """A base model is not one that an adapter can be converted for; a sentence says why."""


@dataclass(frozen=True, slots=True)
class LlamaBase:
    """What converting needs to know of a base model.

    `shapes` are its matrices' (outputs, inputs) by llama.cpp's names; empty where not known.
    """

    n_heads: int
    n_kv_heads: int
    shapes: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def rotated_heads(self, module: str) -> int | None:
        """Return how many heads share the module's rows, None where nothing is rotated."""
        return {"q_proj": self.n_heads, "k_proj": self.n_kv_heads}.get(module.rpartition(".")[2])

    def permuted(self, module: str, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the rows of a `lora_B` in llama.cpp's order, which differs for q and k.

        llama.cpp rotates neighbouring pairs of a head's numbers, transformers its two halves.
        """
        heads = self.rotated_heads(module)
        if heads is None:
            return rows
        n_rows, rank = rows.shape
        halves = rows.reshape(heads, 2, n_rows // heads // 2, rank)  # (head, half, pair, rank)
        return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(n_rows, rank))


def gguf_name(module: str) -> str | None:
    """Return llama.cpp's name of the matrix, None where it is none of a Llama's seven."""
    found = _MODULE.match(module)
    name = _NAMES.get((found[2], found[3])) if found else None
    return f"blk.{found[1]}.{name}.weight" if found and name else None


def llama_base(path: Path) -> LlamaBase:
    """Return what the base model at `path` is, a transformers folder or a GGUF file.

    Raises:
        BaseUnfit: it cannot be read, or is not built as Llama is.
    """
    return _of_gguf(path) if path.is_file() else _of_folder(path)


def _of_folder(folder: Path) -> LlamaBase:
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        kind, n_heads = config.get("model_type"), int(config["num_attention_heads"])
        n_kv_heads = int(config.get("num_key_value_heads") or n_heads)
    except OSError as error:
        raise BaseUnfit(
            f"The base model's {path} cannot be read ({error.strerror}). "
            "Name its folder, or its GGUF file, with --base."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BaseUnfit(
            f"{path} does not say how many heads the base model has. Name its folder with --base."
        ) from None
    _require_known(path, kind, LLAMA_LIKE)
    return LlamaBase(*_heads(path, n_heads, n_kv_heads))


def _of_gguf(path: Path) -> LlamaBase:
    import gguf

    try:
        reader = gguf.GGUFReader(path)
    except (OSError, ValueError) as error:
        raise BaseUnfit(f"{path} cannot be read as GGUF ({error}). Name another file.") from None
    kind = _value(reader, "general.architecture")
    _require_known(path, kind, (GGUF_ARCHITECTURE,))
    n_heads = _value(reader, f"{kind}.attention.head_count")
    n_kv_heads = _value(reader, f"{kind}.attention.head_count_kv") or n_heads
    shapes = {
        tensor.name: (int(tensor.shape[1]), int(tensor.shape[0]))
        for tensor in reader.tensors
        if len(tensor.shape) == 2
    }
    return LlamaBase(*_heads(path, n_heads, n_kv_heads), shapes)


def _value(reader: Any, key: str) -> Any:
    found = reader.get_field(key)
    return None if found is None else found.contents()


def _require_known(path: Path, kind: object, known: Sequence[str]) -> None:
    if kind not in known:
        raise BaseUnfit(
            f"The base model at {path} is of kind {kind!r}. Adapters are converted for models "
            f"that are built as {' and '.join(LLAMA_LIKE)} are; serve others with vLLM."
        )


def _heads(path: Path, n_heads: object, n_kv_heads: object) -> tuple[int, int]:
    if not (isinstance(n_heads, int) and isinstance(n_kv_heads, int) and n_heads and n_kv_heads):
        raise BaseUnfit(
            f"{path} says no sound number of heads ({n_heads!r}, {n_kv_heads!r}). "
            "Name the base model's folder, or its GGUF file, with --base."
        )
    return n_heads, n_kv_heads
