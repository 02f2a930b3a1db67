"""Descriptions that stand in a file, in place of a model that writes them.

Comes in: JSON lines {"table_id": ..., "description": ...}, the description a text or an object of
the six fields; or a file of candidates, of which the first of each table counts. Goes out: a
describer that looks each table up, so that what is indexed is exactly the text given.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.estimate import NOTHING_ASKED, Estimate
from ingest.steps import DescribeOutcome
from polaris_search.evaluate.problems import EvaluationDataInvalid, Problem
from polaris_search.records import (
    DESCRIPTION_FIELDS,
    Description,
    Expansion,
    RawTable,
    content_hash,
    description_of,
    description_of_text,
    is_storable,
)
from trainer.candidates import candidate_of


class GivenDescriptions:
    """A Describer that knows what a file says, and nothing of any other table."""

    model = "given"
    adapter = None
    prompt_version = "given"

    def __init__(self, path: Path, descriptions: Mapping[str, Description]) -> None:
        self._path = path
        self._descriptions = descriptions
        parts = [
            part for key in sorted(descriptions) for part in (key, *descriptions[key].values())
        ]
        self.version = content_hash(*parts)

    @property
    def descriptions(self) -> Mapping[str, Description]:
        """Each table's description."""
        return self._descriptions

    def __contains__(self, table_id: str) -> bool:
        return table_id in self._descriptions

    def __len__(self) -> int:
        return len(self._descriptions)

    async def describe(self, table: RawTable, expansion: Expansion | None) -> DescribeOutcome:
        """Return the file's description of the table, or that it holds none."""
        description = self._descriptions.get(table.table_id)
        if description:
            return DescribeOutcome(description)
        return DescribeOutcome(None, f"{self._path} holds no description of it.")

    def estimate(self, table: RawTable, expansion: Expansion | None) -> Estimate:
        """Return nothing: no model is asked."""
        return NOTHING_ASKED

    async def close(self) -> None:
        """Do nothing: the file was read whole."""


def read_descriptions(path: Path) -> GivenDescriptions:
    """Return the descriptions of a JSON lines file.

    A text becomes the first of the six fields and the others stay empty: the indexed text is the
    text given, with nothing beside it.

    Raises:
        EvaluationDataInvalid: every line that is not such an object, lacks one of the six fields,
            holds text that no store keeps, or names a table that stands there before.
    """
    descriptions: dict[str, Description] = {}
    problems: list[Problem] = []
    for entry in _entries(path):
        if isinstance(entry, Problem):
            problems.append(entry)
            continue
        line, table_id, description = entry
        if table_id in descriptions:
            problem = f"Table {table_id!r} is described before"
            problems.append(Problem(path, line, problem, "Keep one description of a table."))
        descriptions.setdefault(table_id, description)
    if problems:
        raise EvaluationDataInvalid(problems)
    return GivenDescriptions(path, descriptions)


def _entries(path: Path) -> Iterator[tuple[int, str, Description] | Problem]:
    try:
        file = path.open("rb")
    except OSError as error:
        yield Problem(path, None, f"It cannot be read ({error.strerror})", "Check the path.")
        return
    with file:
        for line, data in enumerate(file, start=1):
            if data.strip():
                yield _entry(path, line, data)


def _entry(path: Path, line: int, data: bytes) -> tuple[int, str, Description] | Problem:
    try:
        record = json.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        return Problem(path, line, f"It is not JSON ({error})", "Write one JSON object a line.")
    if not isinstance(record, dict) or not isinstance(record.get("table_id"), str):
        return Problem(
            path, line, "It names no table", 'Write {"table_id": ..., "description": ...}.'
        )
    description = _described(record)
    if description is None:
        return Problem(
            path,
            line,
            "The description is neither a text nor an object of the six fields",
            f"Give a text, or a text for each of: {', '.join(DESCRIPTION_FIELDS)}.",
        )
    if not all(map(is_storable, description.values())):
        return Problem(
            path,
            line,
            "The description holds text that no store keeps",
            "Remove NUL characters and halves of surrogate pairs.",
        )
    return line, record["table_id"], description


def _described(record: Mapping[str, Any]) -> Description | None:
    """Return what a line says of its table; of candidates the first."""
    given = record.get("description")
    if isinstance(given, str):
        return description_of_text(given)
    candidates = record.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    text = first.get("text") if isinstance(first, dict) else None
    return candidate_of(text, {}).description if isinstance(text, str) else description_of(given)
