"""`--expand` and `--describe`, and the steps that they choose."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from polaris_search.errors import UsageError

if TYPE_CHECKING:
    from ingest.steps import Describer, Expander
    from polaris_search.settings import Settings

Expand = Literal["auto", "lexical", "none"]
Describe = Literal["auto", "llm", "none"]

ExpandOption = Annotated[
    Expand, typer.Option(help="Expand names: lexical needs no model; auto is lexical today.")
]
DescribeOption = Annotated[
    Describe, typer.Option(help="Describe tables by the model server; auto: if one is set.")
]


def chosen_expander(choice: Expand, settings: "Settings") -> "Expander":
    """Return the expander that `--expand` names.

    Raises:
        PolarisError: the glossary cannot be read.
    """
    from ingest.steps import NoExpander

    if choice == "none":
        return NoExpander()
    from ingest.expand.glossary import read_glossary
    from ingest.expand.lexical import LexicalExpander

    return LexicalExpander(read_glossary(settings.glossary) if settings.glossary else None)


def chosen_describer(choice: Describe, settings: "Settings") -> "Describer | None":
    """Return the describer that `--describe` names; None describes nothing.

    Raises:
        UsageError: `llm` is asked for and no model is set, or a part of the local one is missing.
        ServiceUnreachable: the server does not answer.
    """
    if choice == "none":
        return None
    from ingest.describe.opening import open_describer

    describer = open_describer(settings)
    if describer is None and choice == "llm":
        raise UsageError(
            "--describe llm needs a model. Set POLARIS_LLM_URL to a chat server, "
            "or POLARIS_LLM_KIND=local for the small one."
        )
    return describer
