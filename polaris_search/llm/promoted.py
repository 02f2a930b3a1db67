"""The adapter that descriptions are to be written with, as the registry under POLARIS_HOME says.

The registry belongs to the trainer; here only its one file is read that names the adapter in use.
`POLARIS_ADAPTER` may name another one of its adapters, or none.
"""

import json
from dataclasses import replace
from pathlib import Path

from polaris_search.errors import UsageError
from polaris_search.settings import Settings

ADAPTERS_FOLDER = "adapters"
CURRENT_FILE = "current.json"
CURRENT = "current"
"""What POLARIS_ADAPTER says for the one that is promoted."""
NONE = "none"

NAMED_BY_MODEL = ("vllm", "tgi", "llamacpp")
"""The kinds of servers that choose an adapter by the name of the model asked for."""


def adapters_folder(home: Path) -> Path:
    """Return the registry's folder."""
    return home / ADAPTERS_FOLDER


def gguf_of(home: Path, name: str) -> Path:
    """Return where the adapter is kept for llama.cpp, which names it by its file."""
    return adapters_folder(home) / name / f"{name}.gguf"


def current_adapter(home: Path) -> str | None:
    """Return the name of the adapter in use, None where none was promoted.

    Raises:
        UsageError: the registry's file cannot be read.
    """
    path = adapters_folder(home) / CURRENT_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        name = document["current"]
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(
            f"{path} should say which adapter is in use, and cannot be read ({error}). "
            "Restore it from a backup, or set POLARIS_ADAPTER to an adapter's name or to none."
        ) from None
    return name if isinstance(name, str) else None


def chosen_adapter(settings: Settings) -> str | None:
    """Return the name of the adapter that the settings choose, None for the base model alone.

    Raises:
        UsageError: the registry cannot be read.
    """
    if settings.adapter == CURRENT:
        return current_adapter(settings.home)
    return None if settings.adapter == NONE else settings.adapter


def with_chosen_adapter(settings: Settings) -> Settings:
    """Return the settings with the adapter as the model to ask for, where no model is named.

    Raises:
        UsageError: the registry cannot be read.
    """
    if settings.llm_model is not None or settings.llm_kind not in NAMED_BY_MODEL:
        return settings
    return replace(settings, llm_model=chosen_adapter(settings))


def local_adapter(settings: Settings) -> Path | None:
    """Return the file of the adapter that the local model serves, None for the model alone.

    Raises:
        UsageError: the chosen adapter is not there in llama.cpp's form.
    """
    name = chosen_adapter(settings)
    if name is None:
        return None
    path = gguf_of(settings.home, name)
    if not path.is_file():
        raise UsageError(
            f"The adapter {name!r} is to write, but {path} is not there. "
            f"`polaris-admin adapters publish {name}` makes it; POLARIS_ADAPTER=none does without."
        )
    return path.resolve()
