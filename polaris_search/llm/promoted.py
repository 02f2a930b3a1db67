"""The adapter that descriptions are to be written with, as the registry under POLARIS_HOME says.

The registry belongs to the trainer; here only its one file is read that names the adapter in use.
`POLARIS_ADAPTER` may name another one of its adapters, or none.
"""

from dataclasses import replace
from pathlib import Path

from polaris_search.errors import UsageError
from polaris_search.llm.promotions import current_of, read_history
from polaris_search.settings import Settings

ADAPTERS_FOLDER = "adapters"
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
        RegistryDamaged: the registry's file cannot be read.
    """
    return current_of(read_history(adapters_folder(home)))


def chosen_adapter(settings: Settings) -> str | None:
    """Return the name of the adapter that the settings choose, None for the base model alone.

    Raises:
        RegistryDamaged: the registry cannot be read.
    """
    if settings.adapter == CURRENT:
        return current_adapter(settings.home)
    return None if settings.adapter == NONE else settings.adapter


def with_chosen_adapter(settings: Settings) -> Settings:
    """Return the settings with the adapter as the model to ask for, where no model is named.

    Raises:
        RegistryDamaged: the registry cannot be read.
    """
    if settings.llm_model is not None or settings.llm_kind not in NAMED_BY_MODEL:
        return settings
    return replace(settings, llm_model=chosen_adapter(settings))


def local_adapter(settings: Settings) -> Path | None:
    """Return the file of the adapter that the local model serves, None for the model alone.

    Raises:
        AdapterAbsent: the chosen adapter is not there, or not in llama.cpp's form.
        RegistryDamaged: the registry cannot be read.
    """
    name = chosen_adapter(settings)
    if name is None:
        return None
    path = gguf_of(settings.home, name)
    if not path.is_file():
        raise AdapterAbsent(settings, name, path)
    return path.resolve()


class AdapterAbsent(UsageError):
    """The adapter that is to write has no file that the local model can read."""

    def __init__(self, settings: Settings, name: str, path: Path) -> None:
        if path.parent.is_dir():
            missing = f"{path} is not there. `polaris-admin adapters publish {name}` makes it"
        else:
            missing = (
                f"{adapters_folder(settings.home)} has no such adapter. "
                "`polaris-admin adapters list` shows those that it has"
            )
        super().__init__(
            f"The adapter {name!r} is to write, but {missing}; POLARIS_ADAPTER=none does without."
        )
