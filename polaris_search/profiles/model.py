"""A query profile as typed clauses, read from mappings/profiles/*.json.

Clauses are data: a profile that uses more of the same kinds needs no code. Both stores execute the
plan that `polaris_search.profiles.plan` makes of a profile and a query; neither knows a profile by
name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import mappings
from polaris_search.errors import ProfileUnknown, UsageError
from polaris_search.text.query import TermsKind, terms_kind


@dataclass(frozen=True, slots=True)
class BestFields:
    """The best of several fields plus `tie_breaker` times the others.

    Each field analyses the text its own way.
    """

    fields: tuple[str, ...]
    tie_breaker: float


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """BM25 summed over the query's terms of one kind in one field, times `boost`.

    The boost is never exactly 1: the server sums such a clause in another order, which changes the
    last bits of a score.
    """

    field: str
    terms: TermsKind
    boost: float


@dataclass(frozen=True, slots=True)
class ExactName:
    """A fixed score where the whole query, as one term, stands in the field."""

    field: str
    score: float


Clause = MatchTerms | ExactName


@dataclass(frozen=True, slots=True)
class Profile:
    """One way to search. Either `best_fields` is set, or `should` holds at least one clause.

    `only_stop_words` takes the place of `should` for a query that holds nothing but stop words.
    """

    name: str
    help: str
    best_fields: BestFields | None = None
    should: tuple[Clause, ...] = ()
    only_stop_words: tuple[Clause, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """Every field the profile reads, each once, in order of first use."""
        named = list(self.best_fields.fields) if self.best_fields else []
        named += [clause.field for clause in self.should + self.only_stop_words]
        return tuple(dict.fromkeys(named))


@cache
def shipped_profiles() -> Mapping[str, Profile]:
    """Return the profiles that come with the product, by name."""
    return {document["name"]: profile_from_json(document) for document in mappings.profiles()}


def profile_named(name: str) -> Profile:
    """Return the shipped profile of this name.

    Raises:
        ProfileUnknown: no profile has it.
        UsageError: it reads what live tables do not have.
    """
    profiles = shipped_profiles()
    if name in comparison_profiles():
        raise UsageError(
            f"The profile {name!r} is for comparisons: evaluate, pairs and experiment alone make "
            f"what it reads. Choose one of: {', '.join(sorted(profiles))}."
        )
    if name not in profiles:
        raise ProfileUnknown(name, sorted(profiles))
    return profiles[name]


@cache
def comparison_profiles() -> Mapping[str, Profile]:
    """Return the profiles whose fields only scratch generations have, by name."""
    documents = mappings.comparisons()["profiles"]
    return {document["name"]: profile_from_json(document) for document in documents}


def measured_profile_named(name: str) -> Profile:
    """Return the profile of this name for a scratch generation: a shipped one or a comparison's.

    Raises:
        ProfileUnknown: no profile has it.
    """
    profiles = {**shipped_profiles(), **comparison_profiles()}
    if name not in profiles:
        raise ProfileUnknown(name, sorted(profiles))
    return profiles[name]


def profile_from_json(document: Mapping[str, Any]) -> Profile:
    """Return the profile that a JSON object describes."""
    best = document.get("best_fields")
    return Profile(
        name=document["name"],
        help=document["help"],
        best_fields=BestFields(tuple(best["fields"]), best["tie_breaker"]) if best else None,
        should=tuple(_clause(clause) for clause in document.get("should", ())),
        only_stop_words=tuple(_clause(clause) for clause in document.get("only_stop_words", ())),
    )


def _clause(document: Mapping[str, Any]) -> Clause:
    ((kind, values),) = document.items()
    if kind == "exact":
        return ExactName(values["field"], values["score"])
    if kind == "match":
        if values["boost"] == 1:
            raise ValueError(
                f"The clause on {values['field']} has a boost of exactly 1; use 0.99 or 1.01."
            )
        return MatchTerms(values["field"], terms_kind(values["terms"]), values["boost"])
    raise ValueError(f"A profile's clause is 'exact' or 'match', not {kind!r}.")
