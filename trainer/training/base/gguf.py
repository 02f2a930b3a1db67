"""A GGUF file as a base model: dequantised once into a transformers folder, kept for later runs.

The folder is named by the file's content, appears whole, and holds the tokenizer with its chat
template. Weights are float32: every value that the file stands for has its exact place there.
"""

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path

from trainer.training.problems import BaseUnusable

GGUF_MAGIC = b"GGUF"
CONVERTER = "1"
"""Part of a folder's name: another way to convert makes another folder."""
BYTES_PER_WEIGHT = 4
HASH_DIGITS = 16


def is_gguf(path: Path) -> bool:
    """Return whether the path is a file that begins as a GGUF file does."""
    try:
        with path.open("rb") as file:
            return file.read(len(GGUF_MAGIC)) == GGUF_MAGIC
    except OSError:
        return False


def gguf_base(gguf: Path, bases: Path) -> Path:
    """Return the transformers folder under `bases` that the file is, made now if it is not there.

    Takes half a minute and 2 GB of memory for a model of 135 million weights.

    Raises:
        BaseUnusable: transformers does not know its kind of model, or there is no room for it.
    """
    folder = bases / f"{gguf.stem}-{_digest(gguf)}"
    if folder.is_dir():
        return folder
    unfinished = bases / f".{folder.name}.{os.getpid()}"
    try:
        unfinished.mkdir(parents=True, exist_ok=True)
        _convert(gguf, unfinished)
        with suppress(OSError):  # another process was faster, with the same folder
            unfinished.rename(folder)
    except OSError as error:
        remedy = f"Make room in {bases}, or set POLARIS_HOME to another folder"
        raise BaseUnusable(gguf, f"it cannot be unpacked ({error})", f"{remedy}.") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256(f"{CONVERTER} {content}".encode()).hexdigest()[:HASH_DIGITS]


def _convert(gguf: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        read = AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, dtype=torch.float32
        )
    except MemoryError:
        raise
    except Exception as error:  # a file that is cut off makes its reader stumble anywhere
        problem = f"transformers cannot read this GGUF file ({error})"
        raise BaseUnusable(
            gguf, problem, "Name the model's transformers folder or its name on the hub instead."
        ) from None
    # A model that was read from GGUF refuses to be saved: it takes itself for quantised.
    config = read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    weights = read.state_dict()
    _require_room(folder, sum(one.numel() for one in weights.values()) * BYTES_PER_WEIGHT)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    model.load_state_dict(weights, strict=True)
    model.tie_weights()
    model.generation_config = read.generation_config
    model.generation_config.do_sample = True  # else servers ignore temperature and seed
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _require_room(folder: Path, n_bytes: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < n_bytes:
        raise OSError(f"it needs {n_bytes / 1e9:.1f} GB of disk, {free / 1e9:.1f} GB are free")
