"""Pairs of token ids in one row: each prompt once, and behind it both of its replies.

    prompt | chosen | rejected | prompt | chosen | rejected | ...

Both replies go on at the position behind the prompt, so that a model whose layers know a token's
place by its position number alone cannot tell the row from two. Who may see whom is for
`attention.py`. Nothing is padded, however unequal the pairs are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import torch


@dataclass(frozen=True, slots=True)
class TokenPair:
    """The token ids of a prompt and of its two replies, as long as they are to be trained on."""

    prompt: Sequence[int]
    chosen: Sequence[int]
    rejected: Sequence[int]


@dataclass(frozen=True, slots=True)
class Span:
    """Where a pair lies in the row, in tokens."""

    start: int
    prompt: int
    chosen: int
    rejected: int

    @property
    def prompt_place(self) -> slice:
        """The places of the prompt's tokens."""
        return slice(self.start, self.start + self.prompt)

    @property
    def reply_places(self) -> tuple[slice, slice]:
        """The places of the chosen reply's tokens, and those of the rejected one's."""
        chosen = self.start + self.prompt
        rejected = chosen + self.chosen
        return slice(chosen, rejected), slice(rejected, rejected + self.rejected)


@dataclass(frozen=True, slots=True)
class PackedRow:
    """A batch of pairs as the layers of a model see it.

    Attributes:
        input_ids: (1, tokens)
        position_ids: (1, tokens)
        scored_places: for each reply, all chosen ones first, the places in the row of the last
            prompt token and of the reply's tokens: those whose next token is scored, and the last.
            Padded at the end with place 0. Shape (2 * pairs, 1 + longest reply)
        spans: where each pair lies.
    """

    input_ids: torch.Tensor
    position_ids: torch.Tensor
    scored_places: torch.Tensor
    spans: tuple[Span, ...]

    def as_batch(self) -> dict[str, object]:
        """Return what `from_batch` reads, of kinds that move from device to device unharmed."""
        return {
            "input_ids": self.input_ids,
            "position_ids": self.position_ids,
            "scored_places": self.scored_places,
            "spans": [list(asdict(span).values()) for span in self.spans],
        }

    @classmethod
    def from_batch(cls, batch: Mapping[str, object]) -> "PackedRow":
        """Return the row that `as_batch` made `batch` of."""
        spans = tuple(Span(*span) for span in batch["spans"])  # type: ignore[attr-defined]
        return cls(batch["input_ids"], batch["position_ids"], batch["scored_places"], spans)


def pack(pairs: Sequence[TokenPair]) -> PackedRow:
    """Return the pairs in one row."""
    spans = _spans(pairs)
    ids = [token for pair in pairs for part in _parts(pair) for token in part]
    positions = [place for span in spans for place in _positions(span)]
    return PackedRow(
        input_ids=torch.tensor([ids]),  # (1, tokens)
        position_ids=torch.tensor([positions]),  # (1, tokens)
        scored_places=torch.tensor(_scored_places(spans)),  # (2 * pairs, 1 + longest reply)
        spans=spans,
    )


def _parts(pair: TokenPair) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    return pair.prompt, pair.chosen, pair.rejected


def _spans(pairs: Sequence[TokenPair]) -> tuple[Span, ...]:
    spans, start = [], 0
    for pair in pairs:
        lengths = [len(part) for part in _parts(pair)]
        spans.append(Span(start, *lengths))
        start += sum(lengths)
    return tuple(spans)


def _positions(span: Span) -> list[int]:
    replies = (range(span.prompt, span.prompt + length) for length in (span.chosen, span.rejected))
    return [*range(span.prompt), *(place for reply in replies for place in reply)]


def _scored_places(spans: Sequence[Span]) -> list[list[int]]:
    rows = [_row_of(span, reply) for reply in (0, 1) for span in spans]
    width = max(len(row) for row in rows)
    return [row + [0] * (width - len(row)) for row in rows]


def _row_of(span: Span, reply: int) -> list[int]:
    place = span.reply_places[reply]
    last_of_prompt = [span.prompt_place.stop - 1] if span.prompt else []
    return [*last_of_prompt, *range(place.start, place.stop)]
