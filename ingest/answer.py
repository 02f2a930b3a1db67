"""What the second pass wants to know of a table, whom it asks, and what they said. Values only."""

from dataclasses import dataclass

from ingest.steps import DescribeOutcome, Describer, ExpandOutcome, ModelExpander
from polaris_search.llm.model import ChatModel
from polaris_search.records import EnrichedTable


@dataclass(frozen=True, slots=True)
class Models:
    """Who is asked: about names, and for descriptions; None where nobody is.

    `chat_model` is the one that both ask, where they do: it counts what it takes.
    """

    expander: ModelExpander | None = None
    describer: Describer | None = None
    chat_model: ChatModel | None = None

    async def close(self) -> None:
        """Close both."""
        for model in (self.expander, self.describer):
            if model is not None:
                await model.close()


@dataclass(frozen=True, slots=True)
class Wanted:
    """A stored table, and what of it a model is asked for.

    A description is asked for besides where new names are not those that the old one fits.
    """

    table: EnrichedTable
    names: bool
    description: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The table as it was asked about, and what came of it; None for what was not asked."""

    table: EnrichedTable
    names: ExpandOutcome | None = None
    description: DescribeOutcome | None = None
