"""A table as the prompt shows it: plain lines of data, cut to a budget, with what was cut counted.

Whatever a name or caption says, it stays one line of words here: line ends, brackets and the marks
that chat templates and the prompt's own tags are made of are taken out.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, takewhile

from polaris_search.records import Expansion, RawTable

OPEN = "<table>"
CLOSE = "</table>"
CONTEXT_SHARE = 0.4
"""Of the budget, at most; what context leaves over goes to the columns."""
NAME_SHARE = 0.2

# They say where a table was found, not what it is about, and lead a model astray.
CONTAINERS = frozenset({"dataset", "package", "source"})

# Tags, chat marks (<|im_end|>, [INST]), code fences, escapes; and what no line of text holds.
_MARKS = re.compile(r"[<>\[\]{}|\\`\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e]+")
_ASCII_CHARS_A_TOKEN = 3.5


@dataclass(frozen=True, slots=True)
class TableText:
    """The lines of a table, and how many of its columns they leave out."""

    text: str
    columns_left_out: int = 0
    context_cut: bool = False

    @property
    def notice(self) -> str | None:
        """What the model was not shown, as a sentence; None when it was shown everything."""
        left_out = []
        if self.columns_left_out:
            left_out.append(f"{self.columns_left_out:,} more columns")
        if self.context_cut:
            left_out.append("part of the context")
        return f"The model was not shown {' and '.join(left_out)}." if left_out else None


def table_text(table: RawTable, expansion: Expansion | None, max_tokens: int) -> TableText:
    """Return the table in at most about `max_tokens` tokens, its names expanded where they are."""
    name = expansion.name if expansion else table.name
    columns = expansion.columns if expansion else tuple(column.name for column in table.columns)
    return lines_of(name, columns, table.context, max_tokens)


def lines_of(
    name: str, columns: Iterable[str], context: Mapping[str, str], max_tokens: int
) -> TableText:
    """Return a table's lines; see table_text."""
    shown_name = cut(plain(name), NAME_SHARE * max_tokens)
    left = max_tokens - estimated_tokens(shown_name)
    context_lines, context_cut = _context_lines(context, CONTEXT_SHARE * max_tokens)
    left -= estimated_tokens("\n".join(context_lines))
    names = [plain(column) for column in columns]
    shown = _fitting(names, left)
    left_out = len(names) - len(shown)
    more = f" and {left_out:,} more columns" if left_out else ""
    lines = [f"name: {shown_name}", *context_lines, f"columns: {', '.join(shown)}{more}"]
    return TableText("\n".join([OPEN, *lines, CLOSE]), left_out, context_cut)


def plain(text: str) -> str:
    """Return the text as one line that can end no block of data and open no other."""
    return " ".join(_MARKS.sub(" ", text).split())


def estimated_tokens(text: str) -> float:
    """Return about how many tokens a text has; more rather than fewer.

    Three and a half ASCII characters are one token; any other character may be two.
    """
    ascii_chars = sum(character.isascii() for character in text)
    return ascii_chars / _ASCII_CHARS_A_TOKEN + 2 * (len(text) - ascii_chars)


def cut(text: str, max_tokens: float) -> str:
    """Return the text, cut at a word where it is longer than about `max_tokens` tokens."""
    if estimated_tokens(text) <= max_tokens:
        return text
    used = accumulate(estimated_tokens(character) for character in text)
    kept = text[: sum(1 for _ in takewhile(lambda tokens: tokens <= max_tokens, used))]
    return (kept.rpartition(" ")[0] or kept) + " ..."


def _context_lines(context: Mapping[str, str], max_tokens: float) -> tuple[list[str], bool]:
    lines: list[str] = []
    was_cut = False
    left = max_tokens
    for key, value in context.items():
        if key in CONTAINERS or not value.strip():
            continue
        line = f"{_label(key)}: {plain(value)}"
        shown = cut(line, left)
        was_cut = was_cut or shown != line
        if left > 0:
            lines.append(shown)
            left -= estimated_tokens(shown)
    return lines, was_cut


def _label(key: str) -> str:
    """Return a context's key as the label of its line, which no line of the table itself has."""
    label = plain(key).replace(":", " ").strip()
    return f"context {label}" if label.casefold() in ("name", "columns", "") else label


def _fitting(names: list[str], max_tokens: float) -> list[str]:
    used = 0.0
    for n, name in enumerate(names):
        used += estimated_tokens(name) + 1  # and a comma
        if used > max_tokens:
            return names[:n]
    return names
