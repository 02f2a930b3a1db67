"""Descriptions that a run lets a model write: one of each table, into files that it reads again.

What is written is kept in files named by all that shapes their texts (model, adapter, prompt,
decoding, expander, tables), so that a run that was stopped goes on and another model writes anew.
SYSTEM/DATASET.jsonl is what the last run used of it: a folder to give to another run.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.describe.describer import DescribeSettings, LlmDescriber
from ingest.readers.formats import CATALOGUE
from ingest.steps import Expander, NoExpander
from polaris_search.errors import UsageError
from polaris_search.evaluate.dataset import read_dataset
from polaris_search.evaluate.written import write_lines
from polaris_search.experiments.candidate_tables import CandidateTables
from polaris_search.experiments.given_descriptions import read_descriptions
from polaris_search.experiments.make_candidates import make_candidates
from polaris_search.experiments.runs.catalogue import Experiment
from polaris_search.experiments.runs.file_hash import file_hash
from polaris_search.experiments.runs.given import System
from polaris_search.experiments.runs.recipes import RECIPES, Recipe
from polaris_search.experiments.sampler import Sampler
from polaris_search.llm.model import ChatModel
from polaris_search.records import content_hash

KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Writer:
    """What descriptions are written with.

    Attributes:
        open_model: opens the chat model with an adapter of this name; None: without any.
        lengths: lengths and decoding.
        expander: expands the names for variants that see them expanded.
        folder: where the descriptions are kept.
        concurrency: tables under way at a time.
        notify: hears what is written, and what could not be.
    """

    open_model: Callable[[str | None], ChatModel]
    lengths: DescribeSettings
    expander: Expander
    folder: Path
    concurrency: int
    notify: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Adapters:
    """The adapter that writes for each data set: its own, or the one for all the others."""

    of_dataset: Mapping[str, str]
    for_all: str | None = None

    def of(self, dataset: str) -> str | None:
        """Return the adapter's name, None where none is given."""
        return self.of_dataset.get(dataset, self.for_all)


def named_adapters(options: Sequence[str]) -> Adapters:
    """Return the adapters that NAME and DATASET=NAME options name.

    Raises:
        UsageError: an empty name, or two for one data set or for all.
    """
    found: dict[str, str] = {}
    for option in options:
        dataset, equals, name = option.partition("=") if "=" in option else ("", "=", option)
        if not name or dataset in found:
            raise UsageError(f"--adapter is {option!r}; NAME or DATASET=NAME is wanted, each once.")
        found[dataset] = name
    return Adapters({key: name for key, name in found.items() if key}, found.get(""))


def recipes_for(
    experiment: Experiment, given: Mapping[str, System], adapters: Adapters, datasets: Sequence[str]
) -> tuple[Recipe, ...]:
    """Return the variants to write: those the rows ask for, not given, with the adapters there.

    Rows of everybody's descriptions get those of the adapter, or of the base model without one.
    """
    trained = all(adapters.of(dataset) for dataset in datasets)
    wanted = dict.fromkeys(row.system for row in experiment.rows if row.describes)
    if None in wanted:
        wanted = dict.fromkeys(["polaris" if trained else "no-dpo"])
    recipes = (RECIPES[name] for name in wanted if name in RECIPES and name not in given)
    return tuple(one for one in recipes if trained or not one.trained)


def written_system(
    writer: Writer, recipe: Recipe, datasets: Sequence[Path], adapters: Adapters
) -> System:
    """Return a variant's descriptions of these data sets, written now where they are not there.

    Raises:
        ServiceUnreachable: the model's server went away; what was written is kept.
    """
    files = {}
    for dataset in datasets:
        name = dataset.resolve().name
        adapter = adapters.of(name) if recipe.trained else None
        files[name] = _written(writer, recipe, dataset, adapter)
    read = {name: read_descriptions(path) for name, path in files.items()}
    return System(recipe.system, files, read)


def _written(writer: Writer, recipe: Recipe, dataset: Path, adapter: str | None) -> Path:
    expander = writer.expander if recipe.expand == "lexical" else NoExpander()
    tables = CandidateTables(dataset, read_dataset(dataset), {}, expander)
    model = writer.open_model(adapter)
    shaped = LlmDescriber(model, writer.lengths).version
    key = content_hash(shaped, expander.version, file_hash(dataset / CATALOGUE))[:12]
    name = dataset.resolve().name
    kept = writer.folder / KEPT / recipe.system / f"{name}-{key}.jsonl"
    made = make_candidates(
        tables, Sampler(model, writer.lengths), kept, 1, concurrency=writer.concurrency
    )
    path = writer.folder / recipe.system / f"{name}.jsonl"
    write_lines(path, kept.read_text(encoding="utf-8").split("\n")[:-1])
    writer.notify(
        f"{name}, {recipe.system}: {made.tables} descriptions written, {made.there_before} were "
        f"there: {path}."
    )
    for reason, count in Counter(made.failed.values()).items():
        writer.notify(f"{count} tables got no description: {reason}")
    return path
