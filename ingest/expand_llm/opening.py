"""The models that the settings name, for names and for descriptions: one chat model for both.

One, because a server's limits, its troubles and a local server's memory are the same for both.
"""

from ingest.answer import Models
from ingest.describe.describer import LlmDescriber
from ingest.describe.opening import describe_settings, slot_tokens
from ingest.expand.lexical import LexicalExpander
from ingest.expand_llm.choice import ClosedChoice
from ingest.expand_llm.design import Design
from ingest.expand_llm.expander import LlmExpander
from ingest.expand_llm.free import FreeWriting
from ingest.expand_llm.settings import ExpandSettings
from polaris_search.llm.opening import Opening, open_chat_model
from polaris_search.settings import Settings

SLOT_TOKENS = 2048
"""Context that a local model needs for ten names and their answers, the fixed part included."""


def open_models(
    settings: Settings,
    lexical: LexicalExpander | None,
    sure_from: float | None,
    *,
    describes: bool,
    opening: Opening = open_chat_model,
) -> Models:
    """Return who is to be asked; nobody where no model is set.

    Args:
        settings: name the model.
        lexical: what a model's readings of names start from; None: no names are asked about.
        sure_from: readings that confident are left as they are; None: none are.
        describes: whether tables are described.
        opening: opens the chat model.

    Raises:
        UsageError: a part of the local model is missing, or the server serves no such model.
        ServiceUnreachable: the server does not answer.
    """
    lengths = describe_settings(settings)
    needed = [slot_tokens(lengths)] if describes else []
    needed += [SLOT_TOKENS] if lexical else []
    chat_model = opening(settings, slot_tokens=max(needed)) if needed else None
    if chat_model is None:
        return Models()
    expander = None
    if lexical:
        asked = ExpandSettings(sure_from)
        expander = LlmExpander(chat_model, lexical, design_for(settings), asked)
    describer = LlmDescriber(chat_model, lengths) if describes else None
    return Models(expander, describer, chat_model)


def design_for(settings: Settings) -> Design:
    """Return how the model of the settings is asked about names."""
    chosen = settings.llm_names or ("choice" if is_small(settings) else "free")
    return ClosedChoice() if chosen == "choice" else FreeWriting()


def is_small(settings: Settings) -> bool:
    """Return whether the model is the demo's, which knows too little to write names."""
    return settings.llm_kind == "local" and settings.local_model is None
