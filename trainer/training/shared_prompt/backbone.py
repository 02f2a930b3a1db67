"""The layers of a model read the packed row in place of trl's rows, and answer in trl's rows.

Two hooks around the backbone, the part between the ids and the language head. The packed row
travels as an argument of the call and is kept nowhere, so that forwards may nest, fail halfway or
be computed again by activation checkpointing, and a model may be prepared twice.
"""

from collections.abc import Mapping

import torch
from peft import PeftModel
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutputWithPast

from trainer.training.shared_prompt.attention import ATTENTION, register
from trainer.training.shared_prompt.collator import PACKED_ROW
from trainer.training.shared_prompt.packed_row import PackedRow


def unwrapped(model: PreTrainedModel | PeftModel) -> PreTrainedModel:
    """Return the model below an adapter."""
    return model.get_base_model() if isinstance(model, PeftModel) else model


def share_prompts(model: PreTrainedModel | PeftModel) -> None:
    """Let the model take batches of `SharedPromptCollator`; others it takes as before."""
    register()
    bare = unwrapped(model)
    bare.set_attn_implementation(ATTENTION)
    bare.base_model.register_forward_pre_hook(_swap_row_in, with_kwargs=True)
    bare.base_model.register_forward_hook(_take_scored_places, with_kwargs=True)


def _swap_row_in(
    _: torch.nn.Module, positional: tuple[object, ...], named: dict[str, object]
) -> tuple[tuple[object, ...], dict[str, object]]:
    batch = named.get(PACKED_ROW)
    if isinstance(batch, Mapping):
        row = PackedRow.from_batch(batch)
        named |= {
            "input_ids": row.input_ids,
            "position_ids": row.position_ids,
            # transformers hands on a mask of four dimensions as it is, and ours is not looked at.
            "attention_mask": torch.ones(
                (1, 1, 1, 1), dtype=torch.bool, device=row.input_ids.device
            ),
            PACKED_ROW: row,
        }
    return positional, named


def _take_scored_places(
    _: torch.nn.Module,
    positional: tuple[object, ...],
    named: dict[str, object],
    output: BaseModelOutputWithPast,
) -> BaseModelOutputWithPast:
    # Taken out, so that a second pair of hooks on the same model finds nothing left to do.
    row = named.pop(PACKED_ROW, None)
    if isinstance(row, PackedRow):
        hidden = output.last_hidden_state[0]  # (tokens, width)
        output.last_hidden_state = hidden[row.scored_places]  # (replies, 1 + longest reply, width)
    return output
