"""The experiments there are: what each row of their tables searches with. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from polaris_search.errors import UsageError
from polaris_search.profiles.model import BestFields, Profile, profile_named

MEASURES = tuple(f"{name}@{k}" for name in ("nDCG", "R") for k in (5, 10, 20, 50, 100))
"""The paper's (appendix A.5)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way to index and search.

    Attributes:
        name: stands in the table.
        profile: the search.
        expand: whether names are expanded, by the lexical expander.
        describes: whether descriptions are indexed; such a row is there once for each of the given.
        against: the row that it is compared with; None: the first of the table.
    """

    name: str
    profile: Profile
    expand: Literal["lexical", "none"] = "lexical"
    describes: bool = False
    against: str | None = None


@dataclass(frozen=True, slots=True)
class Experiment:
    """Some rows, and what they are to show."""

    name: str
    help: str
    rows: tuple[Row, ...]


def experiments() -> tuple[Experiment, ...]:
    """Return the experiments there are."""
    single, multi, default = map(profile_named, ("paper-single", "paper", "default"))
    return (
        Experiment(
            "overall",
            "Names alone, descriptions alone (the paper's single field), all three fields.",
            (
                Row("names as given", multi, "none"),
                Row("names expanded", multi),
                Row("description alone", single, describes=True),
                Row("three fields", multi, describes=True),
                Row("default profile", default, describes=True),
            ),
        ),
        Experiment(
            "fields",
            "What each field of the paper's multi-field search is worth (appendix A.12).",
            (
                Row("three fields", multi, describes=True),
                Row("without description", _fields("expansion", "context"), describes=True),
                Row("without expansion", _fields("description", "context"), describes=True),
                Row("without context", _fields("description", "expansion"), describes=True),
            ),
        ),
        Experiment(
            "expansion",
            "What expanding names is worth, under both profiles, without a description.",
            (
                Row("paper, as given", multi, "none"),
                Row("paper, expanded", multi),
                Row("default, as given", default, "none"),
                Row("default, expanded", default, against="default, as given"),
            ),
        ),
    )


def experiment_named(name: str) -> Experiment:
    """Return the experiment of this name.

    Raises:
        UsageError: there is none.
    """
    known = {one.name: one for one in experiments()}
    if name not in known:
        raise UsageError(f"No experiment {name!r}. Choose one of: {', '.join(known)}.")
    return known[name]


def rows_for(experiment: Experiment, descriptions: Sequence[str]) -> list[tuple[Row, str | None]]:
    """Return the rows to run, those with descriptions once for each of these names.

    Raises:
        UsageError: no row is left but those that need descriptions, and none are given.
    """
    rows: list[tuple[Row, str | None]] = []
    for row in experiment.rows:
        rows += [(row, name) for name in descriptions] if row.describes else [(row, None)]
    if not rows:
        raise UsageError(
            f"The experiment {experiment.name!r} compares descriptions. "
            "Name some with --descriptions NAME=FILE."
        )
    return rows


def _fields(*paths: str) -> Profile:
    tie_breaker = 0.1  # the paper's, section 4
    name = "paper-" + "-".join(paths)
    return Profile(
        name, "A part of the paper's fields.", best_fields=BestFields(paths, tie_breaker)
    )
