"""`--expand` and `--describe`, and the steps that they choose."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

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
        UsageError: `llm` is asked for and no server is set.
    """
    if choice == "none":
        return None
    configured = settings.llm_url is not None or settings.llm_kind == "local"
    if choice == "auto" and not configured:
        return None
    from ingest.describe.opening import open_describer

    return open_describer(settings)
