"""Files for servers that read adapters at their start: the adapters, what to start with, a mark.

Who runs the server watches the mark and starts it again with what the environment file says, for
example a systemd path unit, or a loop in a container. Nothing here starts or stops a server.
"""

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from trainer.adapters.layout import CONFIG_FILE, WEIGHTS_FILE, weights_hash
from trainer.adapters.whole_file import write_whole
from trainer.publish.target import PublishFailed

ENVIRONMENT_FILE = "adapters.env"
RESTART_FILE = "restart-wanted"


def copy_adapter(folder: Path, target: Path) -> None:
    """Have the adapter's two files in `target`, whole at once; harmless where they are already.

    Raises:
        PublishFailed: others are there under that name, or there is no room.
    """
    if target.is_dir() and weights_hash(target) == weights_hash(folder):
        return
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        unfinished.mkdir(parents=True)
        for file in (CONFIG_FILE, WEIGHTS_FILE):
            shutil.copyfile(folder / file, unfinished / file)
        unfinished.rename(target)
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise _not_written(target, error) from None


def copy_file(path: Path, target: Path) -> None:
    """Have the file's content in `target`, whole at once.

    Raises:
        PublishFailed: it cannot be written.
    """
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, unfinished)
        unfinished.replace(target)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise _not_written(target, error) from None


def read_environment(folder: Path) -> bytes | None:
    """Return the environment file as it is, None where there is none."""
    try:
        return (folder / ENVIRONMENT_FILE).read_bytes()
    except FileNotFoundError:
        return None


def want_restart(folder: Path, environment: bytes | None, adapter: str | None) -> None:
    """Set down what to start with, then that it is to be started; in this order.

    Args:
        folder: the server folder.
        environment: the environment file's content; None to have none.
        adapter: the name, for people who look at the mark.

    Raises:
        PublishFailed: they cannot be written.
    """
    said = {"adapter": adapter, "at": datetime.now(UTC).isoformat()}
    try:
        if environment is None:
            (folder / ENVIRONMENT_FILE).unlink(missing_ok=True)
        else:
            write_whole(folder / ENVIRONMENT_FILE, environment)
        write_whole(folder / RESTART_FILE, json.dumps(said).encode() + b"\n")
    except OSError as error:
        raise _not_written(folder / ENVIRONMENT_FILE, error) from None


def environment_of(values: Mapping[str, str]) -> bytes:
    """Return the lines of an environment file."""
    return "".join(f"{name}={value}\n" for name, value in values.items()).encode()


def _not_written(path: Path, error: OSError) -> PublishFailed:
    return PublishFailed(
        f"{path} cannot be written: {error.strerror}. Name a folder that the server reads from, "
        "with room, as --server-folder."
    )
