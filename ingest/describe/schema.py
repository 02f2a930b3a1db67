"""The shape that a description has to have, as a JSON schema: six bounded, plain texts. Pure.

A text is words with single separators between them, so that it can hold no link, file name or
markup, no run of blanks to loop in, and ends after a whole word. Bounds and characters are one
pattern, because servers that are given minLength or maxLength beside a pattern obey only one.
"""

from typing import Any

from polaris_search.records import DESCRIPTION_FIELDS

TOKENS_OF_KEYS = 52
"""Of a compact six-field object: its keys, quotes, commas and braces."""

TOKENS_A_WORD = 2.0
"""Cautious: English takes 1.3 with its commas, names and rare words more."""

MIN_WORDS = 2
MAX_WORDS = 40
"""llama.cpp refuses a grammar of more nested repetitions, found at 46; six times forty words are as
long as the paper's descriptions."""
# well-known, owner's, CO2; short in all its parts, or a model loops there.
NAME = "[A-Za-z]{1,20}([-']([A-Za-z]{1,12}|[0-9]{1,2})){0,2}[0-9]{0,2}"
# 2019, 1990s, 3D; never first, so that no text is numbers alone.
NUMBER = "[0-9]{1,4}[A-Za-z]{0,2}"
BETWEEN = "[,;:.]?[ ]"


def words_a_field(max_tokens: int, tokens_a_word: float = TOKENS_A_WORD) -> int:
    """Return how many words each field may have so that a reply of `max_tokens` holds all six."""
    tokens_a_field = (max_tokens - TOKENS_OF_KEYS) / len(DESCRIPTION_FIELDS)
    return min(MAX_WORDS, max(MIN_WORDS, int(tokens_a_field / tokens_a_word)))


def description_schema(max_tokens: int, tokens_a_word: float = TOKENS_A_WORD) -> dict[str, Any]:
    """Return the JSON schema of a description that fits `max_tokens`, fields in schema order."""
    more = f"{{{MIN_WORDS - 1},{words_a_field(max_tokens, tokens_a_word) - 1}}}"
    text = {"type": "string", "pattern": f"^{NAME}({BETWEEN}({NAME}|{NUMBER})){more}[.]?$"}
    return {
        "type": "object",
        "properties": {name: dict(text) for name in DESCRIPTION_FIELDS},
        "required": list(DESCRIPTION_FIELDS),
        "additionalProperties": False,
    }
