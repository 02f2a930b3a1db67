"""Silences what the training packages print of their own: bars, and warnings about each other.

What a person should know of a run is said by the run itself, in sentences, on stderr.
"""

import logging
import os
import warnings


def silence_packages() -> None:
    """Silence them in this process, for as long as it lives."""
    import datasets
    import transformers
    from transformers import modeling_gguf_pytorch_utils

    # trl asks the environment, and nothing else, whether to draw a bar of its own.
    os.environ["TQDM_DISABLE"] = "1"  # noqa: TID251
    datasets.disable_progress_bars()
    transformers.utils.logging.disable_progress_bar()
    # This one of its modules draws tqdm's own bar, not the one that was just disabled.
    modeling_gguf_pytorch_utils.tqdm = transformers.utils.logging.tqdm
    transformers.utils.logging.set_verbosity_error()
    for package in ("bitsandbytes", "peft", "trl", "accelerate"):
        logging.getLogger(package).setLevel(logging.ERROR)
    # transformers is renaming gradient_checkpointing, which trl 1.16 and peft still ask for.
    warnings.filterwarnings("ignore", ".*gradient_checkpointing.*", FutureWarning)
