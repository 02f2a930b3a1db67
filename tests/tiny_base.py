"""A base model of two layers with random weights, whose tokens are bytes: it trains in a blink.

For what does not depend on what a model knows: steps, kills, hashes, refusals.
"""

from pathlib import Path

END, BEGIN, PADDING = "<|im_end|>", "<|im_start|>", "<|pad|>"
TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def write_tiny_base(folder: Path, *, seed: int = 0, **tokenizer_settings: str | None) -> Path:
    """Write the model's folder and return it.

    Args:
        folder: where it goes.
        seed: of the weights.
        tokenizer_settings: in place of end token, padding token and chat template.
    """
    import torch
    from small_base import one_thread
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    one_thread()
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {one: place for place, one in enumerate([*letters, BEGIN, END, PADDING])}
    bytes_alone = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = decoders.ByteLevel()
    settings = {"eos_token": END, "pad_token": PADDING, "chat_template": TEMPLATE}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bytes_alone,
        additional_special_tokens=[BEGIN],
        **settings | tokenizer_settings,
    )
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,  # 4-bit weights come in blocks of 64
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        bos_token_id=None,
        eos_token_id=vocabulary[END],
        pad_token_id=vocabulary[PADDING],
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
