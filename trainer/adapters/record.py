"""How an adapter came to be, as `record.json` in its folder says.

Written once, by the run that trained it; a file of a later version may hold more than is read here.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from polaris_search.errors import PolarisError
from trainer.adapters.whole_file import write_whole

RECORD_FILE = "record.json"
BASE_REFERENCE = "base"
"""What `reference` says where the base model without any adapter was it."""

Plain = str | int | float | bool | None

_OF_MAPPINGS: Mapping[str, tuple[type, ...]] = {
    "settings": (str, int, float, bool, type(None)),
    "packages": (str,),
    "pairs": (int,),
    "metrics": (int, float),
}
_OR_NONE = frozenset({"base_revision", "judgments_hash", "parent"})


class RecordInvalid(PolarisError):
    """A folder holds no record of a training run. `problem` is a clause."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"{path}: {problem}. An adapter comes with the record of its training run; "
            "`polaris-admin train` writes both."
        )


@dataclass(frozen=True, slots=True)
class TrainingRecord:
    """What an adapter was made from, and how.

    Attributes:
        name: the adapter's, as `polaris_search.llm.adapters.adapter_name` makes it.
        made_at: when its training ended, in UTC.
        base_model: the model it was trained on, as it was named.
        base_revision: its revision, None where it has none.
        base_hash: of the base's weights, by their files' index.
        tokenizer_hash: of the tokenizer's files, chat template included.
        prompt_version: of the prompt that descriptions are asked for with.
        pairs_hash: SHA-256 of the file of pairs.
        judgments_hash: of the judgments that the pairs came from; None where not recorded.
        seed: of the run.
        device: what it ran on.
        reference: "base", or the name of the adapter that preferences were measured against.
        parent: the adapter it began from, None where it began from the base.
        settings: of the run, by their names.
        packages: versions of what trained it, by their names.
        pairs: counts, for example read, trained, held_out, cut, dropped.
        metrics: the last value of each.
    """

    name: str
    made_at: datetime
    base_model: str
    base_revision: str | None
    base_hash: str
    tokenizer_hash: str
    prompt_version: str
    pairs_hash: str
    judgments_hash: str | None
    seed: int
    device: str
    reference: str = BASE_REFERENCE
    parent: str | None = None
    settings: Mapping[str, Plain] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    pairs: Mapping[str, int] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)


def write_record(folder: Path, record: TrainingRecord) -> Path:
    """Write the record into the adapter's folder, whole or not at all, and return its path."""
    document = asdict(record) | {"made_at": record.made_at.isoformat()}
    path = folder / RECORD_FILE
    write_whole(path, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())
    return path


def read_record(folder: Path) -> TrainingRecord:
    """Return the record in the adapter's folder.

    Raises:
        RecordInvalid: there is none, or it lacks something.
    """
    path = folder / RECORD_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RecordInvalid(path, "there is no such file") from None
    except (OSError, ValueError, RecursionError) as error:
        raise RecordInvalid(path, f"it cannot be read ({error})") from None
    if not isinstance(document, dict):
        raise RecordInvalid(path, "it is no JSON object")
    return _record(document, path)


def _record(document: Mapping[str, Any], path: Path) -> TrainingRecord:
    known = {one.name for one in fields(TrainingRecord)}
    values = {name: value for name, value in document.items() if name in known}
    try:
        made_at = datetime.fromisoformat(values["made_at"])
        record = TrainingRecord(**values | {"made_at": made_at})
    except (KeyError, TypeError, ValueError) as error:
        raise RecordInvalid(path, f"it is not complete ({error})") from None
    for name, value in values.items():
        if not _is_sound(name, value):
            raise RecordInvalid(path, f"what it says as `{name}` is none")
    return record


def _is_sound(name: str, value: Any) -> bool:
    """Return whether the value is of the kind that is read as this field."""
    if name in _OF_MAPPINGS:
        kinds = _OF_MAPPINGS[name]
        return isinstance(value, dict) and all(isinstance(one, kinds) for one in value.values())
    if name == "seed":
        return isinstance(value, int)
    return isinstance(value, str) or (name in _OR_NONE and value is None)
