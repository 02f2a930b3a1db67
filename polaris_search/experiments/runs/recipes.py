"""How the paper's variants of descriptions come about: which names the model sees, which adapter.

A variant that needs another training (another beta, more candidates) is written like `polaris`,
with the adapter of that training.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a variant's descriptions are written.

    Attributes:
        system: the variant's name.
        trained: whether an adapter writes; else the base model.
        expand: whether the model sees names expanded.
    """

    system: str
    trained: bool
    expand: Literal["lexical", "none"]


RECIPES = {
    one.system: one
    for one in (
        Recipe("polaris", trained=True, expand="lexical"),
        Recipe("no-dpo", trained=False, expand="lexical"),
        Recipe("no-expansion", trained=True, expand="none"),
        Recipe("prompt-only", trained=False, expand="none"),
    )
}
