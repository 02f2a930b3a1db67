"""The trainings that the tables compare: the paper's own settings, and one changed. Pure."""

from dataclasses import dataclass
from typing import Literal

from polaris_search.experiments.runs.recipes import RECIPES


@dataclass(frozen=True, slots=True)
class Training:
    """What an adapter is trained with; the defaults are the paper's (appendix A.4).

    Attributes:
        name: of the folder of its adapters.
        k: candidates of a gold table.
        beta: pull towards the reference model.
        epochs: passes over the pairs.
        model: the base model, or the other one that it is compared with.
    """

    name: str
    k: int = 3
    beta: float = 0.1
    epochs: int = 1
    model: Literal["base", "other"] = "base"

    @property
    def sample(self) -> str:
        """The name of the candidates that it learns from; trainings share them where they can."""
        return f"{self.model}-k{self.k}"


@dataclass(frozen=True, slots=True)
class Variation:
    """One row of a table: descriptions of a system, by a training's adapters or by none."""

    system: str
    training: Training | None
    expand: Literal["lexical", "none"]


PAPER = Training("polaris")
TRAININGS = {
    "polaris": PAPER,
    "model": Training("model", model="other"),
    "beta-0.5": Training("beta-0.5", beta=0.5),
    "k-5": Training("k-5", k=5),
    "epochs-3": Training("epochs-3", epochs=3),
}


def variation_of(system: str) -> Variation | None:
    """Return how a system's descriptions come about, None for one that is not made here."""
    if system in RECIPES:
        recipe = RECIPES[system]
        return Variation(system, PAPER if recipe.trained else None, recipe.expand)
    if system in TRAININGS:
        return Variation(system, TRAININGS[system], "lexical")
    return None
