"""Listens to a training run and keeps what it is told."""

from pathlib import Path

from trainer.training.request import TrainRequest
from trainer.training.settings import TrainSettings


class Heard:
    """The Listener of tests."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.steps: list[tuple[int, int, dict]] = []
        self.references: list[tuple[int, int]] = []

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def doing(self, what: str) -> None:
        pass

    def referred(self, done: int, total: int) -> None:
        self.references.append((done, total))

    def stepped(self, step: int, total: int, metrics: dict) -> None:
        self.steps.append((step, total, dict(metrics)))

    @property
    def said(self) -> str:
        return "\n".join(self.sentences)


def request_of(pairs: Path, base: Path, out: Path | None, home: Path, **settings) -> TrainRequest:
    """Return a request for a small run: rank 4, four pairs a step."""
    small = {"rank": 4, "batch": 4, "learning_rate": 1e-3}
    return TrainRequest(pairs, str(base), out, home, TrainSettings(**small | settings), "v1")
