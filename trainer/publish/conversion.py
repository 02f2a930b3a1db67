"""The adapter's GGUF file in its folder of the registry, made if it is not there or not of it."""

from pathlib import Path

from polaris_search.errors import PolarisError, UsageError
from polaris_search.llm.local.gguf import find_gguf
from trainer.adapters.layout import read_adapter
from trainer.publish.lora_gguf import write_lora_gguf
from trainer.publish.target import Publication


def converted(publication: Publication) -> Path:
    """Return the adapter's GGUF file, which is written anew: a moment's work, and never stale.

    Raises:
        AdapterInvalid, BaseUnfit, NotConvertible: see write_lora_gguf.
        UsageError: its base model is not on this machine, or gguf is not installed.
    """
    _require_gguf()
    out = publication.folder / f"{publication.name}.gguf"
    return write_lora_gguf(publication.folder, _base(publication), out)


def _base(publication: Publication) -> Path:
    """Return the base model: the one named, the local model's file, or what training names."""
    if publication.base is not None:
        return publication.base
    if publication.settings.llm_kind == "local":
        return find_gguf(publication.settings.local_model)
    named = read_adapter(publication.folder).base_model
    if not Path(named).exists():
        raise UsageError(
            f"{publication.name!r} was trained on {named}, which is not on this machine. Name its "
            "folder (one with its config.json will do) or its GGUF file: --base PATH."
        )
    return Path(named)


def _require_gguf() -> None:
    import importlib.util

    if importlib.util.find_spec("gguf") is None:
        raise GgufMissing(
            "llama.cpp's files are written by the package gguf, which is not installed. "
            "Install it: pip install 'polaris-search[train]'."
        )


class GgufMissing(PolarisError):
    """The package that writes llama.cpp's files is missing."""
