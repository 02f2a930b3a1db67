"""`polaris-admin pairs`: rank candidate descriptions exactly, and make preference pairs of them."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from polaris_search.cli.choices import Expand, ExpandOption
from polaris_search.cli.output import JsonOption, print_json, tell

if TYPE_CHECKING:
    from polaris_search.experiments.build_pairs import BuiltPairs, PairChoices
    from polaris_search.experiments.candidate_tables import CandidateTables
    from polaris_search.experiments.pairs_progress import PairsProgress
    from polaris_search.experiments.verify_ranking import Verified
    from trainer.ranking.analysis_cache import AnalysisCache

Corpus = Literal["random", "first"]
Objective = Literal["score", "terms-once", "reciprocal-rank", "ndcg"]
RECORD_SUFFIX = ".record.json"
CACHE_FOLDER = Path("cache", "analysis")


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
    hold_out: Annotated[
        float,
        typer.Option(
            min=0, max=0.9, metavar="SHARE", help="Leave this share of the queries for the gate."
        ),
    ] = 0.0,
    hold_out_seed: Annotated[int, typer.Option(help="Chooses the queries held out.")] = 42,
    expand: ExpandOption = "lexical",
    verify: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Compare N tables with an index each on the store."),
    ] = 0,
    no_cache: Annotated[
        bool,
        typer.Option("--no-cache", help="Analyse texts anew; else POLARIS_HOME/cache knows them."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Rank each table's candidates by the mean score of its queries, and pair best with worst.

    The scores are those of an index made for each table, without making one. Exits 1 if
    --verify finds a difference.

    Example: polaris-admin pairs --dataset DIR --candidates C.jsonl --out P.jsonl --rounds 10
    """
    from polaris_search.cli.learning_progress import PairsBar
    from polaris_search.cli.pairs_report import left_out_sentences, print_report, report_json
    from polaris_search.experiments.build_pairs import PairChoices, build_pairs
    from polaris_search.profiles.model import measured_profile_named
    from trainer.pairs import MIN_MARGIN

    _refuse_one_path_twice(candidates, out, scores)
    choices = PairChoices(
        profile=measured_profile_named(profile),
        objective=objective,
        corpus=corpus,
        seed=seed,
        keep_own=keep_own,
        rounds=rounds,
        min_margin=MIN_MARGIN if min_margin is None else min_margin,
        every=all_pairs,
    )
    tables = _tables(dataset, candidates, expand, hold_out, hold_out_seed)
    with closing(_cache(no_cache)) as cache, PairsBar(quiet=as_json) as bar:
        built = build_pairs(tables, choices, cache=cache, progress=bar)
        _write(out, scores, built, tables, choices, bar)
        verified = _verified(built, tables, choices, verify, bar) if verify else None
    for sentence in left_out_sentences(built, tables):
        tell(sentence)
    if as_json:
        print_json(report_json(built, tables, verified))
    else:
        print_report(built, tables, verified)
    if verified and verified.largest_difference:
        raise typer.Exit(1)


def _refuse_one_path_twice(candidates: Path, out: Path | None, scores: Path | None) -> None:
    from polaris_search.errors import UsageError

    record = out.with_name(out.name + RECORD_SUFFIX) if out else None
    paths = [path.resolve() for path in (candidates, out, record, scores) if path]
    if len(set(paths)) < len(paths):
        raise UsageError(
            "--candidates, --out and --scores must be different files. Choose another path."
        )


def _tables(
    folder: Path, candidates: Path, expand: Expand, hold_out: float, hold_out_seed: int
) -> "CandidateTables":
    from polaris_search.cli.choices import chosen_expander
    from polaris_search.evaluate.dataset import read_dataset
    from polaris_search.experiments.candidate_tables import CandidateTables
    from polaris_search.experiments.held_out import held_out_of
    from polaris_search.settings import read_settings
    from trainer.candidates import read_candidates

    expander = chosen_expander(expand, read_settings())
    dataset = read_dataset(folder)
    return CandidateTables(
        folder,
        dataset,
        read_candidates(candidates),
        expander,
        held_out_of(dataset, hold_out, hold_out_seed),
    )


def _cache(no_cache: bool) -> "AnalysisCache":
    from polaris_search.settings import read_settings
    from trainer.ranking.analysis_cache import AnalysisCache

    return AnalysisCache(None if no_cache else read_settings().home / CACHE_FOLDER)


def _write(
    out: Path | None,
    scores: Path | None,
    built: "BuiltPairs",
    tables: "CandidateTables",
    choices: "PairChoices",
    progress: "PairsProgress",
) -> None:
    from polaris_search.experiments.pair_files import write_pairs, write_record, write_scores

    if out:
        write_pairs(out, built, tables, progress)
        write_record(out.with_name(out.name + RECORD_SUFFIX), built, tables, choices)
    if scores:
        write_scores(scores, built)


def _verified(
    built: "BuiltPairs",
    tables: "CandidateTables",
    choices: "PairChoices",
    n_tables: int,
    progress: "PairsProgress",
) -> "Verified":
    from polaris_search.experiments.verify_ranking import SlowWay, verify_ranking
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    store = open_store(read_settings())
    try:
        return verify_ranking(SlowWay(built, tables, choices, store), n_tables, progress)
    finally:
        store.close()
