"""What a run was, in one JSON object: all that is needed to run it again and get the same."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import polaris_search
from polaris_search.evaluate.intervals import CONFIDENCE, DRAWS, SEED
from polaris_search.experiments.runs.catalogue import MEASURES
from polaris_search.experiments.runs.cells import Bench
from polaris_search.experiments.runs.file_hash import file_hash
from polaris_search.experiments.runs.folders import DATA_FILES
from polaris_search.experiments.runs.given import System
from polaris_search.experiments.runs.rows import ChosenRows

PACKAGES = ("numpy", "ir-measures", "elasticsearch", "matplotlib")


@dataclass(frozen=True, slots=True)
class Invocation:
    """How a run was started: the command, and the settings in force without any secret."""

    command: tuple[str, ...]
    settings: Mapping[str, str]


def run_record(
    experiment: str,
    invocation: Invocation,
    bench: Bench,
    datasets: Sequence[Path],
    systems: Mapping[str, System],
    chosen: ChosenRows,
) -> dict[str, Any]:
    """Return the record of a run."""
    status = bench.store.status()
    return {
        "experiment": experiment,
        "command": list(invocation.command),
        "settings": dict(invocation.settings),
        "versions": {"python": platform.python_version(), **_versions()},
        "store": {"kind": status.kind, "version": status.version},
        "expander": f"{bench.expander.name}:{bench.expander.version}",
        "measures": list(MEASURES),
        "bootstrap": {"seed": SEED, "draws": DRAWS, "confidence": CONFIDENCE},
        "datasets": {dataset.resolve().name: _files(dataset) for dataset in datasets},
        "descriptions": {name: _system(system) for name, system in systems.items()},
        "rows": [row.title for row in chosen.rows],
        "left_out": list(chosen.left_out),
    }


def _files(dataset: Path) -> dict[str, str]:
    return {name: file_hash(dataset / name) for name in DATA_FILES}


def _system(system: System) -> dict[str, dict[str, object]]:
    return {
        dataset: {
            "file": str(path),
            "sha256": file_hash(path),
            "tables": len(system.descriptions[dataset]),
        }
        for dataset, path in system.files.items()
    }


def _versions() -> dict[str, str]:
    found = {"polaris-search": polaris_search.__version__}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
