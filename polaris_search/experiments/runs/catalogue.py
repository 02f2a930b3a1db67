"""The experiments there are: what each row of their tables searches with. Pure.

They are named by what they ask; the paper's tables that ask the same are in their help.
"""

from dataclasses import dataclass
from typing import Literal

from polaris_search.errors import UsageError
from polaris_search.profiles.model import BestFields, Profile, measured_profile_named

CUTOFFS = (5, 10, 20, 50, 100)
MEASURES = tuple(f"{name}@{k}" for name in ("nDCG", "R") for k in CUTOFFS)
"""The paper's (appendix A.5)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way to index and search.

    Attributes:
        name: stands in the table.
        profile: the search.
        expand: whether the names that are searched are expanded, by the lexical expander.
        describes: whether descriptions are indexed; such a row is there once for each of the given.
        system: whose descriptions alone, by their name; None: everybody's.
        against: the row that it is compared with; None: the first of the table.
    """

    name: str
    profile: Profile
    expand: Literal["lexical", "none"] = "lexical"
    describes: bool = False
    system: str | None = None
    against: str | None = None


@dataclass(frozen=True, slots=True)
class Experiment:
    """Some rows, and what they are to show."""

    name: str
    help: str
    rows: tuple[Row, ...]


def experiments() -> tuple[Experiment, ...]:
    """Return the experiments there are."""
    return (
        Experiment(
            "overall",
            "Names alone, descriptions alone (the paper's single field), all three fields "
            "(tables 2, 3, 23, 24).",
            _overall(),
        ),
        Experiment(
            "ablations",
            "What training and expanding names are worth, by the description alone (tables 9 to "
            "12): descriptions of the systems polaris, no-dpo, no-expansion and prompt-only.",
            _systems(
                ("polaris", "Polaris"),
                ("no-dpo", "without DPO"),
                ("no-expansion", "without expansion"),
                ("prompt-only", "prompt alone"),
                ("autoddg", "AutoDDG"),
            ),
        ),
        Experiment(
            "sensitivity",
            "What another model, beta, number of candidates or epochs change (tables 13 to 22): "
            "descriptions of the systems polaris, model, beta-0.5, k-5 and epochs-3.",
            _systems(
                ("polaris", "Polaris"),
                ("model", "another model"),
                ("beta-0.5", "beta 0.5"),
                ("k-5", "five candidates"),
                ("epochs-3", "three epochs"),
            ),
        ),
        Experiment(
            "fields",
            "What each field of the paper's multi-field search is worth (table 25).",
            _fields(),
        ),
        Experiment(
            "length",
            "How long descriptions are, and what they find alone (figure 6).",
            (Row("description alone", _profile("paper-single"), describes=True),),
        ),
        Experiment(
            "expansion",
            "What expanding names is worth, under both profiles, without a description.",
            (
                Row("paper, as given", _profile("paper"), "none"),
                Row("paper, expanded", _profile("paper")),
                Row("default, as given", _profile("default"), "none"),
                Row("default, expanded", _profile("default"), against="default, as given"),
            ),
        ),
        Experiment(
            "analysis",
            "The paper's analyzer beside that of its published code, in three fields and alone.",
            _analysis(),
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


def _overall() -> tuple[Row, ...]:
    single, multi = _profile("paper-single"), _profile("paper")
    return (
        Row("names as given", multi, "none"),
        Row("names expanded", multi),
        Row("description alone", single, describes=True),
        Row("three fields", multi, describes=True),
        Row("default profile", _profile("default"), describes=True),
    )


def _systems(*systems: tuple[str, str]) -> tuple[Row, ...]:
    single = _profile("paper-single")
    return tuple(Row(title, single, describes=True, system=name) for name, title in systems)


def _fields() -> tuple[Row, ...]:
    parts = {
        "without description": ("expansion", "context"),
        "without expansion": ("description", "context"),
        "without context": ("description", "expansion"),
    }
    whole = Row("three fields", _profile("paper"), describes=True)
    return (
        whole,
        *(
            Row(name, _best_of(*fields), describes=True, against=whole.name)
            for name, fields in parts.items()
        ),
    )


def _analysis() -> tuple[Row, ...]:
    return (
        Row("names, paper's analyzer", _profile("paper")),
        Row("names, code's analyzer", _profile("paper-reference")),
        Row("description, paper's analyzer", _profile("paper-single"), describes=True),
        Row(
            "description, code's analyzer",
            _profile("paper-single-reference"),
            describes=True,
            against="description, paper's analyzer",
        ),
        Row("three fields, paper's analyzer", _profile("paper"), describes=True),
        Row(
            "three fields, code's analyzer",
            _profile("paper-reference"),
            describes=True,
            against="three fields, paper's analyzer",
        ),
    )


def _profile(name: str) -> Profile:
    return measured_profile_named(name)


def _best_of(*paths: str) -> Profile:
    tie_breaker = 0.1  # the paper's, section 4
    name = "paper-" + "-".join(paths)
    return Profile(
        name, "A part of the paper's fields.", best_fields=BestFields(paths, tie_breaker)
    )
