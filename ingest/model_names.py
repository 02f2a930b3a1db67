"""Counts what came of asking a model about names, and says what a person should know of it."""

from collections.abc import Iterable, Iterator, Sequence

from ingest.report import ModelNames
from ingest.steps import ExpandOutcome


def counts_of_names(outcomes: Sequence[ExpandOutcome]) -> ModelNames:
    """Return the counts of all outcomes; what a failed one took is counted too."""
    made = [outcome for outcome in outcomes if outcome.expansion is not None]
    return ModelNames(
        tables=len(made),
        failed=len(outcomes) - len(made),
        asked=sum(outcome.asked for outcome in made),
        sure=sum(outcome.sure for outcome in made),
        calls=sum(outcome.calls for outcome in outcomes),
        saved_calls=sum(outcome.saved_calls for outcome in made),
        prompt_tokens=sum(outcome.prompt_tokens for outcome in outcomes),
        completion_tokens=sum(outcome.completion_tokens for outcome in outcomes),
    )


def notices_of_names(outcomes: Iterable[ExpandOutcome]) -> Iterator[str]:
    """Yield the sentences on each outcome, why a failed one failed among them."""
    for outcome in outcomes:
        yield from outcome.notices
        if outcome.expansion is None:
            yield f"The names stay as they were: {outcome.reason}"
