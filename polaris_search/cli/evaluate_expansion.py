"""`polaris-admin evaluate-expansion`: how well names are expanded, against a gold file."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from polaris_search.cli.choices import ExpandOption
from polaris_search.cli.output import JsonOption, print_json, print_text, tell

WITHOUT_A_MODEL = ("set", "columns", "exact_match", "f1", "names_per_second")


def evaluate_expansion(
    gold: Annotated[
        Path, typer.Argument(metavar="GOLD_CSV", help="Columns table_name, column_name, expansion.")
    ],
    expand: ExpandOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Measure name expansion: exact match and token F1 over all gold columns, names a second.

    NAME.synonyms.json and NAME.stopwords.json beside NAME.csv are used where present. Exits 1 if a
    model failed at a table, whose names then count as the lexical expander reads them.

    Example: polaris-admin evaluate-expansion gold.csv --expand lexical
    """
    from polaris_search.cli.choices import chosen_steps
    from polaris_search.cli.ingest_report import names_sentence
    from polaris_search.experiments.evaluate_expansion import evaluate_gold
    from polaris_search.settings import read_settings

    settings = read_settings()
    steps = chosen_steps(expand, "none", settings)
    figures = evaluate_gold(
        gold, steps.expander, steps.models.expander, concurrency=settings.tables_at_a_time
    )
    for notice, count in figures.notices:
        tell(f"{notice} ({count} tables)")
    if as_json:
        told = asdict(figures)
        if steps.models.expander is None:
            told = {name: told[name] for name in WITHOUT_A_MODEL}
        print_json(told)
    else:
        print_text(
            f"{figures.set}: {figures.columns} columns, exact match {figures.exact_match:.3f}, "
            f"F1 {figures.f1:.3f}, {figures.names_per_second:,.0f} names a second."
        )
        if steps.models.expander:
            print_text(names_sentence(figures.model_names))
    if figures.model_names.failed:
        raise typer.Exit(1)
