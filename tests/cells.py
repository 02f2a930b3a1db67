"""Measured cells made in one line, as experiments keep them."""

from polaris_search.experiments.runs.catalogue import MEASURES
from polaris_search.experiments.runs.cells import Cell


def cell(row, values, dataset="data", against=None, system=None, tables=3, **means):
    """A cell with one value a query for every measure, or means of its own where named."""
    per_query = {f"q{n}": dict.fromkeys(MEASURES, value) for n, value in enumerate(values)}
    same = dict.fromkeys(MEASURES, sum(values) / len(values))
    named = {name.replace("_at_", "@"): value for name, value in means.items()}
    return Cell(dataset, row, system, {**same, **named}, per_query, tables, 0, against, ())
