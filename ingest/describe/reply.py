"""A model's reply becomes a Description, or the fault that makes it none. Pure.

A reply is trusted in nothing: servers without constrained output wrap JSON in prose, leave fields
out or add some, and any reply can be cut. What is only weak (fields alike, many digits) is kept
and said; what would harm a reader or an index (links, markup, half a JSON) is not.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ingest.describe.checks import Fault, harm_in, weaknesses_of
from polaris_search.llm.model import ChatReply
from polaris_search.records import DESCRIPTION_FIELDS, Description

MAX_REPLY_CHARS = 100_000
MAX_FIELD_CHARS = 2_000
"""Several times what is asked for; a model in a loop writes more, and nobody reads it."""
MAX_BRACES = 20
"""So many places are looked at for the beginning of the object; prose before it has some braces."""

# What no page and no terminal shows, and half surrogate pairs. The first kind stands for a blank.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_UNSEEN = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]+"
)
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
    """A description, and what is weak about it."""

    description: Description
    weaknesses: tuple[str, ...] = ()


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
    harm = harm_in(description)
    if harm:
        return Rejected(*harm)
    return Accepted(description, weaknesses_of(description))


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
    return " ".join(_UNSEEN.sub("", _CONTROL.sub(" ", value)).split())
