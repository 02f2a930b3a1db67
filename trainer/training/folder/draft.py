"""The record of a run before its end, and from it what makes a run the same run."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trainer.adapters.layout import read_adapter
from trainer.adapters.record import BASE_REFERENCE, Plain, TrainingRecord
from trainer.adapters.registry import Registry
from trainer.training.base.model import BaseTokenizer
from trainer.training.base.source import BaseSource
from trainer.training.data.prepared import PreparedPairs
from trainer.training.machine import Machine
from trainer.training.packages import installed_versions
from trainer.training.problems import TrainingRefused
from trainer.training.settings import TrainSettings

NOT_YET = datetime(1970, 1, 1, tzinfo=UTC)
NO_MATTER = ("min_pairs",)
"""Settings that change nothing in what is trained."""


@dataclass(frozen=True, slots=True)
class Start:
    """An adapter that training begins from, and that preferences are measured against."""

    name: str
    folder: Path
    rank: int
    alpha: float


def starting_adapter(registry: Registry, settings: TrainSettings) -> Start:
    """Return the registry's adapter in use.

    Raises:
        TrainingRefused: none is in use, or it has another rank or scale than was asked for.
        AdapterInvalid: its folder is not one.
    """
    name = registry.current
    if name is None:
        raise TrainingRefused(
            "--from-current begins from the adapter in use, and none is. Leave the option out to "
            "begin from the base, or promote one first (`polaris-admin adapters promote NAME`)."
        )
    adapter = read_adapter(registry.root / name)
    if (adapter.rank, adapter.alpha) != (settings.rank, settings.lora_alpha):
        raise TrainingRefused(
            f"The adapter in use, {name}, has rank {adapter.rank} and alpha {adapter.alpha:g}, "
            f"and {settings.rank} and {settings.lora_alpha} were asked for. Use --rank "
            f"{adapter.rank} --alpha {adapter.alpha:g}, or leave --from-current out."
        )
    return Start(name, adapter.folder, adapter.rank, adapter.alpha)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a draft is drawn from; see `request.Ready`."""

    settings: TrainSettings
    machine: Machine
    source: BaseSource
    base: BaseTokenizer
    pairs: PreparedPairs
    start: Start | None
    prompt_version: str


def draft_record(drawn: Drawn) -> TrainingRecord:
    """Return the record without the name, the time and the metrics, which come at the end."""
    return TrainingRecord(
        name="",
        made_at=NOT_YET,
        base_model=drawn.source.shown,
        base_revision=drawn.source.revision,
        base_hash=drawn.source.content_hash,
        tokenizer_hash=drawn.base.content_hash,
        prompt_version=drawn.prompt_version,
        pairs_hash=drawn.pairs.file.digest,
        judgments_hash=drawn.pairs.origin.judgments_hash,
        seed=drawn.settings.seed,
        device=drawn.machine.name,
        reference=drawn.start.name if drawn.start else BASE_REFERENCE,
        parent=drawn.start.name if drawn.start else None,
        settings=drawn.settings.named() | {"devices": drawn.machine.devices},
        packages=installed_versions(),
        pairs=drawn.pairs.counts,
    )


def identity_of(record: TrainingRecord) -> dict[str, Plain]:
    """Return what makes a run the same run: with all of it the same, so is the adapter."""
    settings = {name: one for name, one in record.settings.items() if name not in NO_MATTER}
    return {
        "pairs": record.pairs_hash,
        "pairs held out": record.pairs.get("held_out"),
        "base": record.base_hash,
        "tokenizer": record.tokenizer_hash,
        "reference": record.reference,
        "device": record.device,
        **settings,
    }


def digest_of(identity: Mapping[str, Any]) -> str:
    """Return a short name for an identity."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
