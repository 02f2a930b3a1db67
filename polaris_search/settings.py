"""The settings in force, and where each value came from.

A setting comes from the environment (`POLARIS_*`), else from a TOML file (`polaris.toml` in the
working folder, or the file that POLARIS_CONFIG names), else it has its default. Settings are read
once, at the entry point, and handed down.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polaris_search.addresses import shown_addresses
from polaris_search.errors import SettingInvalid, UsageError
from polaris_search.setting_table import PREFIX, SETTINGS, LlmKind, LlmNames, Setting

CONFIG_FILE = "polaris.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force; see `setting_table` for what each one means."""

    store: str
    es_api_key: str | None
    es_ca_certs: Path | None
    es_timeout_s: float
    es_connections: int
    es_shards: int
    home: Path
    profile: str
    llm_url: str | None
    llm_kind: LlmKind
    llm_model: str | None
    llm_api_key: str | None
    llm_timeout_s: float
    llm_deadline_s: float | None
    llm_concurrency: int
    llm_max_tokens: int
    llm_names: LlmNames | None
    adapter: str
    local_model: Path | None
    local_slots: int
    local_threads: int
    glossary: Path | None

    @property
    def tables_at_a_time(self) -> int:
        """Tables that a model is asked about at a time.

        More than requests, which the chat model itself limits: a table that waits for a retry, or
        is between two requests, so leaves no room at a server unused.
        """
        return 2 * self.llm_concurrency


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one setting's value came from, fit to be shown: of a secret only that it is set."""

    setting: Setting
    shown: str
    origin: str


def read_settings(
    environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Settings:
    """Return the settings in force.

    Raises:
        SettingInvalid: a value that its setting cannot have.
        UsageError: a TOML file that cannot be read, or a name in it that is no setting.
    """
    found = _sources(environment, folder)
    return Settings(**{setting.key: _parsed(setting, *found[setting.key]) for setting in SETTINGS})


def environment_with(settings: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment with these settings besides, for a command it starts."""
    return {**os.environ, **settings}


def setting_origins(
    environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> list[Origin]:
    """Return each setting's value and origin, in table order, without any part of a secret."""
    found = _sources(environment, folder)
    return [_origin(setting, *found[setting.key]) for setting in SETTINGS]


def _origin(setting: Setting, value: str, origin: str) -> Origin:
    return Origin(setting, _shown(setting, value), origin)


def _shown(setting: Setting, value: str) -> str:
    if setting.secret and value.strip():
        return "(set)"
    if setting.unit == "URL" or "://" in value:
        return shown_addresses(value)
    return value


def _parsed(setting: Setting, value: str, origin: str) -> Any:  # the dataclass gives the type back
    try:
        return setting.parse(value)
    except ValueError:
        shown = _shown(setting, value)
        raise SettingInvalid(setting.name, shown, setting.expected, origin) from None


def _sources(
    environment: Mapping[str, str] | None, folder: Path | None
) -> dict[str, tuple[str, str]]:
    environment = os.environ if environment is None else environment
    path, values = _toml(environment, folder or Path())
    found = {}
    for setting in SETTINGS:
        if setting.name in environment:
            found[setting.key] = (environment[setting.name], "environment")
        elif setting.key in values:
            found[setting.key] = (values[setting.key], str(path))
        else:
            found[setting.key] = (setting.default, "default")
    return found


def _toml(environment: Mapping[str, str], folder: Path) -> tuple[Path, dict[str, str]]:
    named = environment.get(PREFIX + "CONFIG")
    path = Path(named).expanduser() if named else folder / CONFIG_FILE
    if not path.exists():
        if named:
            raise UsageError(
                f"POLARIS_CONFIG names {path}, which does not exist. Correct or unset it."
            )
        return path, {}
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}. Correct the file.") from None
    unknown = sorted(set(document) - {setting.key for setting in SETTINGS})
    if unknown:
        raise UsageError(
            f"{path} sets {', '.join(unknown)}, which Polaris does not know. "
            "`polaris-admin doctor` lists the settings."
        )
    return path, {key: str(value) for key, value in document.items()}
