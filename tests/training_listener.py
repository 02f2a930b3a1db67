"""Runs small trainings, listens to them, and looks at what they write."""

import hashlib
import json
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


class Stops(Heard):
    """Is interrupted, as by Ctrl-C, when it is told of a step."""

    def __init__(self, step):
        super().__init__()
        self._at = step

    def stepped(self, step, total, metrics):
        super().stepped(step, total, metrics)
        if step == self._at:
            raise KeyboardInterrupt


def run(request, heard=None):
    from trainer.training.run import train

    return train(request, heard or Heard())


def rows_of(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def weights_of(folder):
    return hashlib.sha256((folder / "adapter_model.safetensors").read_bytes()).hexdigest()
