"""The prompt that asks about names: what is always the same first, the table's own text last.

The table is a block of data between tags that nothing in it can close. Names are asked about by
number, so that no text of a table becomes a part of the question or of the reply's schema.
"""

from collections.abc import Iterable, Mapping, Sequence

from ingest.describe.plain import plain
from ingest.describe.table_text import CLOSE, CONTAINERS, OPEN
from ingest.describe.tokens import cut, estimated_tokens
from ingest.expand_llm.asked_name import AskedName
from ingest.expand_llm.design import Design
from polaris_search.llm.model import ChatMessage
from polaris_search.records import RawTable

NAME_TOKENS = 40
"""Of the table's name, and of each name asked about; a longer one is cut."""
COMMENT_TOKENS = 20
"""Of a column's comment, which often says what its name is short for."""
CONTEXT_TOKENS = 80
"""Of the table's context together: it is there to tell the subject."""
BESIDE_TOKENS = 80
"""Of the columns that stand beside the ones asked about; their words tell the subject too."""
TURN_TOKENS = 6
"""Of a chat template, for each turn."""

Example = tuple[tuple[str, ...], tuple[str, ...], str]
"""What a made-up table is about, its names as lines, and the reply as we want it."""

Subject = tuple[str, ...]
"""What a table is about, as lines above the names asked about."""


def fixed_part(system: str, examples: Iterable[Example]) -> tuple[ChatMessage, ...]:
    """Return the messages that every prompt of a design begins with."""
    turns = [ChatMessage("system", system)]
    for subject, lines, answer in examples:
        turns += [ChatMessage("user", question(subject, lines)), ChatMessage("assistant", answer)]
    return tuple(turns)


def subject_of_columns(table: RawTable, beside: Iterable[str]) -> Subject:
    """Return the table's name, context and the words of columns that are not asked about."""
    return _subject(table, "name", shown(table.name), "beside", beside)


def subject_of_name(table: RawTable, columns: Iterable[str]) -> Subject:
    """Return the table's context and the words of its columns."""
    return _subject(table, "this is", "a table's name", "columns", columns)


def prompt_for(
    design: Design, subject: Subject, names: Sequence[AskedName]
) -> tuple[ChatMessage, ...]:
    """Return the messages that ask about the names."""
    return (
        *design.fixed_part,
        ChatMessage("user", question(subject, map(design.line, names))),
    )


def question(subject: Iterable[str], lines: Iterable[str]) -> str:
    """Return the block of data: what the table is about, then the names, numbered from 1."""
    numbered = (f"{number}: {line}" for number, line in enumerate(lines, start=1))
    return "\n".join([OPEN, *subject, *numbered, CLOSE])


def shown(name: str) -> str:
    """Return a name as one line of bounded length that can close nothing."""
    return cut(plain(name), NAME_TOKENS)


def comment_of(name: AskedName) -> str:
    """Return what is said about the name, to stand behind it; empty where nothing is."""
    comment = cut(plain(name.comment), COMMENT_TOKENS)
    return f" - {comment}" if comment else ""


def fixed_tokens(design: Design) -> int:
    """Return about how many tokens the fixed part has, with a chat template's own."""
    return round(sum(estimated_tokens(turn.content) + TURN_TOKENS for turn in design.fixed_part))


def _subject(
    table: RawTable, label: str, text: str, others_label: str, others: Iterable[str]
) -> Subject:
    lines = [f"{label}: {text}"] if text else []
    lines += _context_lines(table.context)
    words = _within(map(plain, others), BESIDE_TOKENS)
    return (*lines, f"{others_label}: {', '.join(words)}") if words else tuple(lines)


def _context_lines(context: Mapping[str, str]) -> list[str]:
    told = (
        plain(value) for key, value in context.items() if key not in CONTAINERS and value.strip()
    )
    text = cut("; ".join(filter(None, told)), CONTEXT_TOKENS)
    return [f"about: {text}"] if text else []


def _within(texts: Iterable[str], max_tokens: float) -> list[str]:
    kept = []
    for text in texts:
        max_tokens -= estimated_tokens(text) + 1  # and a comma
        if max_tokens < 0:
            break
        if text:
            kept.append(text)
    return kept
