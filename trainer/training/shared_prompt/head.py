"""Narrower tiles for trl's language head on a processor.

trl scores replies against tiles of the vocabulary, made for GPUs: at 32,768 entries a tile of 400
tokens is 50 MB, and on a processor most of the head's time goes into fetching such pieces of memory
from the system and handing them back. Tiles that fit its cache give the same numbers.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from trl.trainer import utils

PROCESSOR_TILE = 2_048
"""Vocabulary entries; 512 to 4,096 take the same time, 8,192 half as much again (docs/log.md)."""


@contextmanager
def tiles_for(device: torch.device) -> Iterator[None]:
    """Within, trl's head cuts the vocabulary as suits the device; not for several threads."""
    before = utils._CHUNKED_LOGPROB_CHUNK_SIZE
    if device.type == "cpu":
        utils._CHUNKED_LOGPROB_CHUNK_SIZE = PROCESSOR_TILE
    try:
        yield
    finally:
        utils._CHUNKED_LOGPROB_CHUNK_SIZE = before
