"""What a training run refuses or fails at, in sentences."""

from pathlib import Path

from polaris_search.errors import PolarisError, UsageError


class PairsInvalid(PolarisError):
    """A file of preference pairs is not one. Every fault is named."""

    MAX_SHOWN = 20

    def __init__(self, path: Path, faults: list[str], remedy: str) -> None:
        self.faults = tuple(faults)
        more = len(faults) - self.MAX_SHOWN
        shown = "; ".join(faults[: self.MAX_SHOWN]) + (f"; and {more} more" if more > 0 else "")
        super().__init__(f"{path} cannot be trained on: {shown}. {remedy}")


class BaseUnusable(PolarisError):
    """The base model is not there, or not one that pairs can be trained on."""

    def __init__(self, base: object, problem: str, remedy: str) -> None:
        super().__init__(f"The base model {base}: {problem}. {remedy}")


class TrainExtraMissing(UsageError):
    """The packages that train are not installed, or not those it was made for."""


class TrainingRefused(PolarisError):
    """A run that would train nothing, or something else than was asked for."""


class TrainingStopped(PolarisError):
    """A run that began and cannot go on. What was saved before stays."""
