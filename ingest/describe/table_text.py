"""A table as the prompt shows it: plain lines of data within a budget, what is left out counted.

Whatever a name or caption says, it stays one line of words here; see `plain`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ingest.describe.column_groups import columns_within
from ingest.describe.plain import plain
from ingest.describe.tokens import cut, estimated_tokens
from polaris_search.records import Expansion, RawTable

OPEN = "<table>"
CLOSE = "</table>"
CONTEXT_SHARE = 0.4
"""Of the budget, at most; what context leaves over goes to the columns."""
NAME_SHARE = 0.2
MAX_COLUMN_NAME_TOKENS = 40
"""A longer one is no name, and would take the place of others."""
MAX_LABEL_TOKENS = 20
NAMELESS = "nameless"
FRAME_TOKENS = 16
"""Of the tags, and the labels of name and columns."""

# They say where a table was found, not what it is about, and lead a model astray.
CONTAINERS = frozenset({"dataset", "package", "source"})

_OWN_LABELS = ("name", "columns")


@dataclass(frozen=True, slots=True)
class TableText:
    """The lines of a table, and what they do not show one by one.

    Attributes:
        text: the lines.
        columns_grouped: columns that stand in it only as members of a group.
        columns_left_out: columns that are only counted in it.
        names_cut: whether a name is longer than shown.
        context_cut: whether the context is.
    """

    text: str
    columns_grouped: int = 0
    columns_left_out: int = 0
    names_cut: bool = False
    context_cut: bool = False

    @property
    def notices(self) -> tuple[str, ...]:
        """What the model was not shown, in sentences; none when it was shown everything."""
        left_out = (
            (self.columns_left_out, f"{self.columns_left_out:,} more columns"),
            (self.names_cut, "the ends of long names"),
            (self.context_cut, "part of the context"),
        )
        said = " and ".join(what for is_so, what in left_out if is_so)
        grouped = "The model was shown columns in groups." if self.columns_grouped else ""
        missing = f"The model was not shown {said}." if said else ""
        return tuple(notice for notice in (grouped, missing) if notice)


def table_text(table: RawTable, expansion: Expansion | None, max_tokens: int) -> TableText:
    """Return the table in at most about `max_tokens` tokens, its names expanded where they are."""
    name = expansion.name if expansion else table.name
    columns = expansion.columns if expansion else tuple(column.name for column in table.columns)
    return lines_of(name, columns, table.context, max_tokens)


def lines_of(
    name: str, columns: Iterable[str], context: Mapping[str, str], max_tokens: int
) -> TableText:
    """Return a table's lines; see table_text."""
    whole_name = plain(name)
    shown_name = cut(whole_name, NAME_SHARE * max_tokens)
    context_lines, context_cut = _context_lines(context, CONTEXT_SHARE * max_tokens)
    used = estimated_tokens("\n".join([shown_name, *context_lines])) + FRAME_TOKENS
    whole_names = [plain(column) or NAMELESS for column in columns]
    names = [cut(each, MAX_COLUMN_NAME_TOKENS) for each in whole_names]
    shown = columns_within(names, max_tokens - used)
    lines = [f"name: {shown_name}", *context_lines, f"columns: {shown.text}"]
    return TableText(
        "\n".join([OPEN, *lines, CLOSE]),
        columns_grouped=shown.grouped,
        columns_left_out=shown.left_out,
        names_cut=[shown_name, *names] != [whole_name, *whole_names],
        context_cut=context_cut,
    )


def _context_lines(context: Mapping[str, str], max_tokens: float) -> tuple[list[str], bool]:
    lines: list[str] = []
    was_cut = False
    left = max_tokens
    # Stores keep no order; what is said of single columns comes after what is said of the table.
    for key in sorted(context, key=lambda key: ("column" in key.casefold(), key)):
        value = context[key]
        if key in CONTAINERS or not value.strip():
            continue
        label = f"{_label(key)}: "
        text = plain(value)
        shown = label + cut(text, left - estimated_tokens(label))
        was_cut = was_cut or shown != label + text
        if estimated_tokens(label) < left:
            lines.append(shown)
            left -= estimated_tokens(shown)
    return lines, was_cut


def _label(key: str) -> str:
    """Return a context's key as the label of its line, which no line of the table itself has."""
    label = cut(plain(key).replace(":", " "), MAX_LABEL_TOKENS).strip()
    own = not label or label.casefold() in _OWN_LABELS
    return f"context {label}".strip() if own else label
