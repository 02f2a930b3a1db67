"""The base model: where its files are, its tokenizer, and a GGUF file as one."""
