"""Whether a model and its settings allow a prompt to be computed once for both replies.

A reason against is a clause for the log. What is not known to be equal to plain trl is refused: the
price of a refusal is time, that of a wrong guess a model trained on something else.
"""

from collections.abc import Callable, Iterator

from peft import PeftModel
from transformers import PreTrainedConfig, PreTrainedModel
from trl import DPOConfig

from trainer.training.shared_prompt.attention import ATTENTION
from trainer.training.shared_prompt.backbone import unwrapped

TESTED_MODEL_TYPES = frozenset(
    (
        *("cohere", "gemma", "glm4", "granite", "llama", "mistral"),
        *("olmo2", "phi3", "qwen2", "qwen3", "smollm3", "starcoder2"),
    )
)
"""Held to plain trl, loss and gradients, by tests/contract/test_shared_prompt_models.py."""

FULL_ATTENTION = "full_attention"
LENGTH_DEPENDENT_ROPE = ("dynamic", "longrope")


def why_not_shared(model: PreTrainedModel | PeftModel | str, args: DPOConfig) -> str | None:
    """Return why plain trl must train this model with these settings, or None."""
    if isinstance(model, str):
        return "the model is given by name and has not been loaded"
    return next(_reasons(model, args), None)


def _reasons(model: PreTrainedModel | PeftModel, args: DPOConfig) -> Iterator[str]:
    bare = unwrapped(model)
    for reason in (
        _of_the_kind(bare.config),
        _of_the_layers(bare.config),
        _of_the_attention(bare),
        _of_the_adapters(model),
        *(wanted for holds, wanted in _SETTINGS if holds(args)),
    ):
        if reason:
            yield reason


def _of_the_kind(config: PreTrainedConfig) -> str | None:
    if config.is_encoder_decoder:
        return "the model has an encoder"
    if config.get_text_config() is not config:
        return "the model reads more than text"
    if config.model_type not in TESTED_MODEL_TYPES:
        return f"models of type {config.model_type!r} have not been tested with it"
    return None


def _of_the_layers(config: PreTrainedConfig) -> str | None:
    # Which of these a config has depends on its type; a missing one is as good as None.
    layer_types = set(getattr(config, "layer_types", None) or ()) - {FULL_ATTENTION}
    if layer_types:
        return f"some layers do not have full attention ({', '.join(sorted(layer_types))})"
    if getattr(config, "sliding_window", None) is not None:
        return f"attention is cut to a sliding window of {config.sliding_window} tokens"
    if getattr(config, "attn_logit_softcapping", None) is not None:
        return "attention has a soft cap"
    rope = (getattr(config, "rope_parameters", None) or {}).get("rope_type")
    if rope in LENGTH_DEPENDENT_ROPE:
        return f"positions depend on the length of the row (rope {rope!r})"
    return None


def _of_the_attention(model: PreTrainedModel) -> str | None:
    if any(name.endswith("sinks") for name, _ in model.named_parameters()):
        return "attention has sinks"
    if getattr(model.config, "attention_dropout", 0.0):  # no module, so that trl leaves it on
        return "attention has dropout, which would differ between the replies"
    chosen = model.config._attn_implementation
    if chosen not in ("sdpa", ATTENTION):
        return (
            f"attention {chosen!r} was chosen for the model, and only 'sdpa' is known to be equal"
        )
    return None


def _of_the_adapters(model: PreTrainedModel | PeftModel) -> str | None:
    configs = model.peft_config.values() if isinstance(model, PeftModel) else ()
    if any(config.is_prompt_learning for config in configs):
        return "the adapter puts tokens of its own before the prompt"
    return None


def _cut_at_the_start(args: DPOConfig) -> bool:
    return args.max_length is not None and args.truncation_mode != "keep_start"


_SETTINGS: tuple[tuple[Callable[[DPOConfig], bool], str], ...] = (
    (_cut_at_the_start, "long pairs are cut at their start (truncation_mode), prompts and all"),
    (lambda args: not args.disable_dropout, "dropout is on, and would differ between the replies"),
    (lambda args: bool(args.use_liger_kernel), "Liger kernels have not been tested with it"),
    (lambda args: bool(args.torch_compile), "torch.compile would compile anew for every batch"),
    (lambda args: bool(args.activation_offloading), "activation offloading has not been tested"),
    (lambda args: bool(args.fsdp), "FSDP has not been tested with it"),
    (lambda args: args.deepspeed is not None, "DeepSpeed has not been tested with it"),
    (
        lambda args: bool(args.accelerator_config.dispatch_batches),
        "batches are split after they are made (dispatch_batches)",
    ),
)
