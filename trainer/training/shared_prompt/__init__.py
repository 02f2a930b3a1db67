"""DPO on pairs whose two replies share a prompt, which goes through the model once.

Plain trl runs a pair as two rows, prompt and chosen, prompt and rejected. Here it is one row,
prompt, chosen, rejected (`packed_row`), which the trainer's batches carry along (`collator`), hooks
put before the model (`backbone`), and attention splits again (`attention`). Loss and gradients are
those of plain trl, up to rounding.
"""

from trainer.training.shared_prompt.eligible import why_not_shared
from trainer.training.shared_prompt.trainer import SharedPromptDPOTrainer

__all__ = ["SharedPromptDPOTrainer", "why_not_shared"]
