"""What a run is asked for, what it is told on its way, and what it ends with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from polaris_search.llm.model import ChatMessage
from trainer.adapters.record import TrainingRecord
from trainer.training.base.model import BaseTokenizer
from trainer.training.base.source import BaseSource
from trainer.training.data.prepared import PreparedPairs
from trainer.training.folder.draft import Start
from trainer.training.machine import Footing, Machine
from trainer.training.settings import TrainSettings


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """What to train.

    Attributes:
        pairs: the file of preference pairs.
        base: folder, GGUF file or name of the base model.
        out: where the adapter goes; None: as a candidate into the registry.
        home: POLARIS_HOME.
        settings: how.
        prompt_version: of the prompt that descriptions are asked for with.
        fixed_prompt: the messages that every such prompt begins with.
        from_current: begin from the registry's adapter in use, and measure against it.
        tensorboard: write its event files too.
    """

    pairs: Path
    base: str
    out: Path | None
    home: Path
    settings: TrainSettings
    prompt_version: str
    fixed_prompt: Sequence[ChatMessage] = ()
    from_current: bool = False
    tensorboard: bool = False


class Listener(Protocol):
    """Is told of a run."""

    def say(self, sentence: str) -> None:
        """Hear something that a person should know."""

    def doing(self, what: str) -> None:
        """Hear what is being done before and after the steps."""

    def referred(self, done: int, total: int) -> None:
        """Hear for how many pairs the reference has been computed, of a total."""

    def stepped(self, step: int, total: int, metrics: Mapping[str, float]) -> None:
        """Hear that an optimizer step is done, of a total, with its metrics."""


class Unheard:
    """The Listener of all processes but the first, which tells for all of them."""

    def say(self, sentence: str) -> None:
        """Do nothing."""

    def doing(self, what: str) -> None:
        """Do nothing."""

    def referred(self, done: int, total: int) -> None:
        """Do nothing."""

    def stepped(self, step: int, total: int, metrics: Mapping[str, float]) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class Ready:
    """All that was found out before the first weight is loaded.

    Attributes:
        request: what was asked for.
        machine: where this process trains.
        footing: what a run stands on there.
        source: the base's files.
        base: its tokenizer.
        pairs: to train on and to measure.
        start: the adapter to begin from; None: a fresh one on the base.
        draft: the record of the run, without its end.
    """

    request: TrainRequest
    machine: Machine
    footing: Footing
    source: BaseSource
    base: BaseTokenizer
    pairs: PreparedPairs
    start: Start | None
    draft: TrainingRecord


@dataclass(frozen=True, slots=True)
class Trained:
    """A finished run.

    Attributes:
        folder: of the adapter.
        record: of the run.
        resumed_at: step of the checkpoint it went on from, None where it began anew.
        again: it was finished before, and nothing was done.
    """

    folder: Path
    record: TrainingRecord
    resumed_at: int | None = None
    again: bool = False
