"""Reads a safetensors file with numpy: its table of contents, and each tensor as float32.

The format is a length, a JSON header and raw numbers. It is read here because that package's numpy
half knows no bfloat16, which adapters of a 4-bit base are saved in, and because a registry has to
look at adapters where no training stack is installed.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LENGTH = struct.Struct("<Q")
MAX_HEADER_BYTES = 100_000_000
"""The limit of the safetensors package."""

_TYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),
}


class WeightsUnreadable(ValueError):
    """A file is no whole safetensors file of float numbers; its text is a clause."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where one tensor is; `begin` counts from the start of the file."""

    name: str
    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self.shape, dtype=np.int64))


def tensors_of(path: Path) -> tuple[Tensor, ...]:
    """Return the file's tensors in the order of their names, none of them read.

    Raises:
        WeightsUnreadable: it is no such file, is cut off, or holds something but float numbers.
    """
    try:
        n_bytes = path.stat().st_size
        with path.open("rb") as file:
            header, begin = _header(file.read(LENGTH.size), file.read, n_bytes)
    except OSError as error:
        raise WeightsUnreadable(f"it cannot be read ({error.strerror})") from None
    found = [_tensor(name, entry, begin) for name, entry in header.items()]
    if max((one.end for one in found), default=begin) != n_bytes:
        raise WeightsUnreadable("it is cut off, or longer than its table of contents says")
    return tuple(sorted(found, key=lambda one: one.name))


def read_tensor(path: Path, tensor: Tensor) -> NDArray[np.float32]:
    """Return the tensor's numbers."""
    raw = np.fromfile(path, _TYPES[tensor.kind], tensor.size, offset=tensor.begin)
    if tensor.kind == "BF16":  # the upper half of a float32
        raw = (raw.astype("<u4") << np.uint32(16)).view("<f4")
    values: NDArray[np.float32] = raw.astype(np.float32, copy=False)
    return values.reshape(tensor.shape)


def read_tensors(path: Path) -> Iterator[tuple[Tensor, NDArray[np.float32]]]:
    """Yield each tensor with its numbers, one at a time.

    Raises:
        WeightsUnreadable: as `tensors_of` does.
    """
    for tensor in tensors_of(path):
        yield tensor, read_tensor(path, tensor)


def _header(prefix: bytes, read: Any, n_bytes: int) -> tuple[dict[str, Any], int]:
    if len(prefix) < LENGTH.size:
        raise WeightsUnreadable("it is empty, or cut off")
    (length,) = LENGTH.unpack(prefix)
    if length > min(MAX_HEADER_BYTES, n_bytes - LENGTH.size):
        raise WeightsUnreadable("it is no safetensors file, or cut off")
    try:
        header = json.loads(read(length))
    except (ValueError, RecursionError):
        raise WeightsUnreadable("its table of contents cannot be read") from None
    if not isinstance(header, dict):
        raise WeightsUnreadable("its table of contents is none")
    header.pop("__metadata__", None)
    return header, LENGTH.size + length


def _tensor(name: str, entry: Any, begin: int) -> Tensor:
    try:
        kind, (first, last) = entry["dtype"], entry["data_offsets"]
        tensor = Tensor(
            name, kind, tuple(map(int, entry["shape"])), begin + int(first), begin + int(last)
        )
    except (KeyError, TypeError, ValueError):
        raise WeightsUnreadable(f"its table of contents says nothing sound of {name!r}") from None
    if kind not in _TYPES:
        raise WeightsUnreadable(f"{name!r} is of type {kind!r}, not of float numbers")
    n_bytes = tensor.end - tensor.begin
    if (
        first < 0
        or min(tensor.shape, default=0) < 0
        or n_bytes != tensor.size * _TYPES[kind].itemsize
    ):
        raise WeightsUnreadable(f"{name!r} is not as long as its shape says")
    return tensor
