"""The finished adapter's folder: peft's two files, the record, the metrics and their picture.

Nothing else of a training goes there: no copy of a reference, no path of this machine.
"""

import json
import shutil
from pathlib import Path
from typing import Any

from trainer.adapters.layout import CONFIG_FILE, WEIGHTS_FILE
from trainer.adapters.record import RECORD_FILE, TrainingRecord, write_record
from trainer.training.curves import draw_curves
from trainer.training.folder.run_folder import RunFolder

METRICS_FILE = "metrics.jsonl"
CURVES_FILE = "curves.png"
TENSORBOARD = "tensorboard"


def write_adapter(model: Any, base: str, record: TrainingRecord, run: RunFolder) -> Path:
    """Write the finished adapter into a folder within the run's, and return that.

    Args:
        model: peft's, with the trained adapter `default`.
        base: how the base model is named in the adapter's settings.
        record: of the run.
        run: its folder.

    Raises:
        OSError: it cannot be written.
    """
    saved, folder = run.path / "saved", run.path / "adapter"
    for leftover in (saved, folder):
        shutil.rmtree(leftover, ignore_errors=True)
    folder.mkdir()
    model.save_pretrained(saved, selected_adapters=["default"])
    (saved / WEIGHTS_FILE).rename(folder / WEIGHTS_FILE)
    config = json.loads((saved / CONFIG_FILE).read_bytes())
    config["base_model_name_or_path"] = base
    config["target_modules"] = sorted(config["target_modules"])
    (folder / CONFIG_FILE).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    shutil.copyfile(run.metrics, folder / METRICS_FILE)
    draw_curves(rows_of(run.metrics), folder / CURVES_FILE)
    if (run.checkpoints / "runs").is_dir():
        shutil.copytree(run.checkpoints / "runs", folder / TENSORBOARD)
    write_record(folder, record)
    shutil.rmtree(saved)
    return folder


def move_into(folder: Path, out: Path) -> None:
    """Move the finished adapter's files into `out`, its record last: with that it is whole."""
    files = sorted(folder.iterdir(), key=lambda path: path.name == RECORD_FILE)
    for path in files:
        target = out / path.name
        if path.is_dir():
            shutil.rmtree(target, ignore_errors=True)
        path.replace(target)


def rows_of(metrics: Path) -> list[dict[str, float]]:
    """Return the rows of a file of metrics, one an optimizer step."""
    return [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
