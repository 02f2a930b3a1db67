"""What one query asks under one profile: terms, fields and boosts, ready for either store. Pure."""

from dataclasses import dataclass

from polaris_search.profiles.model import BestFields, Clause, ExactName, Profile
from polaris_search.text.query import cut_query, exact_term, holds_only_stop_words, query_terms

MAX_TERMS_PER_CLAUSE = 512
"""Keeps the largest plan (eight clauses) below the clause limit of a server with a small heap."""


@dataclass(frozen=True, slots=True)
class TermsClause:
    """Terms to find in a field; a term that stands twice counts twice."""

    field: str
    terms: tuple[str, ...]
    boost: float


@dataclass(frozen=True, slots=True)
class ExactClause:
    """One term that gives a fixed score where it stands in the field."""

    field: str
    term: str
    score: float


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """One query under one profile. `text` is what is searched, cut where it was too long.

    `best_fields` is set for a best-of-fields profile; else `should` holds the clauses that have
    terms, perhaps none.
    """

    profile: str
    text: str
    best_fields: BestFields | None = None
    should: tuple[TermsClause | ExactClause, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def asks_nothing(self) -> bool:
        """Whether no table can match, so that no store need be asked."""
        return not self.text.strip() if self.best_fields else not self.should


def plan_query(profile: Profile, text: str) -> QueryPlan:
    """Return what `text` asks under `profile`."""
    # Half a surrogate pair, left by an undecodable argument, is no text a store could be asked.
    text, notices = cut_query(text.encode("utf-8", "replace").decode())
    if profile.best_fields:
        return QueryPlan(profile.name, text, best_fields=profile.best_fields, notices=notices)
    clauses = profile.should
    if holds_only_stop_words(text):
        clauses = profile.only_stop_words
        if text.strip():
            notices += (
                "The query holds only common words; names and columns alone were searched.",
            )
    planned = (_planned(clause, text) for clause in clauses)
    return QueryPlan(
        profile.name, text, should=tuple(clause for clause in planned if clause), notices=notices
    )


def _planned(clause: Clause, text: str) -> TermsClause | ExactClause | None:
    if isinstance(clause, ExactName):
        term = exact_term(text)
        return ExactClause(clause.field, term, clause.score) if term else None
    terms = query_terms(clause.terms, text)[:MAX_TERMS_PER_CLAUSE]
    return TermsClause(clause.field, tuple(terms), clause.boost) if terms else None
