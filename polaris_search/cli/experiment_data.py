"""`polaris-admin experiment downsample` and `leave-one-out`: the data sets that experiments use."""

from pathlib import Path
from typing import Annotated

import typer

from polaris_search.cli.output import JsonOption, print_columns, print_json, print_text, tell

SHOWN_EVERY = 25


def downsample(
    dataset: Annotated[
        Path,
        typer.Argument(metavar="DATASET_DIR", help="Holds metadata.csv, queries.csv, qrels.csv."),
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT_DIR", help="The smaller data set.")],
    top: Annotated[int, typer.Option(min=1, help="Tables kept of each query.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """Keep each query's best tables and all relevant ones, by column names and context.

    BM25 over column names (trigrams) and context (words), with equal weight, as the paper cut its
    web tables down. Queries without a relevant table are dropped.

    Example: polaris-admin experiment downsample examples/tables small --top 20
    """
    from dataclasses import asdict

    from polaris_search.experiments.runs.corpus.downsample import downsample as downsampled

    found = downsampled(dataset, out, top, _show)
    if found.unknown_relevant:
        tell(f"{found.unknown_relevant} tables that are judged relevant are not in the catalogue.")
    if found.rejected:
        tell(f"{found.rejected} rows of the catalogue were not taken.")
    if as_json:
        print_json({"out": str(out), **asdict(found)})
    else:
        print_text(
            f"{found.kept:,} of {found.read:,} tables written to {out}: {found.retrieved:,} among "
            f"the best {top} of a query, {found.relevant:,} relevant; {found.queries:,} queries, "
            f"{len(found.dropped_queries):,} dropped without a relevant table."
        )


def leave_one_out(
    pairs: Annotated[
        list[str], typer.Argument(metavar="DATASET=PAIRS...", help="As `pairs` writes them.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the training sets.")],
    as_json: JsonOption = False,
) -> None:
    """Write a training set for each data set: the pairs of all the others.

    DIR/DATASET.jsonl is what to train on before DATASET is described and searched.

    Example: polaris-admin experiment leave-one-out a=a.jsonl b=b.jsonl --out training-sets
    """
    from polaris_search.experiments.runs.given import named_paths
    from polaris_search.experiments.runs.training.leave_one_out import (
        leave_one_out as training_sets,
    )

    found = training_sets(named_paths(pairs, "DATASET=PAIRS"), out)
    if as_json:
        print_json(
            {one.left_out: {"file": str(one.path), "pairs": dict(one.pairs)} for one in found}
        )
        return
    rows = [
        [one.left_out, str(sum(one.pairs.values())), ", ".join(one.pairs), str(one.path)]
        for one in found
    ]
    print_columns(rows, ["left out", "pairs", "of", "file"])


def _show(done: int, total: int) -> None:
    if done % SHOWN_EVERY == 0:
        tell(f"{done} of {total} queries searched.")
