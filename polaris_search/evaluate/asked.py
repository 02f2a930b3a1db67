"""The measures a person asks for, by name: `nDCG@10`, `R@100`, `R(rel=2)@10`, `RR`.

Only measures whose value stays the same when all grades are scaled are known, because fractional
grades are scaled (see grades.py). `rel` is the lowest relevance that counts; without it, any
relevance above 0 does.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polaris_search.errors import UsageError

DEFAULT_MEASURES = tuple(f"{base}@{k}" for base in ("nDCG", "R") for k in (5, 10, 20, 50, 100))

MAX_CUTOFF = 10_000
"""The longest page of results that a server gives with its usual settings."""

_FORM = re.compile(r"(?P<base>[A-Za-z]+)(?:\(rel=(?P<lowest>\d+)\))?(?:@(?P<cutoff>\d+))?")


@dataclass(frozen=True, slots=True)
class AskedMeasure:
    """One measure. `lowest` is the relevance from which a table is relevant, None: above 0."""

    base: str
    cutoff: int | None = None
    lowest: int | None = None

    @property
    def name(self) -> str:
        """The measure as ir-measures writes it."""
        lowest = f"(rel={self.lowest})" if self.lowest else ""
        cutoff = f"@{self.cutoff}" if self.cutoff else ""
        return self.base + lowest + cutoff


@dataclass(frozen=True, slots=True)
class _Kind:
    base: str
    takes_cutoff: bool = True
    needs_cutoff: bool = False
    takes_lowest: bool = True


_KINDS = (
    _Kind("nDCG", takes_lowest=False),
    _Kind("R", needs_cutoff=True),
    _Kind("P", needs_cutoff=True),
    _Kind("Success", needs_cutoff=True),
    _Kind("RR"),
    _Kind("AP"),
    _Kind("Rprec", takes_cutoff=False),
)
_BY_NAME = {kind.base.lower(): kind for kind in _KINDS}
_ALIASES = {"recall": "r", "precision": "p", "mrr": "rr", "map": "ap"}


class MeasureUnknown(UsageError):
    """A name that is no measure, or one that cannot be computed here."""

    def __init__(self, name: str, problem: str) -> None:
        known = ", ".join(kind.base for kind in _KINDS)
        super().__init__(
            f"The measure {name!r} {problem}. "
            f"Ask for nDCG@10, R@100, R(rel=2)@10 or RR; known are: {known}."
        )


def asked_measures(names: Sequence[str]) -> tuple[AskedMeasure, ...]:
    """Return the measures of these names, in order, each once.

    Raises:
        MeasureUnknown: a name is not known, or its cut-off or lowest relevance cannot be.
        UsageError: there is no name.
    """
    if not names:
        raise UsageError("No measure is asked for. Name at least one, such as nDCG@10.")
    return tuple(dict.fromkeys(_asked(name) for name in names))


def deepest_cutoff(measures: Sequence[AskedMeasure], *, at_least: int) -> int:
    """Return how many results of each query these measures need."""
    return max([at_least, *(measure.cutoff or 0 for measure in measures)])


def _asked(name: str) -> AskedMeasure:
    match = _FORM.fullmatch(name)
    base = match["base"].lower() if match else ""
    kind = _BY_NAME.get(_ALIASES.get(base, base))
    if not match or not kind:
        raise MeasureUnknown(name, "is not known")
    cutoff = int(match["cutoff"]) if match["cutoff"] else None
    lowest = int(match["lowest"]) if match["lowest"] else None
    fault = _fault(kind, cutoff, lowest)
    if fault:
        raise MeasureUnknown(name, fault)
    return AskedMeasure(kind.base, cutoff, lowest)


def _fault(kind: _Kind, cutoff: int | None, lowest: int | None) -> str | None:
    if cutoff is None and kind.needs_cutoff:
        return "needs a cut-off"
    if cutoff is not None and not kind.takes_cutoff:
        return "takes no cut-off"
    if cutoff is not None and not 1 <= cutoff <= MAX_CUTOFF:
        return f"has a cut-off outside 1 to {MAX_CUTOFF}"
    if lowest is not None and not kind.takes_lowest:
        return "is graded and takes no lowest relevance"
    if lowest == 0:
        return "counts every table as relevant"
    return None
