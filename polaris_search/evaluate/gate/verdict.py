"""The gate itself: what both sides wrote and how it is found comes in, a report goes out. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from polaris_search.evaluate.gate.description_findings import description_findings
from polaris_search.evaluate.gate.descriptions import Side, compare_descriptions
from polaris_search.evaluate.gate.report import GateReport
from polaris_search.evaluate.gate.retrieval import (
    Asked,
    Searched,
    anything_found,
    compare_groups,
    compare_means,
    enough_asked,
)
from polaris_search.evaluate.gate.thresholds import Thresholds

BASE = "base"
"""The name of the model without an adapter."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a verdict is spoken on.

    Attributes:
        candidate: the adapter's name.
        reference: the name of what it is compared with; BASE for the model alone.
        dataset: the data set's name.
        written: what both wrote, candidate first, of the same tables.
        searched: how both are found, profile by profile.
        asked: the held-out queries.
        notices: what was set aside.
        made_with: how it was done.
    """

    candidate: str
    reference: str
    dataset: str
    written: tuple[Side, Side]
    searched: Sequence[Searched]
    asked: Asked
    notices: tuple[str, ...] = ()
    made_with: Mapping[str, object] = field(default_factory=dict)


def gate_report(trial: Trial, limits: Thresholds) -> GateReport:
    """Return whether the candidate may take the reference's place, and why.

    Raises:
        NothingToCompare: there are no tables or no queries.
    """
    means = [pair for one in trial.searched for pair in compare_means(one, trial.asked, limits)]
    groups = [pair for one in trial.searched for pair in compare_groups(one, trial.asked, limits)]
    numbers = compare_descriptions(*trial.written, limits.confidence)
    of_texts = description_findings(numbers, limits, against_base=trial.reference == BASE)
    same = numbers.texts.same if numbers.texts else None
    return GateReport(
        candidate=trial.candidate,
        reference=trial.reference,
        dataset=trial.dataset,
        queries=len(trial.asked.tables),
        tables_asked=trial.asked.n_tables,
        corpus=len(trial.written[0]),
        retrieval=tuple(one for one, _ in chain(means, groups)),
        descriptions=numbers.rows,
        same=same,
        findings=(
            *enough_asked(trial.asked, limits),
            anything_found(trial.searched),
            *(finding for _, finding in chain(means, groups)),
            *of_texts,
        ),
        notices=(*trial.notices, *_no_change(same)),
        made_with=trial.made_with,
        limits=limits,
    )


def _no_change(same: float | None) -> tuple[str, ...]:
    if same != 1:
        return ()
    return ("Both sides wrote the same of every table: promoting it would change nothing.",)
