"""A model's reply becomes a Description, or the fault that makes it none. Pure.

A reply is trusted in nothing: servers without constrained output wrap JSON in prose, leave fields
out or add some, and any reply can be cut.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ingest.describe.checks import Fault, harm_in, poverty_of
from ingest.describe.plain import one_line
from polaris_search.llm.model import ChatReply
from polaris_search.records import DESCRIPTION_FIELDS, Description

MAX_REPLY_CHARS = 100_000
MAX_FIELD_CHARS = 2_000
"""Several times what is asked for; a model in a loop writes more, and nobody reads it."""
MAX_BRACES = 20
"""So many places are looked at for the beginning of the object; prose before it has some braces."""

_FENCE = re.compile(r"^\s*```\w*\s*|\s*```\s*$")


@dataclass(frozen=True, slots=True)
class Rejected:
    """A reply that is no description: the fault's code, and a sentence on it."""

    fault: Fault
    detail: str

    @property
    def says(self) -> str:
        """The code, then the sentence."""
        return f"{self.fault}: {self.detail}"


@dataclass(frozen=True, slots=True)
class Accepted:
    """A description."""

    description: Description


def read_reply(reply: ChatReply) -> Accepted | Rejected:
    """Return what the reply holds."""
    if len(reply.text) > MAX_REPLY_CHARS:
        return Rejected("too_long", f"The reply has {len(reply.text):,} characters.")
    document = _object_in(reply.text)
    if document is None and reply.finish_reason == "length":
        return Rejected(
            "cut_off",
            f"The reply was cut at {reply.completion_tokens} tokens. Raise POLARIS_LLM_MAX_TOKENS.",
        )
    if not reply.text.strip():
        return Rejected("empty", "The model wrote nothing.")
    if document is None:
        return Rejected("invalid_json", "The reply holds no JSON object.")
    missing = [name for name in DESCRIPTION_FIELDS if _text(document.get(name)) is None]
    if missing:
        return Rejected("missing_field", f"The reply has no text for {', '.join(missing)}.")
    description = Description(*(_text(document[name]) or "" for name in DESCRIPTION_FIELDS))
    longest = max(map(len, description.values()))
    if longest > MAX_FIELD_CHARS:
        return Rejected("too_long", f"A field of the reply has {longest:,} characters.")
    fault = harm_in(description) or poverty_of(description)
    return Rejected(*fault) if fault else Accepted(description)


def _object_in(text: str) -> Mapping[str, Any] | None:
    """Return the first JSON object in the text, whatever stands around it."""
    text = _FENCE.sub("", text)
    for brace in islice(re.finditer("{", text), MAX_BRACES):
        try:
            document, _ = json.JSONDecoder().raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(document, dict):
            return document
    return None


def _text(value: object) -> str | None:
    """Return a field as one line of text; a list of texts is one with commas."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = ", ".join(value)
    if not isinstance(value, str):
        return None
    return one_line(value)
