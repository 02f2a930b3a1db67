"""A table as a package documents it: the names that are indexed, and the English that is not.

`title` and `definitions` become queries; the table that they were written for is then the answer,
so they never enter the metadata.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Documented:
    """One table; `definitions` maps a column's name, as given, to what is said of it."""

    source: str
    name: str
    columns: tuple[str, ...]
    context: Mapping[str, str]
    database: str
    schema: str
    format: str
    title: str
    definitions: Mapping[str, str]

    @property
    def table_id(self) -> str:
        """The source and the name: `statsmodels.longley`."""
        return f"{self.source}.{self.name}"
