"""A file of candidate descriptions, read and checked: one line a table, its candidates in order.

`{"table_id": ..., "candidates": [{"text": ..., "seed": ...}, ...]}`; a candidate may have
`description`, the object of the six fields that its text is made of. What else stands in a
candidate (seed, decoding) is kept as it is, for the record of a pair.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polaris_search.errors import CandidatesInvalid
from polaris_search.records import Description, description_of, description_of_text, is_storable

MAX_FAULTS_SHOWN = 20
SHAPE = 'Write {"table_id": ..., "candidates": [{"text": ..., "seed": ...}]}.'


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate description.

    Attributes:
        text: what a model would have to reply.
        description: the same in its fields; a text without fields is all in the first.
        made: how it was made, as its file says: seed, decoding, model.
    """

    text: str
    description: Description
    made: Mapping[str, Any]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search by, be it in six fields or in none."""
        return not any(value.strip() for value in self.description.values())


def read_candidates(path: Path) -> dict[str, tuple[Candidate, ...]]:
    """Return the candidates of each table, tables in the file's order.

    Raises:
        CandidatesInvalid: every line that is not of this shape, or names a table once more.
    """
    found: dict[str, tuple[Candidate, ...]] = {}
    faults: list[str] = []
    for number, line in _lines(path):
        entry = _entry(line)
        if isinstance(entry, str):
            faults.append(f"line {number}: {entry}")
        elif entry[0] in found:
            faults.append(f"line {number}: table {entry[0]!r} stands there before. Keep one line.")
        else:
            found[entry[0]] = entry[1]
    if faults:
        more = f" (and {len(faults) - MAX_FAULTS_SHOWN} more)" * (len(faults) > MAX_FAULTS_SHOWN)
        raise CandidatesInvalid(path, "; ".join(faults[:MAX_FAULTS_SHOWN]) + more)
    return found


def candidate_of(text: str, made: Mapping[str, Any]) -> Candidate:
    """Return the candidate that a text is: JSON of the six fields, or plain text."""
    description = description_of(_json(text)) or description_of_text(text)
    return Candidate(text, description, made)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            yield from ((number, line) for number, line in enumerate(file, 1) if line.strip())
    except OSError as error:
        reason = f"it cannot be read ({error.strerror}). Check the path."
        raise CandidatesInvalid(path, reason) from None


def _entry(line: bytes) -> tuple[str, tuple[Candidate, ...]] | str:
    """Return a line's table and candidates, or what is wrong with it."""
    record = _json(line)
    if not isinstance(record, dict) or not isinstance(record.get("table_id"), str):
        return f"it names no table. {SHAPE}"
    if not is_storable(record["table_id"]):
        return f"no store keeps the id {record['table_id']!r}. {SHAPE}"
    listed = record.get("candidates")
    if not isinstance(listed, list):
        return f"table {record['table_id']!r} has no list of candidates. {SHAPE}"
    candidates = [_candidate(one) for one in listed]
    bad = [place for place, one in enumerate(candidates) if one is None]
    if bad:
        return f"table {record['table_id']!r}: candidate {bad[0]} has no storable text. {SHAPE}"
    return record["table_id"], tuple(one for one in candidates if one is not None)


def _candidate(value: object) -> Candidate | None:
    if not isinstance(value, dict):
        return None
    text = value.get("text")
    if not isinstance(text, str):
        return None
    made = {name: kept for name, kept in value.items() if name not in ("text", "description")}
    given = description_of(value.get("description"))
    candidate = Candidate(text, given, made) if given else candidate_of(text, made)
    # What is escaped in a text of JSON comes to light in its values.
    texts = (text, *candidate.description.values(), json.dumps(made, ensure_ascii=False))
    return candidate if all(map(is_storable, texts)) else None


def _json(text: str | bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
