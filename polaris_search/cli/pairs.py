"""`polaris-admin pairs`: rank candidate descriptions exactly, and make preference pairs of them."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from polaris_search.cli.choices import Expand, ExpandOption
from polaris_search.cli.output import JsonOption, print_json, print_text, tell

if TYPE_CHECKING:
    from polaris_search.experiments.build_pairs import BuiltPairs, PairChoices
    from polaris_search.experiments.candidate_tables import CandidateTables
    from polaris_search.experiments.verify_ranking import Verified

Corpus = Literal["random", "first"]
Objective = Literal["score", "terms-once", "reciprocal-rank", "ndcg"]
RECORD_SUFFIX = ".record.json"


def pairs(
    dataset: Annotated[
        Path,
        typer.Option(metavar="DATASET_DIR", help="Holds metadata.csv, queries.csv, qrels.csv."),
    ],
    candidates: Annotated[
        Path, typer.Option(metavar="FILE", help="JSONL: each table's candidate descriptions.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="PAIRS", help="Write trl's preference pairs, JSONL.")
    ] = None,
    scores: Annotated[
        Path | None, typer.Option(metavar="SCORES", help="Write each table's mean scores, JSONL.")
    ] = None,
    profile: Annotated[str, typer.Option(help="The search to serve.")] = "paper-single",
    objective: Annotated[
        Objective,
        typer.Option(
            help="What counts: the score, that of the text with each stem once, or the place at "
            "which the table is listed."
        ),
    ] = "score",
    corpus: Annotated[
        Corpus,
        typer.Option(help="What stands for other tables: a random candidate, or the first."),
    ] = "random",
    seed: Annotated[int, typer.Option(help="Chooses the random ones.")] = 42,
    rounds: Annotated[
        int, typer.Option(min=1, help="Rank again with the winners, at most so often.")
    ] = 1,
    min_margin: Annotated[
        float | None, typer.Option(min=0, help="Means of a pair differ by more than this.")
    ] = None,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Every pair of a table, not best and worst alone.")
    ] = False,
    keep_own: Annotated[
        bool,
        typer.Option("--keep-own", help="Keep a table's own member beside its candidates."),
    ] = False,
    expand: ExpandOption = "lexical",
    verify: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Compare N tables with an index each on the store."),
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Rank each table's candidates by the mean score of its queries, and pair best with worst.

    The scores are those of an index made for each table, without making one. Exits 1 if
    --verify finds a difference.

    Example: polaris-admin pairs --dataset DIR --candidates C.jsonl --out P.jsonl --rounds 10
    """
    from polaris_search.experiments.build_pairs import PairChoices, build_pairs
    from polaris_search.profiles.model import profile_named
    from trainer.pairs import MIN_MARGIN

    choices = PairChoices(
        profile=profile_named(profile),
        objective=objective,
        corpus=corpus,
        seed=seed,
        keep_own=keep_own,
        rounds=rounds,
        min_margin=MIN_MARGIN if min_margin is None else min_margin,
        every=all_pairs,
    )
    tables = _tables(dataset, candidates, expand)
    built = build_pairs(tables, choices)
    _write(out, scores, built, tables, choices)
    verified = _verified(built, tables, choices, verify) if verify else None
    for sentence in _left_out(built, tables):
        tell(sentence)
    if as_json:
        print_json(_json(built, verified))
    else:
        _print(built, verified)
    if verified and verified.largest_difference:
        raise typer.Exit(1)


def _tables(dataset: Path, candidates: Path, expand: Expand) -> "CandidateTables":
    from polaris_search.cli.choices import chosen_expander
    from polaris_search.evaluate.dataset import read_dataset
    from polaris_search.experiments.candidate_tables import CandidateTables
    from polaris_search.settings import read_settings
    from trainer.candidates import read_candidates

    expander = chosen_expander(expand, read_settings())
    return CandidateTables(dataset, read_dataset(dataset), read_candidates(candidates), expander)


def _write(
    out: Path | None,
    scores: Path | None,
    built: "BuiltPairs",
    tables: "CandidateTables",
    choices: "PairChoices",
) -> None:
    from polaris_search.experiments.pair_files import write_pairs, write_record, write_scores

    if out:
        write_pairs(out, built, tables)
        write_record(out.with_name(out.name + RECORD_SUFFIX), built, choices)
    if scores:
        write_scores(scores, built)


def _verified(
    built: "BuiltPairs", tables: "CandidateTables", choices: "PairChoices", n_tables: int
) -> "Verified":
    from polaris_search.experiments.verify_ranking import SlowWay, verify_ranking
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    store = open_store(read_settings())
    try:
        return verify_ranking(SlowWay(built, tables, choices, store), n_tables)
    finally:
        store.close()


def _left_out(built: "BuiltPairs", tables: "CandidateTables") -> list[str]:
    left_out = built.left_out
    counted = [
        (left_out.rejected_rows, "rows of metadata.csv were not taken"),
        (left_out.gold_without_candidates, "tables with relevant queries have no candidate"),
        (left_out.unknown_candidates, "tables of the candidates file are not in metadata.csv"),
        (left_out.unknown_judged, "tables that are judged relevant are not in metadata.csv"),
        (built.unmatched, "(table, query) pairs share no word with any candidate, and count as 0"),
    ]
    return [*tables.dataset.notices, *(f"{count} {what}." for count, what in counted if count)]


def _json(built: "BuiltPairs", verified: "Verified | None") -> dict[str, object]:
    return {
        "tables": built.report.tables,
        "pairs": built.report.pairs,
        "rounds": len(built.ranking.changed),
        "ended": built.ranking.ended,
        "changed": list(built.ranking.changed),
        "mean_margins": list(built.ranking.mean_margins),
        "report": asdict(built.report),
        "left_out": asdict(built.left_out) | {"unmatched": built.unmatched},
        "verified": asdict(verified) if verified else None,
        "seconds": round(built.seconds, 3),
    }


def _print(built: "BuiltPairs", verified: "Verified | None") -> None:
    report, ranking = built.report, built.ranking
    print_text(
        f"{report.tables} tables ranked, {report.pairs} pairs; left without: "
        f"{report.small_margin} for a small margin, {report.same_text} for equal texts, "
        f"{report.one_candidate} with a single candidate. {built.seconds:.1f} s."
    )
    for number, (changed, margin) in enumerate(
        zip(ranking.changed, ranking.mean_margins, strict=True), start=1
    ):
        print_text(f"Round {number}: {changed} winners changed, mean margin {margin:.3f}.")
    print_text(f"Ended: {ranking.ended}.")
    print_text(
        "Distinct stems and length, chosen against rejected: "
        f"{report.chosen.distinct_share:.2f} against {report.rejected.distinct_share:.2f}, "
        f"{report.chosen.stems:.0f} against {report.rejected.stems:.0f} stems."
    )
    if verified:
        print_text(
            f"Verified on the store: {verified.tables} tables, {verified.means} means, largest "
            f"difference {verified.largest_difference:g}, other orders {verified.other_orders}."
        )
