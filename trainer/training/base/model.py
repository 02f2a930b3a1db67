"""The base model and its tokenizer, loaded for training.

A tokenizer has a chat template, an end token, and a token for padding that is another one: where
padding is the end token, a loss that leaves padding out leaves the end out as well, and the model
never learns to stop.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from trainer.training.base.source import BaseSource
from trainer.training.machine import Footing, ModelSize
from trainer.training.problems import BaseUnusable
from trainer.training.settings import PROJECTIONS


@dataclass(frozen=True, slots=True)
class BaseTokenizer:
    """A base model's tokenizer, ready to train with.

    Attributes:
        tokenizer: of transformers.
        end_ids: tokens that a server stops at.
        content_hash: of its tokens, merges and chat template.
        context: most tokens that the model reads.
        size: of the model.
    """

    tokenizer: Any
    end_ids: frozenset[int]
    content_hash: str
    context: int
    size: ModelSize


def base_tokenizer(source: BaseSource) -> BaseTokenizer:
    """Return the base's tokenizer, and of its config what a plan needs.

    Raises:
        BaseUnusable: it cannot be read, or has no chat template, end or padding token.
    """
    from transformers import AutoConfig, AutoTokenizer

    try:
        config = AutoConfig.from_pretrained(source.folder)
        tokenizer = AutoTokenizer.from_pretrained(source.folder)
    except (OSError, ValueError, KeyError) as error:
        raise _unreadable(source, error) from None
    if not tokenizer.chat_template:
        raise BaseUnusable(
            source.name,
            "its tokenizer has no chat template, and descriptions are asked for in chats",
            "Use an instruction-tuned model, or put its chat_template.jinja into the folder.",
        )
    if tokenizer.eos_token_id is None:
        raise BaseUnusable(
            source.name,
            "its tokenizer has no end token",
            "Set eos_token in tokenizer_config.json.",
        )
    end_ids = _end_ids(source, tokenizer)
    content_hash = _tokenizer_hash(tokenizer)
    tokenizer.pad_token = _padding(source, tokenizer, end_ids)
    return BaseTokenizer(
        tokenizer,
        end_ids,
        content_hash,
        context=config.get_text_config().max_position_embeddings,
        size=_size(source, config),
    )


def base_model(source: BaseSource, footing: Footing, local_device: int) -> Any:
    """Return the base model on the device, in the weights that the footing says.

    Raises:
        BaseUnusable: transformers cannot read it.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, BitsAndBytesConfig

    how: dict[str, Any] = {"dtype": getattr(torch, footing.dtype)}
    if footing.device == "cuda":
        how["device_map"] = {"": local_device}
    if footing.four_bit:
        how["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.bfloat16,
        )
    try:
        return AutoModelForCausalLM.from_pretrained(source.folder, **how)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise _unreadable(source, error) from None


def _size(source: BaseSource, config: Any) -> ModelSize:
    text = config.get_text_config()
    try:
        return ModelSize(text.num_hidden_layers, text.hidden_size, text.intermediate_size)
    except AttributeError:
        raise BaseUnusable(
            source.name,
            f"models of the kind {config.model_type!r} do not have the projections to adapt "
            f"({', '.join(PROJECTIONS)})",
            "Use a model of the kind of Llama, Qwen, Mistral or Gemma.",
        ) from None


def _unreadable(source: BaseSource, error: Exception) -> BaseUnusable:
    said = (str(error).strip() or type(error).__name__).splitlines()[0]
    return BaseUnusable(
        source.name,
        f"transformers cannot read it ({said})",
        "Check that the folder is whole, and that it is a text model that writes.",
    )


def _end_ids(source: BaseSource, tokenizer: Any) -> frozenset[int]:
    """Return the end tokens that the tokenizer or the generation settings name."""
    from transformers import GenerationConfig

    ends = {int(tokenizer.eos_token_id)}
    if (source.folder / "generation_config.json").is_file():
        named = GenerationConfig.from_pretrained(source.folder).eos_token_id
        ends |= set(named) if isinstance(named, list) else {named} - {None}
    return frozenset(ends)


def _padding(source: BaseSource, tokenizer: Any, end_ids: frozenset[int]) -> str:
    """Return a token to pad with that ends nothing: the tokenizer's own, else one it never uses."""
    special = [
        token.content
        for _, token in sorted(tokenizer.added_tokens_decoder.items())
        if token.special
    ]
    named = [one for one in special if "pad" in one.lower()]
    reserved = [one for one in special if "reserved" in one.lower()]
    for token in (tokenizer.pad_token, *named, tokenizer.unk_token, *reserved):
        if token is not None and tokenizer.convert_tokens_to_ids(token) not in end_ids:
            return str(token)
    raise BaseUnusable(
        source.name,
        "its tokenizer has no padding token other than its end token",
        "Add one to tokenizer_config.json as pad_token: a reserved token that no text has.",
    )


def _tokenizer_hash(tokenizer: Any) -> str:
    vocabulary = tokenizer.get_vocab()
    parts = [
        tokenizer.backend_tokenizer.to_str() if tokenizer.is_fast else repr(sorted(vocabulary)),
        tokenizer.chat_template,
        str(tokenizer.eos_token),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
