"""Every setting in one table: name, default, unit, help.

A setting comes from the environment (`POLARIS_*`), else from a TOML file (`polaris.toml` in the
working folder, or the file that POLARIS_CONFIG names), else it has its default. Settings are read
once, at the entry point, and handed down.
"""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from polaris_search.errors import SettingInvalid, UsageError

LlmKind = Literal["tgi", "vllm", "llamacpp", "openai", "local"]
LLM_KINDS: tuple[LlmKind, ...] = ("tgi", "vllm", "llamacpp", "openai", "local")
PREFIX = "POLARIS_"
CONFIG_FILE = "polaris.toml"

_FOLDER_HERE = re.compile(r"file:(?!//)|file://(localhost)?/", re.IGNORECASE)
"""An address without credentials: an '@' in it belongs to a folder's name."""


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


def _optional(text: str) -> str | None:
    return text or None


def _key(text: str) -> str | None:
    """Return a key as a header can carry it; the line end of a file it was read from is dropped."""
    key = text.strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError("a key holds a character that no header can carry")
    return key or None


def _optional_path(text: str) -> Path | None:
    return Path(text).expanduser() if text else None


def _positive_number(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError(text)
    return value


def _positive_integer(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _llm_kind(text: str) -> LlmKind:
    for kind in LLM_KINDS:
        if text == kind:
            return kind
    raise ValueError(text)


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
        _key,
        "a key of printable ASCII characters",
        secret=True,
    ),
    Setting(
        "es_ca_certs",
        "",
        "path",
        "CA certificate that Elasticsearch's is signed by.",
        _optional_path,
        "a path",
    ),
    Setting(
        "es_timeout_s",
        "30",
        "s",
        "Longest wait for one answer of Elasticsearch.",
        _positive_number,
        "a number of seconds above 0",
    ),
    Setting(
        "es_connections",
        "2",
        "requests",
        "Write requests to Elasticsearch at a time.",
        _positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "es_shards",
        "1",
        "shards",
        "Shards of a new index in Elasticsearch; scores are exact with 1.",
        _positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "home",
        "./polaris-data",
        "path",
        "Folder for files that are not in the store: runs, dead letters, caches.",
        lambda text: Path(text).expanduser(),
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
        "Chat server that writes descriptions; empty: none.",
        lambda text: text.strip() or None,
        "an http(s) address",
    ),
    Setting(
        "llm_kind",
        "openai",
        "",
        "What serves it: tgi, vllm, llamacpp, openai or local.",
        _llm_kind,
        "one of " + ", ".join(LLM_KINDS),
    ),
    Setting(
        "llm_model",
        "",
        "",
        "Model or adapter name to ask for; empty: the server's own.",
        _optional,
        "a name",
    ),
    Setting(
        "llm_api_key",
        "",
        "",
        "Key for the chat server.",
        _key,
        "a key of printable ASCII characters",
        secret=True,
    ),
    Setting(
        "llm_timeout_s",
        "120",
        "s",
        "Longest wait for one reply of the chat server.",
        _positive_number,
        "a number of seconds above 0",
    ),
    Setting(
        "llm_concurrency",
        "4",
        "requests",
        "Requests to the chat server at a time.",
        _positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "llm_max_tokens",
        "700",
        "tokens",
        "Longest description asked for.",
        _positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "local_model",
        "",
        "path",
        "GGUF file that the local kind serves; empty: the small model of the demo.",
        _optional_path,
        "a path",
    ),
    Setting(
        "local_threads",
        "1",
        "threads",
        "Threads of the local model; 1 is fastest on a busy machine.",
        _positive_integer,
        "a whole number above 0",
    ),
    Setting(
        "glossary",
        "",
        "path",
        "CSV of an organisation's own abbreviations (short,long); it always wins.",
        _optional_path,
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
    llm_concurrency: int
    llm_max_tokens: int
    local_model: Path | None
    local_threads: int
    glossary: Path | None


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


def without_credentials(url: str) -> str:
    """Return the URL fit to be shown: "(set)" for all up to its last '@'.

    A password may hold any character, an '@' among them.
    """
    before, at, host = url.rpartition("@")
    if not at or _FOLDER_HERE.match(url):
        return url
    scheme, separator, _ = before.partition("://")
    return f"{scheme}://(set)@{host}" if separator and scheme.isalnum() else f"(set)@{host}"


def _origin(setting: Setting, value: str, origin: str) -> Origin:
    return Origin(setting, _shown(setting, value), origin)


def _shown(setting: Setting, value: str) -> str:
    if setting.secret and value.strip():
        return "(set)"
    if setting.unit == "URL" or "://" in value:
        return without_credentials(value.strip())
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
