"""Takes a folder that peft wrote into the registry: looked at wholly, then there at once.

What is copied lies beside the registry's adapters under a name that is never listed, until it is
complete. What a killed process left there is removed by the next one.
"""

import os
import shutil
from datetime import timedelta
from pathlib import Path

from polaris_search.errors import PolarisError, UsageError
from polaris_search.llm.adapters import adapter_name
from trainer.adapters.layout import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    AdapterInvalid,
    checked_adapter,
)
from trainer.adapters.record import RECORD_FILE, RecordInvalid, read_record
from trainer.adapters.registry import RESERVED, Entry, Registry, is_name

COPIED = (CONFIG_FILE, WEIGHTS_FILE, RECORD_FILE, "metrics.jsonl", "curves.png")
"""Checkpoints, tokenizers and what else a run leaves stay where they are."""
UNFINISHED = ".adding-"


def add(registry: Registry, folder: Path, name: str | None = None) -> Entry:
    """Copy the adapter in `folder` into the registry and return it there, a candidate.

    Args:
        registry: where to.
        folder: what `polaris-admin train --out` or peft wrote; it is left as it is.
        name: what to call it; by default as its record does, else by the time.

    Raises:
        AdapterInvalid: the folder holds no sound adapter, a second one, or no sound record.
        AlreadyHeld: another process is changing the registry.
        UsageError: the name is taken, or none.
    """
    checked_adapter(folder)
    recorded = _recorded_name(folder)  # a record has to be sound, whoever chooses the name
    with registry.changing(f"adding {folder.name}"):
        chosen = _free_name(registry, recorded if name is None else name)
        unfinished = _copied(registry.root, folder, chosen)
        checked_adapter(unfinished)  # the copy is what will be used
        return take_in(registry, unfinished, chosen)


def take_in(registry: Registry, folder: Path, name: str) -> Entry:
    """Move a finished folder of the registry's file system to its name there, whole at once.

    Raises:
        UsageError: the name is taken, or none.
    """
    target = registry.root / _usable(name)
    try:
        folder.rename(target)
    except OSError as error:
        raise UsageError(
            f"The registry cannot take {name!r} in: {error.strerror}. "
            "Choose another name with --name."
        ) from None
    return registry.entry(name)


def _recorded_name(folder: Path) -> str | None:
    try:
        return read_record(folder).name
    except RecordInvalid as error:
        if (folder / RECORD_FILE).exists():
            raise AdapterInvalid(folder, str(error)) from None
        return None


def _free_name(registry: Registry, name: str | None) -> str:
    """Return the name if it was never used; where none is given, one made of the time."""
    if name is not None:
        if _is_taken(registry, _usable(name)):
            raise UsageError(
                f"The registry has had an adapter {name!r}. A name is never used twice: servers "
                "keep what they have read by it. Choose another one with --name."
            )
        return name
    at = registry.clock()
    while _is_taken(registry, adapter_name(at)):
        at += timedelta(seconds=1)
    return adapter_name(at)


def _is_taken(registry: Registry, name: str) -> bool:
    was_used = any(change.adapter == name for change in registry.history())
    return was_used or (registry.root / name).exists()


def _usable(name: str) -> str:
    if not is_name(name):
        raise UsageError(
            f"{name!r} cannot name an adapter. Use letters, digits, dots, dashes and underscores, "
            f"at most 100, and none of the words {', '.join(sorted(RESERVED))}."
        )
    return name


def _copied(root: Path, folder: Path, name: str) -> Path:
    for left in root.glob(f"{UNFINISHED}*"):
        shutil.rmtree(left, ignore_errors=True)
    unfinished = root / f"{UNFINISHED}{os.getpid()}-{name}"
    try:
        unfinished.mkdir()
        for file in COPIED:
            if (folder / file).is_file():
                shutil.copy2(folder / file, unfinished / file)
                _flush(unfinished / file)
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise AdapterNotCopied(folder, root, error) from None
    return unfinished


class AdapterNotCopied(PolarisError):
    """An adapter's files cannot be copied."""

    def __init__(self, folder: Path, root: Path, error: OSError) -> None:
        super().__init__(
            f"{folder} cannot be copied to {root}: {error.strerror}. "
            "Make room there, or set POLARIS_HOME to another folder."
        )


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
