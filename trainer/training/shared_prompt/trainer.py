"""trl's DPOTrainer with each prompt computed once for both replies; the numbers are trl's.

Losses, metrics, the reference, evaluation and precomputed log-probabilities are trl's own code. Its
count of tokens counts a prompt once, as the model does; its estimate of operations is too low.
"""

from collections.abc import Mapping, Sequence

import torch
from datasets import Dataset
from peft import PeftConfig, PeftModel
from transformers import PreTrainedModel, PreTrainedTokenizerBase, TrainerCallback
from trl import DPOConfig, DPOTrainer

from polaris_search.errors import PromptNotShareable
from trainer.training.shared_prompt.backbone import share_prompts
from trainer.training.shared_prompt.collator import SharedPromptCollator
from trainer.training.shared_prompt.eligible import why_not_shared
from trainer.training.shared_prompt.head import tiles_for

Batch = dict[str, object]
Optimizers = tuple[torch.optim.Optimizer | None, torch.optim.lr_scheduler.LambdaLR | None]


class SharedPromptDPOTrainer(DPOTrainer):  # type: ignore[misc]  # trl has no types
    """Arguments are trl's. The model keeps its hooks, which leave all other batches alone.

    Raises:
        PromptNotShareable: where `why_not_shared` has a reason.
    """

    def __init__(
        self,
        *,
        model: PreTrainedModel | PeftModel,
        args: DPOConfig,
        processing_class: PreTrainedTokenizerBase,
        train_dataset: Dataset,
        eval_dataset: Dataset | Mapping[str, Dataset] | None = None,
        ref_model: PreTrainedModel | None = None,
        peft_config: PeftConfig | None = None,
        callbacks: Sequence[TrainerCallback] = (),
        optimizers: Optimizers = (None, None),
    ) -> None:
        given = [each for each in (model, ref_model) if each is not None]
        for each in given:
            if reason := why_not_shared(each, args):
                raise PromptNotShareable(reason)
        if peft_config is not None and peft_config.is_prompt_learning:
            raise PromptNotShareable("the adapter puts tokens of its own before the prompt")
        for each in given:  # before trl's constructor, which may compute the reference
            share_prompts(each)
        super().__init__(
            model=model,
            ref_model=ref_model,
            args=args,
            data_collator=SharedPromptCollator(args.max_length),
            train_dataset=train_dataset,
            eval_dataset=eval_dataset,
            processing_class=processing_class,
            callbacks=list(callbacks),
            optimizers=optimizers,
            peft_config=peft_config,
        )
        if ref_model is None and self.ref_model is not None:  # trl has loaded one
            share_prompts(self.accelerator.unwrap_model(self.ref_model))

    def compute_loss(
        self,
        model: PreTrainedModel,
        inputs: Batch,
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return trl's loss of the batch."""
        with tiles_for(self.accelerator.device):
            return super().compute_loss(model, inputs, return_outputs, num_items_in_batch)

    def compute_ref_log_probs(
        self, model: PreTrainedModel, inputs: Batch
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return trl's reference log-probabilities of the chosen and the rejected replies."""
        with tiles_for(self.accelerator.device):
            log_probs: tuple[torch.Tensor, torch.Tensor] = super().compute_ref_log_probs(
                model, inputs
            )
            return log_probs
