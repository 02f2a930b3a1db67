"""The adapters that were trained: a folder each under POLARIS_HOME/adapters, and their states.

A folder appears whole or not at all, and is named as servers will know the adapter. An adapter is
promoted while it is in use, retired when it was, rejected when its gate refused it, else a
candidate.
"""

import json
import os
import re
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from polaris_search.errors import AlreadyHeld, PolarisError, UsageError
from polaris_search.llm.promoted import adapters_folder
from polaris_search.llm.promotions import CURRENT_FILE
from polaris_search.store.embedded.process_lock import ProcessLock, try_lock
from trainer.adapters.gate_file import GATE_FILE, GateSaid, read_gate
from trainer.adapters.history import Change, current_of, read_history
from trainer.adapters.layout import CONFIG_FILE, WEIGHTS_FILE
from trainer.adapters.record import TrainingRecord, read_record
from trainer.adapters.weights import WeightsUnreadable, tensors_of
from trainer.adapters.whole_file import write_whole

State = Literal["candidate", "promoted", "retired", "rejected"]
LOCK_FILE = ".lock"
HOLDER_FILE = ".holder.json"

RESERVED = frozenset({"base", "none", "current", CURRENT_FILE})
"""Words that settings and the gate read otherwise, and the registry's own file, in any case."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class AdapterUnknown(UsageError):
    """The registry has no adapter of this name."""

    def __init__(self, name: str, known: list[str]) -> None:
        listed = ", ".join(known[-5:]) or "none"
        super().__init__(
            f"No adapter {name!r} in the registry. The last ones: {listed}. "
            "`polaris-admin adapters list` shows all, `adapters add DIR` takes one in."
        )


class RegistryReadOnly(PolarisError):
    """The registry's folder cannot be written."""

    def __init__(self, root: Path, error: object) -> None:
        super().__init__(
            f"{root} cannot be written ({error}). Give this user the right to, make room, or set "
            "POLARIS_HOME to another folder."
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One adapter of the registry.

    `record` is None where there is none, or no sound one; `gate` where none has judged it.
    `changed_at` is when it came into use or went out of it last.
    """

    name: str
    folder: Path
    state: State
    record: TrainingRecord | None
    gate: GateSaid | None
    changed_at: datetime | None


class Registry:
    """The registry in a home folder, which need not exist yet.

    Args:
        home: POLARIS_HOME.
        clock: the time, in UTC.
    """

    def __init__(
        self, home: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.home = home
        self.clock = clock
        self.root = adapters_folder(home)

    @property
    def current(self) -> str | None:
        """The adapter in use, None for the base model alone."""
        return current_of(self.history())

    def history(self) -> tuple[Change, ...]:
        """Return all changes of the adapter in use, the oldest first; see read_history."""
        return read_history(self.root)

    def entries(self) -> list[Entry]:
        """Return every whole adapter, sorted by name, which is by age."""
        history = self.history()
        names = sorted(path.name for path in self._folders())
        return [self._entry(name, history) for name in names]

    def entry(self, name: str) -> Entry:
        """Return one adapter.

        Raises:
            AdapterUnknown: there is none of this name.
        """
        return self._entry(self.require(name), self.history())

    def require(self, name: str) -> str:
        """Return the name if an adapter of this name is there.

        Raises:
            AdapterUnknown: there is none.
        """
        names = sorted(path.name for path in self._folders())
        if name not in names:
            raise AdapterUnknown(name, names)
        return name

    def write_gate(self, name: str, report: bytes) -> Path:
        """Keep the gate's report with the adapter, in place of an older one; return its path.

        Raises:
            AdapterUnknown: there is no such adapter.
        """
        path = self.root / self.require(name) / GATE_FILE
        write_whole(path, report)
        return path

    @contextmanager
    def changing(self, what: str) -> Iterator[None]:
        """Be the only process that changes the registry, during the block.

        Raises:
            AlreadyHeld: another one is at it.
            RegistryReadOnly: its folder cannot be written.
        """
        lock = self._lock(what)
        try:
            yield
        finally:
            (self.root / HOLDER_FILE).unlink(missing_ok=True)
            lock.release()

    def _lock(self, what: str) -> ProcessLock:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            lock = try_lock(self.root / LOCK_FILE)
            if lock is not None:
                write_whole(self.root / HOLDER_FILE, _who(what))
        except (OSError, sqlite3.Error) as error:
            raise RegistryReadOnly(self.root, error) from None
        if lock is None:
            raise AlreadyHeld("the registry of adapters", self._holder())
        return lock

    def _entry(self, name: str, history: tuple[Change, ...]) -> Entry:
        folder = self.root / name
        gate = read_gate(folder)
        changes = [one.at for one in history if name in (one.adapter, one.was)]
        state = _state(name, gate, history)
        return Entry(name, folder, state, _record(folder), gate, max(changes, default=None))

    def _folders(self) -> Iterator[Path]:
        if not self.root.is_dir():
            return
        for path in self.root.iterdir():
            if _NAME.fullmatch(path.name) and is_whole(path):
                yield path

    def _holder(self) -> str:
        try:
            said = json.loads((self.root / HOLDER_FILE).read_text(encoding="utf-8"))
            return f"{said['what']}, process {said['pid']} on {said['host']} since {said['since']}"
        except (OSError, ValueError, KeyError, TypeError):
            return "one that has only just begun"


def is_whole(folder: Path) -> bool:
    """Return whether the folder has an adapter's settings and all of its weights."""
    try:
        return (folder / CONFIG_FILE).is_file() and bool(tensors_of(folder / WEIGHTS_FILE))
    except WeightsUnreadable:
        return False


def is_name(name: str) -> bool:
    """Return whether an adapter can be called so: in a path, on a server and in a command."""
    return _NAME.fullmatch(name) is not None and name.casefold() not in RESERVED


def _who(what: str) -> bytes:
    said = {
        "what": what,
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": f"{datetime.now(UTC):%H:%M:%S} UTC",
    }
    return json.dumps(said).encode()


def _state(name: str, gate: GateSaid | None, history: tuple[Change, ...]) -> State:
    if name == current_of(history):
        return "promoted"
    if any(change.adapter == name for change in history):
        return "retired"
    return "rejected" if gate is not None and gate.verdict == "refuse" else "candidate"


def _record(folder: Path) -> TrainingRecord | None:
    try:
        return read_record(folder)
    except PolarisError:
        return None
