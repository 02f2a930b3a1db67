"""What the pipeline asks of its steps: expand names, at once or by a model, describe; hear how far.

These are contracts only. The pipeline is handed the steps and knows neither a dictionary nor a
model; the steps know neither a store nor each other.
"""

from dataclasses import dataclass
from typing import Protocol

from ingest.estimate import Estimate
from polaris_search.records import Description, Expansion, RawTable


class Expander(Protocol):
    """Turns a table's names into English."""

    @property
    def name(self) -> str:
        """What the command line calls it: `lexical`, `none`."""

    @property
    def version(self) -> str:
        """Changes whenever a table could be expanded differently: code, dictionary, glossary."""

    def expand(self, table: RawTable) -> Expansion | None:
        """Return the English of the names, columns parallel to the table's, or None."""


@dataclass(frozen=True, slots=True)
class ExpandOutcome:
    """What asking about one table's names gave: `expansion`, or the `reason` why there is none.

    Attributes:
        expansion: the English of all names, those that no model was asked about included.
        reason: why the model could not be asked, a sentence.
        asked: columns that the model was asked about.
        sure: columns left to the lexical reading.
        calls: requests that were answered.
        saved_calls: how many more it would have taken to ask about every name.
        prompt_tokens: of every attempt together, 0 where the server did not say.
        completion_tokens: the same of the replies.
        notices: sentences on an expansion that is there, such as names the model failed at.
    """

    expansion: Expansion | None
    reason: str | None = None
    asked: int = 0
    sure: int = 0
    calls: int = 0
    saved_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    notices: tuple[str, ...] = ()


class ModelExpander(Protocol):
    """Turns a table's names into English by asking a model, some time after it was stored.

    All its coroutines run in one event loop, several `expand` at a time; `close` is the last call.
    """

    @property
    def name(self) -> str:
        """What the command line calls it: `llm`, `auto`."""

    @property
    def version(self) -> str:
        """The version of the Expander it starts from, a dash, and what shapes its own readings."""

    async def expand(self, table: RawTable) -> ExpandOutcome:
        """Return the English of the table's names, or why the model could not be asked.

        A server that fails costs the model's readings only: the outcome's reason says so in a
        sentence, as does the message of a PolarisError, and the ingest goes on.
        """

    def estimate(self, table: RawTable) -> Estimate:
        """Return what `expand` would ask about the table; asks nothing."""

    async def close(self) -> None:
        """Let go of connections and servers."""


@dataclass(frozen=True, slots=True)
class Expanders:
    """Who expands names: `at_once` when a table is stored, `later` a model where there is one.

    `keeps_models`: what a model made of a table's names stays until a model makes it anew, though
    none may be asked now; only a change of the table, or of the expander at once, ends it.
    """

    at_once: Expander
    later: ModelExpander | None = None
    keeps_models: bool = False


@dataclass(frozen=True, slots=True)
class DescribeOutcome:
    """What asking for one description gave: `description`, or the `reason` why there is none.

    The token counts are those of every attempt together, 0 where the server did not say. `notices`
    are sentences on a description that is there: what the model was not shown, what is weak. `seed`
    and `temperature` are those of the reply that was kept.
    """

    description: Description | None
    reason: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    notices: tuple[str, ...] = ()
    seed: int | None = None
    temperature: float | None = None


class Describer(Protocol):
    """Writes the six-field description of a table.

    All its coroutines run in one event loop, several `describe` at a time. A client may thus be
    opened at the first call; `close` is the last call, in the same loop.
    """

    @property
    def version(self) -> str:
        """A hash over all that shapes a description but the table: model, prompt, decoding."""

    @property
    def model(self) -> str:
        """The model that writes, as its server names it."""

    @property
    def adapter(self) -> str | None:
        """The adapter on the model, None for the model alone."""

    @property
    def prompt_version(self) -> str:
        """The hash of the prompt."""

    async def describe(self, table: RawTable, expansion: Expansion | None) -> DescribeOutcome:
        """Return the table's description or why there is none.

        A server that fails or answers badly costs this description only: the outcome's reason says
        so in a sentence, as does the message of a PolarisError, and the ingest goes on.
        """

    def estimate(self, table: RawTable, expansion: Expansion | None) -> Estimate:
        """Return what `describe` would ask about the table; asks nothing."""

    async def close(self) -> None:
        """Let go of connections and servers."""


class Progress(Protocol):
    """Hears how far an ingest is. Called only from the thread that runs the ingest."""

    def read(self, seen: int, rejected: int) -> None:
        """So many tables were read so far, and so many rows could not be."""

    def describing(self, total: int) -> None:
        """The names of all tables are stored; so many descriptions will be asked for."""

    def described(self, described: int, failed: int) -> None:
        """So many descriptions were stored so far, and so many could not be had."""


class NoProgress:
    """A Progress that nobody watches."""

    def read(self, seen: int, rejected: int) -> None:
        """Ignore it."""

    def describing(self, total: int) -> None:
        """Ignore it."""

    def described(self, described: int, failed: int) -> None:
        """Ignore it."""


class NoExpander:
    """`--expand none`: names stay as given."""

    name = "none"
    version = "none"

    def expand(self, table: RawTable) -> Expansion | None:
        """Return None."""
        return None
