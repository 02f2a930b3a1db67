"""A LoRA adapter that says nothing sensible, for llama.cpp: seeded noise of a base model's shapes.

Strong enough that every answer is nonsense, so that a text shows which of the two has written it.
"""

from pathlib import Path

import gguf
import numpy as np

ADAPTER = "polaris-desc-20261130t0200z"
"""Its name: of a kind that no other night has, so that no server mixes it up with an older one."""

RANK = 8
ADAPTED = "attn_output.weight"


def write_adapter(base: Path, path: Path, *, seed: int, strength: float = 0.12) -> Path:
    """Write the adapter's GGUF, which adds to every layer's attention output, and return its path.

    Args:
        base: the model that it is for.
        path: where it goes.
        seed: of the noise; another one is another adapter.
        strength: standard deviation of what it adds to each weight.
    """
    noise = np.random.default_rng(seed)
    size = (strength / RANK**0.5) ** 0.5  # of both parts, whose product is what is added
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(RANK))
    for tensor in gguf.GGUFReader(base).tensors:
        if tensor.name.endswith(ADAPTED):
            n_in, n_out = (int(size) for size in tensor.shape)
            for letter, shape in (("a", (RANK, n_in)), ("b", (n_out, RANK))):
                part = noise.normal(0.0, size, shape)
                writer.add_tensor(f"{tensor.name}.lora_{letter}", part.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
