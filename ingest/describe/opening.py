"""The describer that the settings name: a chat model, and lengths that suit it."""

from dataclasses import replace

from ingest.describe.describer import ROOM_AFTER_CUT, DescribeSettings, LlmDescriber
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
    slot_tokens = fixed_tokens() + lengths.table_tokens + ROOM_AFTER_CUT * lengths.max_tokens
    chat_model = open_chat_model(settings, slot_tokens=slot_tokens)
    return LlmDescriber(chat_model, lengths) if chat_model else None


def describe_settings(settings: Settings) -> DescribeSettings:
    """Return the lengths of table and description that suit the model of the settings."""
    if settings.llm_kind == "local" and settings.local_model is None:
        return replace(SMALL_MODEL, max_tokens=min(settings.llm_max_tokens, SMALL_MODEL.max_tokens))
    return DescribeSettings(max_tokens=settings.llm_max_tokens)
