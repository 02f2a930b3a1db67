"""How `polaris-admin adapters` shows adapters, for people and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from polaris_search.cli.output import print_columns, print_text

if TYPE_CHECKING:
    from datetime import datetime

    from trainer.adapters.history import Change
    from trainer.adapters.record import TrainingRecord
    from trainer.adapters.registry import Entry
    from trainer.publish.publish import Published

MARGIN = "held_out_reward_margin"
"""As a training run records it: trl's margin of rewards on the held-out pairs."""
SHOWN_METRICS = 12


def entry_json(entry: "Entry") -> dict[str, object]:
    """Return what a list says of an adapter."""
    gate, record = entry.gate, entry.record
    return {
        "name": entry.name,
        "state": entry.state,
        "folder": str(entry.folder),
        "gate": None if gate is None else {"verdict": gate.verdict, "reasons": list(gate.reasons)},
        "changed_at": _iso(entry.changed_at),
        "record": None if record is None else asdict(record) | {"made_at": _iso(record.made_at)},
    }


def shown_json(entry: "Entry", history: "Sequence[Change]") -> dict[str, object]:
    """Return all that is known of an adapter."""
    from trainer.adapters.layout import read_adapter

    adapter = read_adapter(entry.folder)
    return entry_json(entry) | {
        "rank": adapter.rank,
        "alpha": adapter.alpha,
        "target_modules": list(adapter.targets),
        "history": [change_json(one) for one in _changes_of(entry, history)],
    }


def change_json(change: "Change") -> dict[str, object]:
    """Return a change of the adapter in use."""
    return asdict(change) | {"at": _iso(change.at)}


def published_json(published: "Published") -> dict[str, object]:
    """Return what was published and seen."""
    change = published.change
    return {
        "name": published.name,
        "change": None if change is None else change_json(change),
        "seen": list(published.seen),
        "notices": list(published.notices),
    }


def print_entries(entries: "Sequence[Entry]", current: str | None) -> None:
    """Print the adapters as a table, and which one writes."""
    if not entries:
        print_text(
            "No adapters yet. `polaris-admin train` makes one, `adapters add DIR` takes one."
        )
        return
    headings = ["adapter", "state", "gate", "trained on", "from", "pairs", "margin"]
    print_columns([_row(one) for one in entries], headings)
    print_text(f"In use: {current or 'none, the base model writes'}.")


def print_shown(entry: "Entry", history: "Sequence[Change]") -> None:
    """Print all that is known of an adapter."""
    from trainer.adapters.layout import read_adapter

    adapter = read_adapter(entry.folder)
    rows = [
        ("adapter", entry.name),
        ("state", entry.state),
        ("folder", str(entry.folder)),
        ("base model", adapter.base_model),
        ("LoRA", f"rank {adapter.rank}, alpha {adapter.alpha:g}, on {', '.join(adapter.targets)}"),
        *_gate_rows(entry),
        *(_record_rows(entry.record) if entry.record else [("record", "none")]),
        *((f"{one.at:%Y-%m-%d %H:%M} UTC", _told(one)) for one in _changes_of(entry, history)),
    ]
    print_columns(rows, ["", ""])


def print_published(published: "Published") -> None:
    """Print what was seen and what has changed."""
    for line in published.seen:
        print_text(line)
    if published.change is None:
        print_text(f"{published.name} is in use, as before.")
    else:
        was = published.change.was or "the base model"
        print_text(f"{published.name} is in use; before it was {was}.")


def _row(entry: "Entry") -> list[str]:
    record, gate = entry.record, entry.gate
    return [
        entry.name,
        entry.state,
        "-" if gate is None else gate.verdict,
        "?" if record is None else record.base_model,
        "?" if record is None else record.parent or "base",
        "?" if record is None else str(record.pairs.get("trained", "?")),
        "?" if record is None else _number(record.metrics, MARGIN),
    ]


def _number(metrics: Mapping[str, float], name: str) -> str:
    return f"{metrics[name]:.3f}" if name in metrics else "-"


def _gate_rows(entry: "Entry") -> list[tuple[str, str]]:
    if entry.gate is None:
        return [("gate", "has not judged it")]
    return [("gate", " ".join([f"{entry.gate.verdict}:", *entry.gate.reasons]))]


def _record_rows(record: "TrainingRecord") -> list[tuple[str, str]]:
    revision = f", revision {record.base_revision}" if record.base_revision else ""
    metrics = [f"{name} {value:.4g}" for name, value in sorted(record.metrics.items())]
    return [
        ("trained", f"{record.made_at:%Y-%m-%d %H:%M} UTC on {record.device}"),
        ("on", f"{record.base_model}{revision}"),
        ("began from", record.parent or "the base model"),
        ("reference", _reference(record)),
        ("prompt", record.prompt_version),
        ("pairs", f"{_counts(record.pairs)}; sha256 {record.pairs_hash}"),
        ("judgments", record.judgments_hash or "not recorded"),
        ("seed", str(record.seed)),
        ("settings", ", ".join(f"{name} {value}" for name, value in record.settings.items())),
        ("packages", ", ".join(f"{name} {value}" for name, value in record.packages.items())),
        ("metrics", ", ".join(metrics[:SHOWN_METRICS])),
    ]


def _reference(record: "TrainingRecord") -> str:
    if record.reference == "base":
        return "the base model"
    return f"{record.reference}: preferences were measured against that adapter"


def _counts(pairs: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in pairs.items()) or "?"


def _told(change: "Change") -> str:
    forced = "forced: " if change.forced else ""
    now, was = change.adapter or "the base model", change.was or "the base model"
    return f"{change.how} to {now} from {was} ({forced}{change.why})"


def _changes_of(entry: "Entry", history: "Sequence[Change]") -> "list[Change]":
    return [one for one in history if entry.name in (one.adapter, one.was)]


def _iso(at: "datetime | None") -> str | None:
    return None if at is None else at.isoformat()
