"""Every setting in one table: name, default, unit, help. `settings` finds the values.

A new setting is a row here and a field of `Settings`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from polaris_search import setting_values

LlmKind = Literal["tgi", "vllm", "llamacpp", "openai", "local"]
LlmNames = Literal["free", "choice"]
LLM_NAMES: tuple[LlmNames, ...] = ("free", "choice")
LLM_KINDS: tuple[LlmKind, ...] = ("tgi", "vllm", "llamacpp", "openai", "local")
PREFIX = "POLARIS_"


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
        "adapter",
        "current",
        "",
        "Adapter that writes where no model is named: current (the promoted one), none, or a name.",
        setting_values.adapter,
        "current, none or an adapter's name",
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
