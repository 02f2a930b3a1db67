"""Adapters as peft writes them, made of seeded noise: for what needs a folder but no training.

The files are written here with numpy alone, so that tests without the training stack have them;
tests/contract/test_publish_converted.py has peft itself read and write some.
"""

import json
import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from trainer.adapters.record import TrainingRecord, write_record

RANK = 4
ALPHA = 8
TYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}
SIZES = {"hidden": 16, "kv": 8, "ffn": 24, "heads": 4, "kv_heads": 2, "layers": 2}
"""A Llama of a toy's size; its head has 4 numbers."""
SMALL = {"hidden": 576, "kv": 192, "ffn": 1536, "heads": 9, "kv_heads": 3, "layers": 30}
"""SmolLM2-135M's, the small model of the tests."""


def peft_folder(
    folder: Path,
    *,
    seed: int = 1,
    rank: int = RANK,
    strength: float = 0.1,
    sizes: Mapping[str, int] = SIZES,
    kind: str = "F32",
    config: Mapping[str, object] | None = None,
    more: Mapping[str, np.ndarray] | None = None,
    name: str | None = None,
) -> Path:
    """Write an adapter on all seven projections and return its folder.

    `config` and `more` are laid over its settings and tensors; with a `name` it has a record.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": "toy-llama",
        "r": rank,
        "lora_alpha": 2 * rank,
        "target_modules": [f"{one}_proj" for one in ("q", "k", "v", "o", "gate", "up", "down")],
        "bias": "none",
    }
    (folder / "adapter_config.json").write_text(json.dumps(settings | dict(config or {})))
    tensors = {**noise(rank, seed, strength, sizes), **(more or {})}
    write_safetensors(folder / "adapter_model.safetensors", tensors, kind)
    if name is not None:
        write_record(folder, record(name))
    return folder


def noise(rank: int, seed: int, strength: float, sizes: Mapping[str, int] = SIZES):
    """Return the tensors of an adapter by their names; `strength` is what each weight is moved."""
    drawn = np.random.default_rng(seed)
    part = (strength / rank**0.5) ** 0.5
    hidden, kv, ffn = sizes["hidden"], sizes["kv"], sizes["ffn"]
    shapes = {
        "self_attn.q_proj": (hidden, hidden),
        "self_attn.k_proj": (kv, hidden),
        "self_attn.v_proj": (kv, hidden),
        "self_attn.o_proj": (hidden, hidden),
        "mlp.gate_proj": (ffn, hidden),
        "mlp.up_proj": (ffn, hidden),
        "mlp.down_proj": (hidden, ffn),
    }
    tensors = {}
    for layer in range(sizes["layers"]):
        for module, (n_out, n_in) in shapes.items():
            begin = f"base_model.model.model.layers.{layer}.{module}"
            a, b = drawn.normal(0, part, (rank, n_in)), drawn.normal(0, part, (n_out, rank))
            tensors[f"{begin}.lora_A.weight"] = a.astype(np.float32)
            tensors[f"{begin}.lora_B.weight"] = b.astype(np.float32)
    return tensors


def write_safetensors(path: Path, tensors: Mapping[str, np.ndarray], kind: str = "F32") -> Path:
    header, parts, at = {"__metadata__": {"format": "pt"}}, [], 0
    for name, values in tensors.items():
        raw = _raw(values, kind)
        header[name] = {
            "dtype": kind,
            "shape": list(values.shape),
            "data_offsets": [at, at + len(raw)],
        }
        parts.append(raw)
        at += len(raw)
    told = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(told)) + told + b"".join(parts))
    return path


def _raw(values: np.ndarray, kind: str) -> bytes:
    if kind == "BF16":
        return (values.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    return values.astype(TYPES[kind]).tobytes()


def record(name: str, **more: object) -> TrainingRecord:
    """Return a record as a training run writes it."""
    values = {
        "name": name,
        "made_at": datetime(2026, 11, 30, 2, tzinfo=UTC),
        "base_model": "toy-llama",
        "base_revision": "abc",
        "base_hash": "b" * 64,
        "tokenizer_hash": "t" * 64,
        "prompt_version": "p1",
        "pairs_hash": "c" * 64,
        "judgments_hash": None,
        "seed": 42,
        "device": "cpu",
        "settings": {"beta": 0.1, "rank": RANK},
        "packages": {"trl": "1.16.0"},
        "pairs": {"read": 30, "trained": 24, "held_out": 6},
        "metrics": {"held_out_reward_margin": 1.25},
    }
    return TrainingRecord(**values | more)


def toy_base(folder: Path, **more: object) -> Path:
    """Write the settings of the toy model that the adapters fit, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "model_type": "llama",
        "num_attention_heads": SIZES["heads"],
        "num_key_value_heads": SIZES["kv_heads"],
        "hidden_size": SIZES["hidden"],
    }
    (folder / "config.json").write_text(json.dumps(config | more))
    return folder
