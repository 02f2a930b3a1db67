"""Where a run works, where its adapter goes, and whether it is there already.

With --out DIR the run works in DIR/training and its files end up in DIR. Without, it works in a
folder of POLARIS_HOME/training that is named by what is trained, and ends as a folder of the
registry, which appears whole.
"""

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from polaris_search.llm.adapters import adapter_name
from trainer.adapters.record import RECORD_FILE, TrainingRecord, read_record, write_record
from trainer.adapters.registry import Registry
from trainer.training.folder.adapter_folder import move_into
from trainer.training.folder.draft import digest_of, identity_of
from trainer.training.folder.run_folder import RunFolder, refuse_other
from trainer.training.problems import TrainingRefused

RUNS = "training"


def run_folder(out: Path | None, home: Path, draft: TrainingRecord) -> RunFolder:
    """Return the folder that the run works in."""
    if out is not None:
        return RunFolder(out / RUNS)
    return RunFolder(home / RUNS / digest_of(identity_of(draft)))


def finished(out: Path, draft: TrainingRecord) -> TrainingRecord | None:
    """Return the record in `out` if this very run ended there before, else None.

    Raises:
        TrainingRefused: the folder holds another adapter, or other files.
    """
    if not out.exists():
        return None
    if not out.is_dir():
        raise TrainingRefused(f"{out} is a file. Choose another --out.")
    if (out / RECORD_FILE).exists():
        record = read_record(out)
        refuse_other(identity_of(draft), identity_of(record), out)
        return record
    names = {path.name for path in out.iterdir()}
    if RUNS not in names and not names <= {".lock"}:
        raise TrainingRefused(
            f"{out} holds other files ({', '.join(sorted(names)[:5])}). Choose a new folder for "
            "--out."
        )
    return None


def put(folder: Path, out: Path | None, home: Path) -> Path:
    """Move the finished adapter to its place and return that.

    Raises:
        OSError: it cannot be moved.
    """
    if out is not None:
        move_into(folder, out)
        return out
    root = Registry(home).root
    root.mkdir(parents=True, exist_ok=True)
    record = read_record(folder)
    while (root / record.name).exists():  # made in the same second as another one
        made_at = record.made_at + timedelta(seconds=1)
        record = replace(record, name=adapter_name(made_at), made_at=made_at)
        write_record(folder, record)
    folder.rename(root / record.name)
    return root / record.name


def clear(run: RunFolder) -> None:
    """Remove what a finished run leaves behind."""
    shutil.rmtree(run.path, ignore_errors=True)
