"""The file of preference pairs, read strictly: each line a pair, every fault named with its line.

trl's conversational format: `prompt` is a list of messages that ends with a user's, `chosen` and
`rejected` are one assistant's message each. A pair that no model can learn from (both replies the
same, or a pair that stood there before) is left out and named; a line of another shape spoils the
file, because nobody knows what else is wrong with it.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polaris_search.llm.model import ChatMessage
from polaris_search.records import is_storable
from trainer.training.problems import PairsInvalid

SHAPE = (
    'A line is {"prompt": [{"role": "user", "content": ...}], '
    '"chosen": [{"role": "assistant", "content": ...}], "rejected": [the same]}; '
    "`polaris-admin pairs` writes such files."
)
REPLIES = ("chosen", "rejected")
MAX_LINES_SHOWN = 10
UNTRAINABLE = ("images", "image", "tools", "chat_template_kwargs")
"""Keys with which trl would render something else than is served."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One pair: to this prompt, `chosen` is the better reply.

    Attributes:
        place: among the file's pairs, from 0.
        line: of the file, from 1.
        prompt: the messages before the reply.
        chosen: the better reply.
        rejected: the other.
    """

    place: int
    line: int
    prompt: tuple[ChatMessage, ...]
    chosen: str
    rejected: str

    @property
    def prompt_key(self) -> str:
        """The same for the same prompt."""
        return json.dumps([[one.role, one.content] for one in self.prompt])


@dataclass(frozen=True, slots=True)
class Dropped:
    """A line that is no pair, or a pair that is not trained on; `reason` is a clause."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class PreferenceFile:
    """The pairs of a file.

    Attributes:
        path: the file.
        digest: SHA-256 of its bytes.
        read: pairs that stood there.
        pairs: those to learn from, in its order.
        dropped: the others.
    """

    path: Path
    digest: str
    read: int
    pairs: tuple[Preference, ...]
    dropped: tuple[Dropped, ...]


def read_preferences(path: Path) -> PreferenceFile:
    """Return the file's pairs.

    Raises:
        PairsInvalid: it cannot be read, is empty, or has lines that are no pairs: all of them.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = f"it cannot be read ({error.strerror})"
        raise PairsInvalid(path, [reason], "Check the path.") from None
    read = [
        _preference(place, number, line) for place, (number, line) in enumerate(_lines(content))
    ]
    faults = [one for one in read if isinstance(one, Dropped)]
    if faults or not read:
        raise PairsInvalid(path, grouped(faults) or ["it is empty"], SHAPE)
    pairs, dropped = _told_apart([one for one in read if isinstance(one, Preference)])
    return PreferenceFile(path, hashlib.sha256(content).hexdigest(), len(read), pairs, dropped)


def grouped(faults: Sequence[Dropped]) -> list[str]:
    """Return a clause for each reason, in the order of lines, with the first lines it holds for."""
    lines: dict[str, list[int]] = {}
    for one in faults:
        lines.setdefault(one.reason, []).append(one.line)
    return [f"{_named(numbers)}: {reason}" for reason, numbers in lines.items()]


def _named(lines: list[int]) -> str:
    shown = ", ".join(map(str, lines[:MAX_LINES_SHOWN]))
    more = len(lines) - MAX_LINES_SHOWN
    return f"line{'s' * (len(lines) > 1)} {shown}" + (f" and {more} more" if more > 0 else "")


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    lines = enumerate(content.split(b"\n"), 1)
    yield from ((number, line) for number, line in lines if line.strip())


def _told_apart(
    pairs: list[Preference],
) -> tuple[tuple[Preference, ...], tuple[Dropped, ...]]:
    """Return the pairs to learn from, and those that say nothing or nothing new."""
    kept: list[Preference] = []
    dropped: list[Dropped] = []
    lines: dict[tuple[str, str, str], int] = {}
    for pair in pairs:
        first = lines.setdefault((pair.prompt_key, pair.chosen, pair.rejected), pair.line)
        if pair.chosen == pair.rejected:
            dropped.append(Dropped(pair.line, "chosen and rejected are the same text"))
        elif first != pair.line:
            dropped.append(Dropped(pair.line, f"the same pair as line {first}"))
        else:
            kept.append(pair)
    return tuple(kept), tuple(dropped)


def _preference(place: int, number: int, line: bytes) -> Preference | Dropped:
    """Return the line's pair, or what is wrong with the line."""
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Dropped(number, "it is not UTF-8")
    except (ValueError, RecursionError):
        return Dropped(number, "it is no JSON")
    if fault := _fault(record):
        return Dropped(number, fault)
    messages = tuple(ChatMessage(one["role"], one["content"]) for one in record["prompt"])
    chosen, rejected = (record[key][0]["content"] for key in REPLIES)
    return Preference(place, number, messages, chosen, rejected)


def _fault(record: Any) -> str | None:
    if not isinstance(record, dict):
        return "it is no JSON object"
    if missing := [key for key in ("prompt", *REPLIES) if key not in record]:
        return f"it has no {' and no '.join(missing)}"
    if foreign := [key for key in UNTRAINABLE if record.get(key)]:
        return f"it has {foreign[0]}, which descriptions are not asked for with"
    prompt = _messages(record["prompt"], "prompt") or _turns_fault(record["prompt"])
    faults = [fault for key in REPLIES if (fault := _reply_fault(record[key], key))]
    return "; ".join([*([prompt] if prompt else []), *faults]) or None


def _messages(value: Any, key: str) -> str | None:
    """Return what keeps a value from being a list of messages with texts."""
    if not isinstance(value, list):
        return f"{key} is no list of messages"
    if not value:
        return f"{key} has no message"
    for place, one in enumerate(value, 1):
        if not isinstance(one, dict) or not isinstance(one.get("role"), str):
            return f"message {place} of {key} has no role"
        content = one.get("content")
        if not isinstance(content, str):
            return f"message {place} of {key} has no text as its content"
        if not content.strip():
            return f"message {place} of {key} has an empty text"
        if not is_storable(content):
            return f"message {place} of {key} holds a NUL character or half a surrogate pair"
    return None


def _turns_fault(messages: list[dict[str, str]]) -> str | None:
    """Return what is wrong with the order of a prompt's roles."""
    roles = [one["role"] for one in messages]
    turns = roles[1:] if roles[0] == "system" else roles
    expected = ["user", "assistant"] * (len(turns) // 2) + ["user"]
    if turns == expected:
        return None
    return (
        f"prompt has the roles {', '.join(roles)}; user and assistant in turns were expected, "
        "a system message at most before them, a user's last"
    )


def _reply_fault(value: Any, key: str) -> str | None:
    if fault := _messages(value, key):
        return fault
    roles = [one["role"] for one in value]
    if roles != ["assistant"]:
        return f"{key} has the roles {', '.join(roles)}; one assistant's message was expected"
    return None
