"""Attention over a packed row: a prompt sees itself, a reply sees its prompt and itself.

Three calls of torch's own attention for each pair, and no mask over the row: such a mask grows with
the square of the row, forbids the fast kernels, and most of it would be zeros. Without a packed
row, as in generation, this is transformers' plain `sdpa`.
"""

from collections.abc import Iterator

import torch
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from polaris_search.errors import PromptNotShareable
from trainer.training.shared_prompt.packed_row import PackedRow, Span

ATTENTION = "shared_prompt"
"""The name under which transformers knows this attention."""

NOT_OBEYED = ("sliding_window", "softcap", "s_aux", "position_bias")
"""What a layer may ask of its attention, and this one would ignore."""


def register() -> None:
    """Make the attention known to transformers; once or often."""
    AttentionInterface.register(ATTENTION, shared_prompt_attention)
    AttentionMaskInterface.register(ATTENTION, sdpa_mask)


def shared_prompt_attention(
    module: torch.nn.Module,
    query: torch.Tensor,  # (rows, heads, tokens, head size)
    key: torch.Tensor,  # (rows, key heads, tokens, head size)
    value: torch.Tensor,  # (rows, key heads, tokens, head size)
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    shared_prompt_row: PackedRow | None = None,
    **asked: object,
) -> tuple[torch.Tensor, None]:
    """Return what each token takes from those it sees, and no weights. (rows, tokens, heads, size).

    Raises:
        PromptNotShareable: if the layer asks for what this attention does not do.
    """
    if shared_prompt_row is None:
        _require_own_mask(attention_mask, key)
        attended: tuple[torch.Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, scaling=scaling, dropout=dropout, **asked
        )
        return attended
    _refuse(asked, dropout)
    parts = [
        part.transpose(1, 2)  # (1, tokens of the part, heads, head size)
        for span in shared_prompt_row.spans
        for part in _attend_pair(span, query, key, value, scaling)
    ]
    return torch.cat(parts, dim=1), None


def _attend_pair(
    span: Span,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    scaling: float | None,
) -> Iterator[torch.Tensor]:
    """Yield what the prompt takes, then each reply, in the order of the row."""
    grouped = query.size(1) != key.size(1)
    prompt = span.prompt_place
    if span.prompt:
        yield scaled_dot_product_attention(
            query[:, :, prompt],
            key[:, :, prompt],
            value[:, :, prompt],
            is_causal=True,
            scale=scaling,
            enable_gqa=grouped,
        )
    for reply in span.reply_places:
        length = reply.stop - reply.start
        if length:
            yield scaled_dot_product_attention(
                query[:, :, reply],
                torch.cat([key[:, :, prompt], key[:, :, reply]], dim=2),
                torch.cat([value[:, :, prompt], value[:, :, reply]], dim=2),
                causal_lower_right(length, span.prompt + length),
                scale=scaling,
                enable_gqa=grouped,
            )


def _require_own_mask(attention_mask: torch.Tensor | None, key: torch.Tensor) -> None:
    # The mask beside a packed row is a single field. Where it arrives without the row, every token
    # would see every other.
    if attention_mask is not None and attention_mask.size(-1) < key.size(2):
        raise PromptNotShareable("the model's layers do not hand the row on to their attention")


def _refuse(asked: dict[str, object], dropout: float) -> None:
    ignored = [name for name in NOT_OBEYED if asked.get(name) is not None]
    if dropout:
        ignored.append("dropout")
    if ignored:
        raise PromptNotShareable(f"a layer's attention asks for {', '.join(ignored)}")
