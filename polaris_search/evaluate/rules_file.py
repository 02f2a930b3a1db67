"""The JSON files beside a gold file, read as values, with the line of what is wrong with one.

What the values mean is not known here; a file may only be nested as deep as its kind is.
"""

import json
import re
from pathlib import Path

from polaris_search.evaluate.problems import EvaluationDataInvalid, Problem

# Strings whole, so that a bracket in one does not count.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}\n]', re.DOTALL)


def read_rules_file(path: Path, absent: object, max_depth: int) -> object:
    """Return the JSON value in a file, `absent` where there is no such file.

    Args:
        path: the file.
        absent: what stands for a missing file.
        max_depth: lists and objects that may stand inside each other, >= 1.

    Raises:
        EvaluationDataInvalid: it cannot be read, is no UTF-8, no JSON, or nested deeper.
    """
    if not path.exists():
        return absent
    text = _text(path)
    line = _too_deep_at(text, max_depth)
    if line:
        problem = f"It is nested more than {max_depth} deep"
        raise EvaluationDataInvalid([Problem(path, line, problem, "Mend the file.")])
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise _not_json(path, error.lineno, error.msg) from None
    except ValueError as error:  # a number of thousands of digits
        raise _not_json(path, None, str(error)) from None
    return value


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        problem = f"It cannot be read ({error.strerror or error})"
        raise EvaluationDataInvalid([Problem(path, None, problem, "Put a file there.")]) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"Byte 0x{data[error.start]:02x} is not UTF-8"
        remedy = "Save the file as UTF-8."
        raise EvaluationDataInvalid([Problem(path, line, problem, remedy)]) from None


def _too_deep_at(text: str, max_depth: int) -> int | None:
    """Return the line, from 1, of the first bracket beyond `max_depth`, None if there is none."""
    line, depth = 1, 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        line += mark.count("\n")
        depth += (mark in "[{") - (mark in "]}")
        if depth > max_depth:
            return line
    return None


def _not_json(path: Path, line: int | None, reason: str) -> EvaluationDataInvalid:
    problem = f"It is not JSON ({reason})"
    return EvaluationDataInvalid([Problem(path, line, problem, "Mend the file or remove it.")])
