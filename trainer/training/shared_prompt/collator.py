"""A batch that trl reads as rows of replies, and the model as one row with every prompt once.

trl's trainer takes labels, lengths and masks from rows of ids, one for each reply. It is given rows
that begin with the last token of the prompt, since that one's output scores the reply's first
token: whatever loss trl computes then sees the replies as ever, and its language head scores
nothing else. The prompts are in the packed row beside, which `backbone.py` swaps in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from trl.trainer.dpo_trainer import DataCollatorForPreference

from trainer.training.shared_prompt.packed_row import TokenPair, pack

PACKED_ROW = "shared_prompt_row"
"""The key of the packed row in a batch, and the argument it reaches the model as."""


def _rows_of_replies() -> DataCollatorForPreference:
    # Padding is neither scored nor seen by the model, so that any token serves.
    return DataCollatorForPreference(pad_token_id=0)


@dataclass(frozen=True, slots=True)
class SharedPromptCollator:
    """Makes batches of examples as trl prepares them: prompt_ids, chosen_ids, rejected_ids.

    Attributes:
        max_length: tokens of a prompt with a reply; the end of a longer reply is cut, as trl does
            with truncation_mode "keep_start". None: no limit.
    """

    max_length: int | None
    _replies: DataCollatorForPreference = field(default_factory=_rows_of_replies, repr=False)

    def __call__(self, examples: Sequence[Mapping[str, object]]) -> dict[str, object]:
        """Return the batch of the examples."""
        pairs = [self._cut(example) for example in examples]
        rows = [_reply_rows(*one) for one in zip(examples, pairs, strict=True)]
        batch: dict[str, object] = self._replies(rows)
        packed = pack(pairs)
        # trl only sums the mask, for its count of tokens. Of one dimension, no model can take it:
        # should the packed row get lost on the way, the forward fails, and no model is trained on
        # replies without their prompts.
        batch["attention_mask"] = torch.ones(packed.input_ids.numel(), dtype=torch.long)
        batch[PACKED_ROW] = packed.as_batch()
        return batch

    def _cut(self, example: Mapping[str, object]) -> TokenPair:
        prompt, chosen, rejected = (
            list(example[key])  # type: ignore[call-overload]
            for key in ("prompt_ids", "chosen_ids", "rejected_ids")
        )
        if self.max_length is None:
            return TokenPair(prompt, chosen, rejected)
        prompt = prompt[: self.max_length]
        room = self.max_length - len(prompt)
        return TokenPair(prompt, chosen[:room], rejected[:room])


def _reply_rows(example: Mapping[str, object], pair: TokenPair) -> dict[str, object]:
    """Return the example with its prompt's last token only; reference log-probabilities stay."""
    cut = {
        "prompt_ids": list(pair.prompt[-1:]),
        "chosen_ids": list(pair.chosen),
        "rejected_ids": list(pair.rejected),
    }
    return {**example, **cut}
