"""The hash of a file's bytes, by which a run says what it read."""

import hashlib
from pathlib import Path


def file_hash(path: Path) -> str:
    """Return the file's SHA-256 in hexadecimal digits; reads it in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
