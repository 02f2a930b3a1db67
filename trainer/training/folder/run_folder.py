"""The folder of a run that goes on: what it trains, its checkpoints and metrics so far, one lock.

    DIR/training/run.json        what makes this run this run
    DIR/training/checkpoints/    of the trainer
    DIR/training/data/           tokens of the pairs, and what the reference says of them
    DIR/training/metrics.jsonl   a line an optimizer step

The same command finds it and goes on. Another one, with other pairs, another base or other
settings, is refused, with what differs: it would finish an adapter that nobody asked for.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from polaris_search.store.embedded.process_lock import try_lock
from trainer.training.folder.checkpoints import last_whole, step_of
from trainer.training.problems import TrainingRefused

Identity = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run, at `path`."""

    path: Path

    @property
    def checkpoints(self) -> Path:
        """What the trainer writes."""
        return self.path / "checkpoints"

    @property
    def data(self) -> Path:
        """The pairs as tokens."""
        return self.path / "data"

    @property
    def metrics(self) -> Path:
        """A line an optimizer step."""
        return self.path / "metrics.jsonl"

    def begin(self, identity: Identity) -> None:
        """Make the folder, or find that it is this run's.

        Raises:
            TrainingRefused: it is another run's.
            OSError: it cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        run = self.path / "run.json"
        if run.exists():
            refuse_other(identity, json.loads(run.read_bytes()), self.path.parent)
            return
        unfinished = run.with_name(".run.json")
        unfinished.write_text(json.dumps(identity, indent=1) + "\n", encoding="utf-8")
        unfinished.replace(run)

    def checkpoint(self) -> Path | None:
        """Return the checkpoint to go on from; metrics of later steps are forgotten."""
        found = last_whole(self.checkpoints)
        step = step_of(found) if found else 0
        if self.metrics.exists():
            kept = [line for line in _lines(self.metrics) if json.loads(line)["step"] <= step]
            self.metrics.write_text("".join(kept), encoding="utf-8")
        return found


def refuse_other(identity: Identity, other: Identity, folder: Path) -> None:
    """Refuse to go on where what was begun differs.

    Raises:
        TrainingRefused: it differs.
    """
    differ = [
        f"{name} ({_short(other.get(name))}, now {_short(identity.get(name))})"
        for name in sorted({*identity, *other})
        if identity.get(name) != other.get(name)
    ]
    if differ:
        raise TrainingRefused(
            f"{folder} holds a run that differs in {', '.join(differ)}. Repeat that run's command "
            "to go on with it, choose another --out, or remove the folder."
        )


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the folder within the block: no other process may train into it meanwhile.

    Raises:
        TrainingRefused: another one does.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = try_lock(folder / ".lock")
    except sqlite3.OperationalError as error:
        raise OSError(f"{folder} cannot be locked: {error}") from None
    if lock is None:
        raise TrainingRefused(
            f"Another process trains into {folder}. Wait until it is done, or choose another --out."
        )
    try:
        yield
    finally:
        lock.release(remove=True)


def _lines(path: Path) -> list[str]:
    """Return the whole lines; a killed process may have left half a one."""
    text = path.read_text(encoding="utf-8")
    return [line for line in text.splitlines(keepends=True) if line.endswith("\n")]


def _short(value: object) -> str:
    text = str(value)
    return text[:12] if len(text) == 64 else text
