"""`polaris-admin train`: preference pairs in, an adapter out."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from polaris_search.cli.output import JsonOption, print_json, print_text
from polaris_search.cli.training_bar import TrainingBar
from polaris_search.errors import UsageError

if TYPE_CHECKING:
    from trainer.training.request import Trained, TrainRequest
    from trainer.training.settings import TrainSettings

AutoOnOff = Literal["auto", "on", "off"]
MAX_SEED = 2**32 - 1  # of numpy's generators


def train(
    pairs: Annotated[
        Path, typer.Argument(metavar="PAIRS", help="JSONL, as `polaris-admin pairs` writes it.")
    ],
    base: Annotated[
        str, typer.Option(metavar="MODEL", help="Base model: a folder, GGUF file or hub name.")
    ],
    out: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Write the adapter here; else into the registry."),
    ] = None,
    rank: Annotated[int, typer.Option(min=1, help="Rank of the adapter.")] = 64,
    alpha: Annotated[
        int | None, typer.Option(min=1, help="Its scale is this over the rank; as the rank.")
    ] = None,
    beta: Annotated[float, typer.Option(help="Pull towards the reference.")] = 0.1,
    learning_rate: Annotated[float, typer.Option(help="At its highest.")] = 5e-6,
    epochs: Annotated[int, typer.Option(min=1, help="How often a pair is seen.")] = 1,
    batch: Annotated[int, typer.Option(min=1, help="Pairs of a step, over all devices.")] = 8,
    seed: Annotated[
        int, typer.Option(min=0, max=MAX_SEED, help="Of weights, order and split.")
    ] = 42,
    max_length: Annotated[
        int | None, typer.Option(min=1, help="Most tokens of a pair; the longest: cut none.")
    ] = None,
    min_pairs: Annotated[
        int, typer.Option(min=1, help="Refuse to train on fewer usable pairs.")
    ] = 8,
    held_out: Annotated[
        float, typer.Option(min=0, help="Share of pairs that is only measured.")
    ] = 0.1,
    four_bit: Annotated[
        bool | None,
        typer.Option("--four-bit/--no-four-bit", help="NF4 weights; where there is a GPU."),
    ] = None,
    share_prompt: Annotated[
        AutoOnOff, typer.Option(help="Compute a prompt once for both replies.")
    ] = "auto",
    checkpointing: Annotated[
        AutoOnOff, typer.Option(help="Keep fewer activations, and compute them twice.")
    ] = "auto",
    from_current: Annotated[
        bool,
        typer.Option("--from-current", help="Begin from the adapter in use, not from the base."),
    ] = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write TensorBoard's files too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Train an adapter on preference pairs by DPO, with the paper's configuration.

    Can be killed at any time: the same command goes on, and ends with the same adapter.

    Example: polaris-admin train pairs.jsonl --base meta-llama/Llama-3.1-8B-Instruct
    """
    from trainer.training.settings import TrainSettings

    folder = None if out is None else Path(_named("--out", out))
    settings = TrainSettings(
        rank=rank,
        alpha=alpha,
        beta=beta,
        learning_rate=learning_rate,
        epochs=epochs,
        batch=batch,
        seed=seed,
        max_length=max_length,
        min_pairs=min_pairs,
        held_out=held_out,
        four_bit=four_bit,
        share_prompt=share_prompt,
        checkpointing=checkpointing,
    )
    request = _request(pairs, _named("--base", base), folder, settings, from_current, tensorboard)
    trained = _trained(request)
    if trained is None:
        return  # the first of several processes tells
    if as_json:
        print_json(_json(trained))
    else:
        _print(trained)


def _named(option: str, value: str) -> str:
    """Return the value; an empty one, as of a variable that is not set, would mean this folder."""
    if not value.strip():
        raise UsageError(f"{option} is empty. Name what is meant; this folder is named by a dot.")
    return value


def _request(
    pairs: Path,
    base: str,
    out: Path | None,
    settings: "TrainSettings",
    from_current: bool,
    tensorboard: bool,
) -> "TrainRequest":
    from ingest.describe.opening import describe_settings
    from ingest.describe.prompt import fixed_part, prompt_version
    from ingest.describe.schema import description_schema
    from polaris_search.settings import read_settings
    from trainer.training.request import TrainRequest

    read = read_settings()
    asked = describe_settings(read)
    return TrainRequest(
        pairs,
        base,
        out,
        read.home,
        settings,
        prompt_version(description_schema(asked.max_tokens, asked.tokens_a_word)),
        fixed_part(),
        from_current,
        tensorboard,
    )


def _trained(request: "TrainRequest") -> "Trained | None":
    from trainer.training.run import train as run

    with TrainingBar() as bar:
        return run(request, bar)


def _json(trained: "Trained") -> Mapping[str, object]:
    record = asdict(trained.record)
    kept = ("name", "base_model", "reference", "device", "pairs", "metrics")
    return {
        "adapter": str(trained.folder),
        **{name: record[name] for name in kept},
        "resumed_at": trained.resumed_at,
        "again": trained.again,
    }


def _print(trained: "Trained") -> None:
    record = trained.record
    if trained.again:
        print_text(f"This very adapter was trained before: {trained.folder}. Nothing was done.")
        return
    metrics = record.metrics
    print_text(f"{record.name} is in {trained.folder}, trained on {record.base_model}.")
    print_text(
        f"{record.pairs['trained']} pairs, {metrics['steps']:.0f} steps, "
        f"{metrics['seconds']:.0f} s; reference: {record.reference}."
    )
    if "held_out_accuracy" in metrics:
        print_text(
            f"{record.pairs['held_out']} held-out pairs: chosen minus rejected "
            f"{metrics['held_out_margin_before']:+.2f} nats before, "
            f"{_move(metrics):+.3g} since; moved the right way in "
            f"{metrics['held_out_accuracy']:.0%}."
        )


def _move(metrics: Mapping[str, float]) -> float:
    return metrics["held_out_margin_after"] - metrics["held_out_margin_before"]
