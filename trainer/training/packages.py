"""The packages that train: whether they are there, and whether they are those it was made for.

trl, transformers and peft change together; a run on another three than those tested would train
something else, or fail in the middle, so it is refused at the start.
"""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from trainer.training.problems import TrainExtraMissing

TESTED = {"trl": "1.16", "transformers": "5.24", "peft": "0.21"}
"""Major and minor version of each; the train extra asks for the same."""
OTHERS = ("torch", "accelerate", "datasets", "safetensors", "matplotlib", "gguf")
ON_GPU = "bitsandbytes"
INSTALL = "Install the train extra: pip install 'polaris-search[train]'."


def installed_versions() -> dict[str, str]:
    """Return the version of each package that trains and is installed."""
    found = {name: _version(name) for name in (*TESTED, *OTHERS, ON_GPU)}
    return {name: number for name, number in found.items() if number is not None}


def check_packages(installed: Mapping[str, str]) -> None:
    """Check what is installed.

    Raises:
        TrainExtraMissing: a package is missing, or of another version than tested.
    """
    if missing := [name for name in (*TESTED, *OTHERS) if name not in installed]:
        raise TrainExtraMissing(
            f"Training needs packages that are not installed: {', '.join(missing)}. {INSTALL}"
        )
    other = [
        f"{name} {installed[name]} (made for {wanted}.x)"
        for name, wanted in TESTED.items()
        if not installed[name].startswith(f"{wanted}.")
    ]
    if other:
        raise TrainExtraMissing(
            f"Training is made for other versions than are installed: {', '.join(other)}. {INSTALL}"
        )


def check_tensorboard() -> None:
    """Check that TensorBoard's files can be written.

    Raises:
        TrainExtraMissing: its package is missing.
    """
    if _version("tensorboard") is None:
        raise TrainExtraMissing(
            "--tensorboard needs the package tensorboard, which is no part of the train extra: "
            "pip install tensorboard. metrics.jsonl and curves.png are written without it."
        )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
