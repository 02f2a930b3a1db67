"""Training sets that leave one data set out: for each, the pairs of all the others (appendix A.4).

Comes in: a file of pairs for each data set, with its record beside it where there is one. Goes out:
for each data set a file of the others' pairs, and a record that says who is in it and who is not;
query ids carry their data set's name there, for two sets may use one id.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polaris_search
from polaris_search.errors import UsageError
from polaris_search.evaluate.written import write_lines
from polaris_search.experiments.runs.file_hash import file_hash

RECORD_SUFFIX = ".record.json"


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """The pairs of all data sets but one.

    Attributes:
        left_out: the data set that they are to be tested on.
        path: their file.
        pairs: by the data set they come from.
    """

    left_out: str
    path: Path
    pairs: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A data set's pairs: its file, its lines and what its record says."""

    path: Path
    lines: tuple[str, ...]
    record: Mapping[str, Any]


def leave_one_out(pairs: Mapping[str, Path], out: Path) -> tuple[TrainingSet, ...]:
    """Write OUT/DATASET.jsonl for each data set, without its own pairs; return what is in each.

    Raises:
        UsageError: fewer than two data sets, a file that cannot be read, or a record that is not
            its pairs'.
        NotWritten: a file could not be written.
    """
    if len(pairs) < 2:
        raise UsageError("One data set leaves none to learn from. Name pairs of at least two.")
    read = {name: _read(path) for name, path in pairs.items()}
    return tuple(_training_set(name, read, out) for name in read)


def _read(path: Path) -> _Pairs:
    try:
        lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as pairs ({error}). Check the path.") from None
    return _Pairs(path, tuple(lines), _record_of(path, len(lines)))


def _record_of(path: Path, n_pairs: int) -> Mapping[str, Any]:
    beside = path.with_name(path.name + RECORD_SUFFIX)
    if not beside.exists():
        return {}
    try:
        record = json.loads(beside.read_bytes())
        listed = len(record["pairs"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{beside} is no record of pairs ({error}). Make them anew.") from None
    if listed != n_pairs:
        raise UsageError(
            f"{beside} lists {listed} pairs and {path.name} holds {n_pairs}. Make both anew."
        )
    return dict(record)


def _training_set(left_out: str, read: Mapping[str, _Pairs], out: Path) -> TrainingSet:
    others = {name: pairs for name, pairs in read.items() if name != left_out}
    path = out / f"{left_out}.jsonl"
    write_lines(path, (line for pairs in others.values() for line in pairs.lines))
    record = _record(left_out, others)
    write_lines(path.with_name(path.name + RECORD_SUFFIX), [json.dumps(record, ensure_ascii=False)])
    return TrainingSet(left_out, path, {name: len(one.lines) for name, one in others.items()})


def _record(left_out: str, others: Mapping[str, _Pairs]) -> dict[str, Any]:
    """Return the record; without one of a data set's own, nothing is said of single pairs."""
    record: dict[str, Any] = {
        "polaris_search": polaris_search.__version__,
        "left_out": left_out,
        "from": {name: _origin(pairs) for name, pairs in others.items()},
        "judgments_hash": _together([one.record.get("judgments_hash") for one in others.values()]),
    }
    if all(one.record for one in others.values()):
        record["held_out_queries"] = [
            _own(name, query)
            for name, pairs in others.items()
            for query in pairs.record.get("held_out_queries", ())
        ]
        record["pairs"] = [entry for name, one in others.items() for entry in _entries(name, one)]
    return record


def _origin(pairs: _Pairs) -> dict[str, Any]:
    said = ("profile", "objective", "corpus", "seed", "rounds", "min_margin", "judgments_hash")
    known = {name: pairs.record[name] for name in said if name in pairs.record}
    return {"pairs": len(pairs.lines), "sha256": file_hash(pairs.path), **known}


def _entries(dataset: str, pairs: _Pairs) -> Iterator[dict[str, Any]]:
    for entry in pairs.record["pairs"]:
        queries = [_own(dataset, query) for query in entry.get("queries", ())]
        yield {**entry, "dataset": dataset, "queries": queries}


def _own(dataset: str, query: object) -> str:
    return f"{dataset}/{query}"


def _together(hashes: Sequence[object]) -> str | None:
    """Return one hash for all, None where one is not known."""
    if not all(isinstance(one, str) for one in hashes):
        return None
    return hashlib.sha256(" ".join(map(str, hashes)).encode()).hexdigest()
