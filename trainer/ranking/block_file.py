"""A block of analysed texts as a file, written whole or not at all; its keys can be read alone.

NumPy's own format of several arrays, whose checksums tell a damaged file.
"""

import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import numpy as np

from trainer.ranking.analysed import KEY_BYTES, Analysed

FORMAT = 1
"""Raised when files of before can be read no more."""
SUFFIX = ".npz"
UNFINISHED = ".unfinished"

DAMAGED = (ValueError, KeyError, EOFError, zipfile.BadZipFile)
"""What NumPy raises where a file is cut, changed, or none of ours."""


def read_keys(path: Path) -> list[bytes]:
    """Return the hash of each row's texts.

    Raises:
        OSError: the file is not there, or closed to us.
        DAMAGED: it is no such file.
    """
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        keys = stored["keys"].tobytes()
    return [keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES)]


def read_block(path: Path) -> Analysed:
    """Return the block.

    Raises:
        OSError: the file is not there, or closed to us.
        DAMAGED: it is no such file.
    """
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        ends = np.cumsum(stored["term_bytes"]).tolist()
        spelled = stored["spelled"].tobytes()
        return Analysed(
            terms=tuple(
                spelled[start:end].decode()
                for start, end in zip([0, *ends[:-1]], ends, strict=False)
            ),
            lengths=stored["lengths"],
            starts=stored["starts"],
            numbers=stored["numbers"],
            frequencies=stored["frequencies"],
        )


def written(folder: Path, keys: Sequence[bytes], block: Analysed) -> Path | None:
    """Return the new file, None where there is no room for it, or the folder is closed to us."""
    unfinished: Path | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=UNFINISHED, delete=False) as file:
            unfinished = Path(file.name)
            _write(file, keys, block)
        path = unfinished.with_suffix(SUFFIX)
        unfinished.replace(path)
    except OSError:
        return None
    finally:
        if unfinished:
            with suppress(OSError):
                unfinished.unlink()
    return path


def _write(file: IO[bytes], keys: Sequence[bytes], block: Analysed) -> None:
    spelled = [term.encode() for term in block.terms]
    np.savez(
        file,
        keys=np.frombuffer(b"".join(keys), dtype=np.uint8),
        term_bytes=np.array([len(term) for term in spelled], dtype=np.int32),
        spelled=np.frombuffer(b"".join(spelled), dtype=np.uint8),
        lengths=block.lengths,
        starts=block.starts,
        numbers=block.numbers,
        frequencies=block.frequencies,
    )
