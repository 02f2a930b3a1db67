"""What `polaris-admin doctor` says of the adapter: which is to write, and whether it is there."""

from typing import TYPE_CHECKING

from polaris_search.cli.check import Check
from polaris_search.errors import PolarisError

if TYPE_CHECKING:
    from polaris_search.settings import Settings


def adapter_check(settings: "Settings") -> Check:
    """Return which adapter the settings choose; whether a server has it is another check."""
    try:
        return Check("adapter", True, _chosen(settings))
    except PolarisError as error:
        return Check("adapter", False, str(error), error.exit_code)


def _chosen(settings: "Settings") -> str:
    from polaris_search.llm.promoted import (
        CURRENT,
        NAMED_BY_MODEL,
        chosen_adapter,
        local_adapter,
    )
    from trainer.adapters.registry import Registry

    named = settings.llm_kind in NAMED_BY_MODEL and settings.llm_model
    if named:
        return f"{named}, as POLARIS_LLM_MODEL names it; the registry is not asked"
    name = chosen_adapter(settings)
    if settings.llm_kind == "openai" and name is not None:
        return f"{name} is promoted, but a server of kind openai is not asked for adapters"
    if name is None:
        return "none; the base model writes"
    if settings.llm_kind == "local":
        local_adapter(settings)  # its file has to be there
    if settings.adapter != CURRENT:
        return f"{name}, as POLARIS_ADAPTER names it"
    since = Registry(settings.home).history()[-1].at
    return f"{name}, in use since {since:%Y-%m-%d %H:%M} UTC"
