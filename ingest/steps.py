"""What the pipeline asks of its steps: expand a table's names, describe a table, hear progress.

These are contracts only. The pipeline is handed the steps and knows neither a dictionary nor a
model; the steps know neither a store nor each other.
"""

from dataclasses import dataclass
from typing import Protocol

from polaris_search.records import Description, Expansion, RawTable


class Expander(Protocol):
    """Turns a table's names into English."""

    @property
    def name(self) -> str:
        """What the command line calls it: `lexical`, `llm`, `none`."""

    @property
    def version(self) -> str:
        """Changes whenever a table could be expanded differently: code, dictionary, glossary."""

    def expand(self, table: RawTable) -> Expansion | None:
        """Return the English of the names, columns parallel to the table's, or None."""


@dataclass(frozen=True, slots=True)
class DescribeOutcome:
    """What asking for one description gave: `description`, or the `reason` why there is none.

    The token counts are those of every attempt together, 0 where the server did not say. `notices`
    are sentences on a description that is there: what the model was not shown, what is weak.
    """

    description: Description | None
    reason: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    notices: tuple[str, ...] = ()


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
