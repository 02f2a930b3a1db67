"""Every setting in one table: name, default, unit, help.

A setting comes from the environment (`POLARIS_*`), else from a TOML file (`polaris.toml` in the
working folder, or the file that POLARIS_CONFIG names), else it has its default. Settings are read
once, at the entry point, and handed down.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from polaris_search import setting_values
from polaris_search.addresses import shown_addresses
from polaris_search.errors import SettingInvalid, UsageError

LlmKind = Literal["tgi", "vllm", "llamacpp", "openai", "local"]
LlmNames = Literal["free", "choice"]
LLM_NAMES: tuple[LlmNames, ...] = ("free", "choice")
LLM_KINDS: tuple[LlmKind, ...] = ("tgi", "vllm", "llamacpp", "openai", "local")
PREFIX = "POLARIS_"
CONFIG_FILE = "polaris.toml"


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the settings table.

    `parse` returns the value or raises ValueError; `expected` says what it wants.
    """

    key: str
    default: str
    unit: str
    help: str
    parse: Callable[[str], Any]
    expected: str
    secret: bool = False

    @property
    def name(self) -> str:
        """The name of its environment variable."""
        return PREFIX + self.key.upper()


SETTINGS = (
    Setting(
        "store",
        "file:./polaris-data",
        "URL",
        "Where tables live: file:FOLDER, or https://user:password@host:9200.",
        str.strip,
        "file:FOLDER or an http(s) address",
    ),
    Setting(
        "es_api_key",
        "",
        "",
        "API key for Elasticsearch, encoded form.",
        setting_values.key,
        "a key of printable ASCII characters",
        secret=True,
    ),
    Setting(
        "es_ca_certs",
        "",
        "path",
        "CA certificate that Elasticsearch's is signed by.",
        setting_values.optional_path,
        "a path",
    ),
    Setting(
        "es_timeout_s",
        "30",
        "s",
        "Longest wait for one answer of Elasticsearch.",
        setting_values.positive_number,
        "a number of seconds above 0",
    ),
    Setting(
        "es_connections",
        "2",
        "requests",
        "Write requests to Elasticsearch at a time.",
        setting_values.positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "es_shards",
        "1",
        "shards",
        "Shards of a new index in Elasticsearch; scores are exact with 1.",
        setting_values.positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "home",
        "./polaris-data",
        "path",
        "Folder for files that are not in the store: runs, dead letters, caches.",
        setting_values.path,
        "a folder",
    ),
    Setting(
        "profile",
        "default",
        "",
        "Query profile that a search uses unless it names one.",
        str,
        "a profile's name",
    ),
    Setting(
        "llm_url",
        "",
        "URL",
        "Chat server that reads names and writes descriptions, or several, separated by commas; "
        "empty: none.",
        lambda text: text.strip() or None,
        "http(s) addresses",
    ),
    Setting(
        "llm_kind",
        "openai",
        "",
        "What serves it: tgi, vllm, llamacpp, openai or local.",
        setting_values.one_of(LLM_KINDS),
        "one of " + ", ".join(LLM_KINDS),
    ),
    Setting(
        "llm_model",
        "",
        "",
        "Model or adapter name to ask for; empty: the server's own.",
        setting_values.optional,
        "a name",
    ),
    Setting(
        "llm_api_key",
        "",
        "",
        "Key for the chat server.",
        setting_values.key,
        "a key of printable ASCII characters",
        secret=True,
    ),
    Setting(
        "llm_timeout_s",
        "120",
        "s",
        "Longest wait for one reply of the chat server.",
        setting_values.positive_number,
        "a number of seconds above 0",
    ),
    Setting(
        "llm_deadline_s",
        "",
        "s",
        "Longest time for one request with all its retries; empty: two timeouts and 30 s.",
        setting_values.optional_number,
        "a number of seconds above 0, or nothing",
    ),
    Setting(
        "llm_concurrency",
        "32",
        "requests",
        "Most requests to the chat servers at a time; how many fewer is found out.",
        setting_values.positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "llm_max_tokens",
        "700",
        "tokens",
        "Longest description asked for.",
        setting_values.positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "llm_names",
        "",
        "",
        "How a model reads names: free (it writes words) or choice (it picks one of the lexical "
        "readings); empty: choice for the small local model, free for others.",
        lambda text: setting_values.one_of(LLM_NAMES)(text) if text else None,
        "free, choice or nothing",
    ),
    Setting(
        "local_model",
        "",
        "path",
        "GGUF file that the local kind serves; empty: the small model of the demo.",
        setting_values.optional_path,
        "a path",
    ),
    Setting(
        "local_slots",
        "4",
        "requests",
        "Requests that the local model works on at a time.",
        setting_values.positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "local_threads",
        "1",
        "threads",
        "Threads of the local model; 1 is fastest on a busy machine.",
        setting_values.positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "glossary",
        "",
        "path",
        "CSV of an organisation's own abbreviations (short,long); it always wins.",
        setting_values.optional_path,
        "a path",
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force; see SETTINGS for what each one means."""

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
