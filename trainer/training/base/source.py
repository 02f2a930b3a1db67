"""Where a base model's files are, and hashes that tell one base from another.

A base is named by a transformers folder, a GGUF file, or a name on the model hub. A hash of a base
reads the first and last megabyte of each file of weights, so that it is cheap at any size.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trainer.training.base.gguf import gguf_base, is_gguf
from trainer.training.problems import BaseUnusable

CONFIG = "config.json"
WEIGHTS = ("*.safetensors", "*.safetensors.index.json", "*.bin")
SAMPLE_BYTES = 1 << 20
SHAPES = (
    "Name a folder that save_pretrained wrote, a GGUF file, or a model of the hub, such as "
    "meta-llama/Llama-3.1-8B-Instruct"
)


@dataclass(frozen=True, slots=True)
class BaseSource:
    """A base model's files.

    Attributes:
        name: as the user gave it.
        folder: what holds config, weights and tokenizer.
        revision: the commit that the hub gave; None for a folder or a file.
        content_hash: of config and weights.
    """

    name: str
    folder: Path
    revision: str | None
    content_hash: str

    @property
    def shown(self) -> str:
        """The name without folders of this machine."""
        return self.name if self.revision else Path(self.name).resolve().name


def base_source(named: str, bases: Path, say: Callable[[str], None] = lambda _: None) -> BaseSource:
    """Return where the base is, its files fetched or unpacked.

    Args:
        named: folder, GGUF file or name on the hub.
        bases: the folder where GGUF files are unpacked.
        say: is told what takes long.

    Raises:
        BaseUnusable: there is none, or it is no model.
    """
    path = Path(named)
    if is_gguf(path):
        folder, revision = gguf_base(path, bases, say), None
    elif path.is_dir():
        folder, revision = path, None
    elif path.exists() or named.startswith((".", "/", "~")) or named.count("/") > 1:
        problem = "it is neither a folder nor a GGUF file" if path.exists() else "it is not there"
        raise BaseUnusable(named, problem, f"{SHAPES}.")
    else:
        folder = _from_the_hub(named)
        revision = folder.name
    if not (folder / CONFIG).is_file():
        raise BaseUnusable(named, f"the folder has no {CONFIG}", f"{SHAPES}.")
    return BaseSource(named, folder, revision, _content_hash(named, folder))


def _from_the_hub(named: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    patterns = ["*.json", "*.safetensors", "*.model", "*.jinja", "*.txt"]
    try:
        return Path(snapshot_download(named, allow_patterns=patterns))
    except (HfHubHTTPError, HFValidationError, OSError, ValueError) as error:
        said = str(error).strip().splitlines()[0]
        raise BaseUnusable(
            named,
            f"no folder has this name, and the hub does not give it ({said})",
            f"{SHAPES}; for a gated model, log in first (hf auth login).",
        ) from None


def _content_hash(named: str, folder: Path) -> str:
    weights = sorted({path for pattern in WEIGHTS for path in folder.glob(pattern)})
    if not weights:
        raise BaseUnusable(named, "the folder has no weights", f"{SHAPES}.")
    digest = hashlib.sha256((folder / CONFIG).read_bytes())
    for path in weights:
        size = path.stat().st_size
        digest.update(f"{path.name} {size} ".encode())
        with path.open("rb") as file:
            digest.update(file.read(SAMPLE_BYTES))
            file.seek(max(0, size - SAMPLE_BYTES))
            digest.update(file.read(SAMPLE_BYTES))
    return digest.hexdigest()
