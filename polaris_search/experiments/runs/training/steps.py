"""From data sets to a table of trained rows, as commands in order. Pure: nothing is run here.

Each step is one `polaris-admin` command with its settings, so that a dry run shows exactly what a
run does, and a person can run any of them by hand or on another machine.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polaris_search.experiments.runs.training.variations import Training, Variation

NO_ADAPTER = {"POLARIS_ADAPTER": "none"}
REASON = "a row of an experiment"
"""Why an adapter writes that no gate has judged."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command.

    Attributes:
        arguments: of `polaris-admin`; an AdapterName stands for a name that training gives.
        makes: a file that is there afterwards.
        settings: of its environment; likewise.
        once: whether it refuses to be run again, so that what it makes is note enough.
    """

    arguments: tuple["str | AdapterName", ...]
    makes: "Path | Registered"
    settings: Mapping[str, "str | AdapterName"] = field(default_factory=dict)
    once: bool = False

    @property
    def shell(self) -> str:
        """The command as a shell runs it."""
        settings = [f"{name}={_shell(value)}" for name, value in self.settings.items()]
        return " ".join([*settings, "polaris-admin", *map(_shell, self.arguments)])


@dataclass(frozen=True, slots=True)
class AdapterName:
    """The name of the adapter in a folder, which is known once it is trained."""

    folder: Path

    @property
    def shell(self) -> str:
        """What reads it in a shell."""
        return f'"$(jq -r .name {shlex.quote(str(self.folder / "record.json"))})"'


@dataclass(frozen=True, slots=True)
class Registered:
    """The record of a trained adapter in the registry under `home`."""

    name: AdapterName
    home: Path


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be compared, and with what.

    Attributes:
        experiment: the name of the table.
        datasets: folders in the paper's layout, two or more, by name.
        variations: the rows.
        bases: what is trained on, by "base" and, where it is compared, "other".
        settings: of the commands that ask a model, by "base" and "other".
        out: the run's folder.
        train: further arguments of every training.
    """

    experiment: str
    datasets: Mapping[str, Path]
    variations: Sequence[Variation]
    bases: Mapping[str, str]
    settings: Mapping[str, Mapping[str, str]]
    out: Path
    train: tuple[str, ...] = ()

    @property
    def home(self) -> dict[str, str]:
        """The registry of the run's own adapters."""
        return {"POLARIS_HOME": str(self.out / "home")}


def steps_of(plan: Plan) -> Iterator[Step]:
    """Yield the steps in an order in which each finds what it reads."""
    trainings = dict.fromkeys(one.training for one in plan.variations if one.training)
    samples = {training.sample: training for training in trainings}
    for training in samples.values():
        yield from _pairs(plan, training)
    for training in trainings:
        yield from _adapters(plan, training)
    for variation in plan.variations:
        yield from _descriptions(plan, variation)
    yield _table(plan)


def _pairs(plan: Plan, training: Training) -> Iterator[Step]:
    """Yield the steps to each data set's pairs and to the sets that leave one out."""
    candidates, pairs = (
        plan.out / "candidates" / training.sample,
        plan.out / "pairs" / training.sample,
    )
    for name, folder in plan.datasets.items():
        file = candidates / f"{name}.jsonl"
        asked = ("candidates", str(folder), "--k", str(training.k), "--out", str(file))
        yield Step(asked, file, {**plan.home, **plan.settings[training.model], **NO_ADAPTER})
        made = pairs / f"{name}.jsonl"
        scores = ("--scores", str(pairs / f"{name}.scores.jsonl"))
        given = ("--dataset", str(folder), "--candidates", str(file), "--out", str(made))
        yield Step(("pairs", *given, *scores), made, plan.home)
    named = [f"{name}={pairs / f'{name}.jsonl'}" for name in plan.datasets]
    out = plan.out / "training-sets" / training.sample
    last = out / f"{list(plan.datasets)[-1]}.jsonl"
    yield Step(("experiment", "leave-one-out", *named, "--out", str(out)), last, plan.home)


def _adapters(plan: Plan, training: Training) -> Iterator[Step]:
    for name in plan.datasets:
        pairs = plan.out / "training-sets" / training.sample / f"{name}.jsonl"
        folder = adapter_folder(plan, training, name)
        changed = ("--beta", str(training.beta), "--epochs", str(training.epochs))
        given = ("train", str(pairs), "--base", plan.bases[training.model], "--out", str(folder))
        yield Step((*given, *changed, *plan.train), folder / "record.json", plan.home)
        settings = {**plan.home, **plan.settings[training.model]}
        adapter = AdapterName(folder)
        there = Registered(adapter, plan.out / "home")
        yield Step(("adapters", "add", str(folder)), there, plan.home, once=True)
        yield Step(("adapters", "publish", adapter, "--force", REASON), there, settings)


def _descriptions(plan: Plan, variation: Variation) -> Iterator[Step]:
    model = variation.training.model if variation.training else "base"
    for name, folder in plan.datasets.items():
        file = plan.out / "descriptions" / variation.system / f"{name}.jsonl"
        settings: dict[str, str | AdapterName] = {**plan.home, **plan.settings[model], **NO_ADAPTER}
        if variation.training:
            trained = adapter_folder(plan, variation.training, name)
            settings["POLARIS_ADAPTER"] = AdapterName(trained)
        asked = ("candidates", str(folder), "--k", "1", "--expand", variation.expand)
        yield Step((*asked, "--out", str(file)), file, settings)


def _table(plan: Plan) -> Step:
    folder = plan.out / "table"
    given: list[str] = []
    for variation in plan.variations:
        described = plan.out / "descriptions" / variation.system
        given += ["--descriptions", f"{variation.system}={described}"]
    datasets = map(str, plan.datasets.values())
    asked = ("experiment", "run", plan.experiment, *datasets, *given, "--out", str(folder))
    return Step(asked, folder / "table.md", plan.home)


def adapter_folder(plan: Plan, training: Training, dataset: str) -> Path:
    """Return where the adapter lies that learned from all data sets but this one."""
    return plan.out / "adapters" / training.name / dataset


def _shell(value: str | AdapterName) -> str:
    return value.shell if isinstance(value, AdapterName) else shlex.quote(value)
