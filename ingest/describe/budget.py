"""How a model's context is shared out: the prompt's fixed part, the table, the reply. Pure."""

from dataclasses import dataclass

ROOM_AFTER_CUT = 2
"""A reply that was cut is asked for again with so many times the tokens."""
TABLE_SHARE = 1 / 3
"""Of what the fixed part leaves, at least, where all is short."""
MIN_LEFT_TOKENS = 120
"""The keys of a reply alone take 52; less leaves neither a table nor a text."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens for the table in the prompt, for a reply, and for a reply asked for after a cut."""

    table: int
    reply: int
    reply_after_cut: int


def budget_within(
    context_tokens: int | None, *, fixed: int, table: int, reply: int
) -> Budget | None:
    """Return what fits the context, None where it has no room for a description.

    Args:
        context_tokens: of prompt and reply together, as the server says; None where it does not.
        fixed: tokens of the prompt's fixed part.
        table: tokens wanted for the table.
        reply: tokens wanted for a reply.
    """
    after_cut = ROOM_AFTER_CUT * reply
    if context_tokens is None:
        return Budget(table, reply, after_cut)
    left = context_tokens - fixed
    if left < MIN_LEFT_TOKENS:
        return None
    table = min(table, max(left - after_cut, int(TABLE_SHARE * left)))
    return Budget(table, min(reply, left - table), min(after_cut, left - table))
