"""The describer that the settings name: a chat model, and lengths that suit it."""

from dataclasses import replace

from ingest.describe.budget import ROOM_AFTER_CUT
from ingest.describe.describer import DescribeSettings, LlmDescriber
from ingest.describe.prompt import fixed_tokens
from polaris_search.llm.opening import open_chat_model
from polaris_search.settings import Settings

SMALL_MODEL = DescribeSettings(max_tokens=160, tokens_a_word=3.6, table_tokens=160)
"""The demo's model writes nothing better with more room, and made-up words of many tokens."""


def open_describer(settings: Settings) -> LlmDescriber | None:
    """Return the describer, None where no model is set.

    Raises:
        UsageError: a part of the local model is missing, or the server serves no such model.
        ServiceUnreachable: the server does not answer.
    """
    lengths = describe_settings(settings)
    chat_model = open_chat_model(settings, slot_tokens=slot_tokens(lengths))
    return LlmDescriber(chat_model, lengths) if chat_model else None


def slot_tokens(lengths: DescribeSettings) -> int:
    """Return the context that a local model needs for one description, asked for again after a cut.

    It is what the budget then shares out, so that no table is shown shorter than these lengths say.
    """
    return fixed_tokens() + lengths.table_tokens + ROOM_AFTER_CUT * lengths.max_tokens


def describe_settings(settings: Settings) -> DescribeSettings:
    """Return the lengths of table and description that suit the model of the settings."""
    if settings.llm_kind == "local" and settings.local_model is None:
        return replace(SMALL_MODEL, max_tokens=min(settings.llm_max_tokens, SMALL_MODEL.max_tokens))
    return DescribeSettings(max_tokens=settings.llm_max_tokens)
