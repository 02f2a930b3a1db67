"""The promise that both ways of asking keep: write the words of each token, or choose a reading."""

from collections.abc import Sequence
from typing import Protocol

from ingest.expand.name_reading import Words
from ingest.expand_llm.asked_name import AskedName
from polaris_search.llm.model import ChatMessage
from polaris_search.setting_table import LlmNames


class Design(Protocol):
    """How a name is put to a model, and how the answer about it is read."""

    @property
    def name(self) -> LlmNames:
        """What settings and reports call it."""

    @property
    def fixed_part(self) -> tuple[ChatMessage, ...]:
        """The messages that every prompt begins with."""

    def pattern(self, names: Sequence[AskedName]) -> str:
        """Return the regular expression that an answer about any of the names obeys, from ^ to $.

        Few requests differ in it: servers keep what they make of a schema.
        """

    def can_ask(self, name: AskedName) -> bool:
        """Return whether there is a question in the name, and one of bounded size."""

    def line(self, name: AskedName) -> str:
        """Return the name as the prompt shows it, one line that holds nothing but words."""

    def answer_tokens(self, name: AskedName) -> int:
        """Return the room that an answer about the name needs, in tokens."""

    def words(self, name: AskedName, answer: str) -> Words | None:
        """Return the whole name's words by an answer, None where it cannot be used."""
