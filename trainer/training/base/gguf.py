"""A GGUF file as a base model: dequantised once into a transformers folder, kept for later runs.

The folder is named by the file's content, appears whole, and holds the tokenizer with its chat
template. Weights are float32: every value that the file stands for has its exact place there. What
a killed process has left of one is removed when it is made again.
"""

import hashlib
import shutil
import sqlite3
from collections.abc import Callable
from glob import escape
from pathlib import Path

from polaris_search.store.embedded.process_lock import locked
from trainer.training.problems import BaseUnusable

GGUF_MAGIC = b"GGUF"
CONVERTER = "1"
"""Part of a folder's name: another way to convert makes another folder."""
BYTES_PER_WEIGHT = 4
HASH_DIGITS = 16
LOCK = ".lock"
WAIT_S = 60.0
"""As long as another process unpacks, it is waited for, up to this."""


def is_gguf(path: Path) -> bool:
    """Return whether the path is a file that begins as a GGUF file does."""
    try:
        with path.open("rb") as file:
            return file.read(len(GGUF_MAGIC)) == GGUF_MAGIC
    except OSError:
        return False


def gguf_base(gguf: Path, bases: Path, say: Callable[[str], None] = lambda _: None) -> Path:
    """Return the transformers folder under `bases` that the file is, made now if it is not there.

    Takes half a minute and 2 GB of memory for a model of 135 million weights.

    Args:
        gguf: the file.
        bases: folder of such folders.
        say: is told, before it begins, that the file is unpacked.

    Raises:
        BaseUnusable: the file is damaged, transformers does not know its kind of model, or there
            is no room for it.
    """
    folder = bases / f"{gguf.stem}-{_digest(gguf)}"
    if folder.is_dir():
        return folder
    try:
        with locked(bases / LOCK, WAIT_S):
            if not folder.is_dir():  # else another process has made it meanwhile
                say(f"Unpacking {gguf.name} into {folder}, once; this takes a while.")
                _unpack(gguf, folder)
    except sqlite3.OperationalError as error:
        problem = f"{bases} is in use by a process that unpacks another, or unusable ({error})"
        raise BaseUnusable(gguf, problem, "Wait until that one is done.") from None
    except OSError as error:
        remedy = f"Make room in {bases}, or set POLARIS_HOME to another folder"
        raise BaseUnusable(gguf, f"it cannot be unpacked ({error})", f"{remedy}.") from None
    return folder


def _unpack(gguf: Path, folder: Path) -> None:
    """Make the folder; whoever calls it holds the lock, so what is unfinished is nobody's."""
    for left in folder.parent.glob(f".{escape(folder.name)}*"):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
    unfinished = folder.with_name(f".{folder.name}")
    unfinished.mkdir()
    try:
        _convert(gguf, unfinished)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


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
        raise _unreadable(gguf, error) from None
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


def _unreadable(gguf: Path, error: Exception) -> BaseUnusable:
    from gguf import GGUFReader

    instead = "name the model's transformers folder or its name on the hub instead"
    try:
        GGUFReader(gguf)
    except Exception:  # as above: of any kind
        return BaseUnusable(gguf, "it is cut off or damaged", f"Fetch it again, or {instead}.")
    return BaseUnusable(
        gguf, f"transformers does not know this kind of GGUF file ({error})", f"N{instead[1:]}."
    )


def _require_room(folder: Path, n_bytes: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < n_bytes:
        raise OSError(f"it needs {n_bytes / 1e9:.1f} GB of disk, {free / 1e9:.1f} GB are free")
