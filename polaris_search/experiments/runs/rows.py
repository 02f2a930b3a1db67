"""Which rows of an experiment a run measures, given whose descriptions there are. Pure."""

from collections.abc import Collection
from dataclasses import dataclass

from polaris_search.errors import UsageError
from polaris_search.experiments.runs.catalogue import Experiment, Row


@dataclass(frozen=True, slots=True)
class RowToRun:
    """A row with the name of the descriptions that it indexes; None: none."""

    row: Row
    system: str | None

    @property
    def title(self) -> str:
        """What the row is called in tables: a row of everybody's says whose."""
        return titled(self.row.name, self.system) if not self.row.system else self.row.name

    @property
    def against(self) -> str | None:
        """The title of the row that it is compared with, of the same descriptions."""
        return titled(self.row.against, self.system) if self.row.against else None


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """The rows to measure, and the systems whose rows are left out for want of descriptions."""

    rows: tuple[RowToRun, ...]
    left_out: tuple[str, ...]


def titled(name: str, system: str | None) -> str:
    """Return a row's name with the descriptions' in brackets."""
    return f"{name} ({system})" if system else name


def chosen_rows(experiment: Experiment, systems: Collection[str]) -> ChosenRows:
    """Return the rows that can be measured, those with descriptions once for each system's.

    Raises:
        UsageError: no row is left but those that need descriptions, and none are given.
    """
    rows: list[RowToRun] = []
    left_out: list[str] = []
    for row in experiment.rows:
        if not row.describes:
            rows.append(RowToRun(row, None))
        elif row.system is None:
            rows += [RowToRun(row, system) for system in systems]
        elif row.system in systems:
            rows.append(RowToRun(row, row.system))
        else:
            left_out.append(row.system)
    if not rows:
        wanted = ", ".join(left_out) or "any system"
        raise UsageError(
            f"The experiment {experiment.name!r} compares descriptions, of {wanted}. "
            "Name some with --descriptions NAME=FILE."
        )
    return ChosenRows(tuple(rows), tuple(left_out))
