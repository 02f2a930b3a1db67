"""What ends a run from outside, in words: too little memory, a full disk, a folder out of reach."""

import errno

from polaris_search.errors import PolarisError
from trainer.training.folder.checkpoints import last_whole
from trainer.training.folder.run_folder import RunFolder
from trainer.training.problems import TrainingStopped

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_ROOM_WORDS = ("No space left", "os error 28", "File too large", "os error 27", "failed writing")
NO_MEMORY_WORDS = ("out of memory", "can't allocate memory", "cannot allocate memory")


def in_words(error: BaseException, folder: RunFolder, longest: int) -> PolarisError | None:
    """Return the error in words, None where it is none that a person can act on.

    Args:
        error: what ended the run.
        folder: of the run.
        longest: tokens of its longest pair.
    """
    said = f"{error} {error.__cause__ or ''}"
    if _is_memory(error, said):
        return TrainingStopped(
            f"There is not enough memory for a pair of {longest:,} tokens. Use --checkpointing on, "
            "--max-length with fewer tokens, a lower --rank, or on a GPU --four-bit; the number of "
            f"pairs in a step stays what --batch says. {_saved(folder)}"
        )
    if (isinstance(error, OSError) and error.errno in NO_ROOM) or any(
        words in said for words in NO_ROOM_WORDS
    ):
        return TrainingStopped(
            f"The disk of {folder.path} is full, or a file there may not grow so large. Make "
            f"room, then run the same command again. {_saved(folder)}"
        )
    if isinstance(error, OSError) and error.filename is not None:
        return TrainingStopped(
            f"{error.filename} cannot be written or read ({error.strerror}). Give this user the "
            f"right to, or choose another --out. {_saved(folder)}"
        )
    return None


def _is_memory(error: BaseException, said: str) -> bool:
    return isinstance(error, MemoryError) or any(words in said.lower() for words in NO_MEMORY_WORDS)


def _saved(folder: RunFolder) -> str:
    found = last_whole(folder.checkpoints)
    if found is None:
        return "Nothing was saved yet."
    return f"{found.name} is saved; the same command goes on from it."
