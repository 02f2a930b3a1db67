"""A model's reply becomes one answer for each name asked about, as far as it has them. Pure.

A reply is trusted in nothing: servers without constrained output wrap JSON in prose, and any reply
can be cut. Answers that are whole are taken out of what is there; the others are missing.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ingest.expand.name_reading import Words
from ingest.expand_llm.asked_name import AskedName
from ingest.expand_llm.design import Design

MAX_REPLY_CHARS = 20_000

_ANSWER = re.compile(r'"(\d{1,2})"\s*:\s*"([^"\\\x00-\x1f]{0,500})"')


def answers_schema(design: Design, names: Sequence[AskedName]) -> dict[str, Any]:
    """Return the JSON schema of the answers about the names: one text under each number."""
    pattern = design.pattern(names)
    numbers = [str(number) for number in range(1, len(names) + 1)]
    return {
        "type": "object",
        "properties": {number: {"type": "string", "pattern": pattern} for number in numbers},
        "required": numbers,
        "additionalProperties": False,
    }


def read_answers(
    design: Design, names: Sequence[AskedName], text: str
) -> Mapping[AskedName, Words]:
    """Return the words of each name whose answer is there and can be used."""
    given = dict(reversed(_ANSWER.findall(text[:MAX_REPLY_CHARS])))  # the first of each number
    words = {
        name: design.words(name, given.get(str(number), ""))
        for number, name in enumerate(names, start=1)
    }
    return {name: found for name, found in words.items() if found is not None}
