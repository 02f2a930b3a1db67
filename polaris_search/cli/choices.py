"""`--expand` and `--describe`, and the steps that they choose."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from polaris_search.cli.output import tell
from polaris_search.errors import UsageError

if TYPE_CHECKING:
    from ingest.answer import Models
    from ingest.expand.lexical import LexicalExpander
    from ingest.steps import Describer, Expander
    from polaris_search.llm.model import ChatModel
    from polaris_search.settings import Settings

Expand = Literal["auto", "lexical", "llm", "none"]
Describe = Literal["auto", "llm", "none"]

ExpandOption = Annotated[
    Expand,
    typer.Option(
        help="Expand names: lexical needs no model; llm asks one about all names, auto about those "
        "it is not sure of, if one is set."
    ),
]
DescribeOption = Annotated[
    Describe, typer.Option(help="Describe tables by the model server; auto: if one is set.")
]

SET_A_MODEL = (
    "Set POLARIS_LLM_URL to a chat server, or POLARIS_LLM_KIND=local for the small local one."
)


@dataclass(frozen=True, slots=True)
class Steps:
    """What the two options chose.

    Attributes:
        expander: expands names at once.
        models: who is asked about names and for descriptions.
        keeps_models: whether names that a model has read stay where none is asked.
    """

    expander: "Expander"
    models: "Models"
    keeps_models: bool


def chosen_steps(
    expand: Expand, describe: Describe, settings: "Settings", *, dry_run: bool = False
) -> Steps:
    """Return the steps that the options name, with the model opened that they need.

    In a dry run that is one that is asked nothing, whose server need not be there.

    Raises:
        PolarisError: the glossary cannot be read.
        UsageError: a model is asked for and none is set, or a part of the local one is missing.
        ServiceUnreachable: the model's server does not answer.
    """
    from ingest.answer import Models
    from ingest.steps import NoExpander

    lexical = None if expand == "none" else _lexical(settings)
    keeps_models = expand in ("auto", "llm")
    if not keeps_models and describe == "none":
        return Steps(lexical or NoExpander(), Models(), keeps_models)
    from ingest.expand_llm.opening import open_models
    from ingest.expand_llm.settings import SURE_FROM
    from polaris_search.llm.opening import open_chat_model

    models = open_models(
        settings,
        lexical if keeps_models else None,
        SURE_FROM if expand == "auto" else None,
        describes=describe != "none",
        opening=_open_unasked if dry_run else open_chat_model,
    )
    if expand == "llm" and models.expander is None:
        raise UsageError(f"--expand llm needs a model. {SET_A_MODEL}")
    if describe == "llm" and models.describer is None:
        raise UsageError(f"--describe llm needs a model. {SET_A_MODEL}")
    return Steps(lexical or NoExpander(), models, keeps_models)


def steps_without_model(expand: Expand, settings: "Settings") -> Steps:
    """Return the steps that the option names where no model can be asked.

    Raises:
        PolarisError: the glossary cannot be read.
    """
    from ingest.answer import Models

    return Steps(chosen_expander(expand, settings), Models(), expand in ("auto", "llm"))


def chosen_expander(choice: Expand, settings: "Settings") -> "Expander":
    """Return who expands names at once.

    Raises:
        PolarisError: the glossary cannot be read.
    """
    from ingest.steps import NoExpander

    return NoExpander() if choice == "none" else _lexical(settings)


def chosen_describer(choice: Describe, settings: "Settings") -> "Describer | None":
    """Return the describer that `--describe` names; None describes nothing.

    Raises:
        UsageError: `llm` is asked for and no model is set, or a part of the local one is missing.
        ServiceUnreachable: the server does not answer.
    """
    return chosen_steps("none", choice, settings).models.describer


def _open_unasked(settings: "Settings", *, slot_tokens: int) -> "ChatModel | None":
    from polaris_search.llm.unasked import unasked_chat_model

    chat_model, away = unasked_chat_model(settings, slot_tokens=slot_tokens)
    if away:
        tell(f"{away} Which descriptions are there already is not known: all tables are counted.")
    return chat_model


def _lexical(settings: "Settings") -> "LexicalExpander":
    from ingest.expand.glossary import read_glossary
    from ingest.expand.lexical import LexicalExpander

    return LexicalExpander(read_glossary(settings.glossary) if settings.glossary else None)
