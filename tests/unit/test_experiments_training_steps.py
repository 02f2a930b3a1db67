"""The commands of a training run: in order, each once, resumed where they ended."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from polaris_search.experiments.runs.training.execute import StepFailed, as_process, run_steps
from polaris_search.experiments.runs.training.steps import (
    AdapterName,
    Plan,
    Registered,
    Step,
    steps_of,
)
from polaris_search.experiments.runs.training.variations import variation_of
from trainer.adapters.record import TrainingRecord, write_record

OUT = Path("runs/s")


def plan(*systems, out=OUT, train=()):
    return Plan(
        experiment="sensitivity",
        datasets={"a": Path("data/a"), "b": Path("data/b")},
        variations=[variation_of(system) for system in systems],
        bases={"base": "small.gguf", "other": "large"},
        settings={"base": {}, "other": {"POLARIS_CONFIG": "other.toml"}},
        out=out,
        train=train,
    )


def commands(*systems, **named):
    return [step.shell for step in steps_of(plan(*systems, **named))]


def having(found, *parts):
    return [one for one in found if all(part in one for part in parts)]


def test_a_trained_row_goes_from_candidates_to_descriptions_by_an_adapter_that_never_saw_them():
    found = commands("polaris")

    home = "POLARIS_HOME=runs/s/home"
    assert found[0] == (
        f"{home} POLARIS_ADAPTER=none polaris-admin candidates data/a --k 3 "
        "--out runs/s/candidates/base-k3/a.jsonl"
    )
    (train,) = having(found, " train ", "adapters/polaris/a")
    assert train == (
        f"{home} polaris-admin train runs/s/training-sets/base-k3/a.jsonl --base small.gguf "
        "--out runs/s/adapters/polaris/a --beta 0.1 --epochs 1"
    )
    (described,) = having(found, "--k 1", "descriptions/polaris/a.jsonl")
    name = 'POLARIS_ADAPTER="$(jq -r .name runs/s/adapters/polaris/a/record.json)"'
    assert described == (
        f"{home} {name} polaris-admin candidates data/a --k 1 --expand lexical "
        "--out runs/s/descriptions/polaris/a.jsonl"
    )
    assert found[-1].endswith(
        "experiment run sensitivity data/a data/b "
        "--descriptions polaris=runs/s/descriptions/polaris --out runs/s/table"
    )


def test_each_variation_changes_one_setting_and_shares_the_rest():
    found = commands("polaris", "beta-0.5", "epochs-3", "k-5")

    assert len(having(found, " candidates ", "--k 3")) == 2  # shared by three trainings
    assert len(having(found, " candidates ", "--k 5")) == 2
    assert len(having(found, "--beta 0.5 --epochs 1", "base-k3")) == 2
    assert len(having(found, "--beta 0.1 --epochs 3", "base-k3")) == 2
    assert len(having(found, "--beta 0.1 --epochs 1", "base-k5")) == 2


def test_another_model_is_sampled_trained_and_asked_by_its_own_settings():
    found = having(commands("model"), "POLARIS_CONFIG=other.toml")

    assert len(having(found, " candidates ", "--k 3")) == 2
    assert len(having(found, " candidates ", "--k 1")) == 2
    assert having(commands("model"), " train ", "--base small.gguf") == []


def test_rows_without_training_ask_the_base_model_with_names_as_they_say():
    found = commands("no-dpo", "prompt-only")

    assert having(found, " train ") == []
    (prompt,) = having(found, "descriptions/prompt-only/a.jsonl", "candidates")
    assert "POLARIS_ADAPTER=none" in prompt
    assert "--expand none" in prompt


def test_a_row_without_expansion_uses_the_adapter_of_the_full_system():
    found = commands("no-expansion")

    assert len(having(found, " train ")) == 2
    (described,) = having(found, "descriptions/no-expansion/b.jsonl", "candidates")
    assert "adapters/polaris/b/record.json" in described
    assert "--expand none" in described


def test_further_arguments_go_to_every_training():
    found = having(commands("polaris", "k-5", train=("--rank", "8")), " train ")

    assert len(found) == 4
    assert all(one.endswith("--rank 8") for one in found)


class Machine:
    """Runs steps by making what they should make; `broken` fails at a word, making nothing."""

    def __init__(self, steps, broken=None):
        self.makes = {
            step.arguments[:3]: step.makes for step in steps if isinstance(step.makes, Path)
        }
        self.ran = []
        self.broken = broken

    def __call__(self, arguments, settings):
        if self.broken in arguments:
            return 1
        self.ran.append((tuple(arguments), dict(settings)))
        path = self.makes.get(tuple(arguments[:3]))
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return 0


def steps(tmp_path):
    return [
        Step(("candidates", "a"), tmp_path / "c.jsonl", {"POLARIS_ADAPTER": "none"}),
        Step(("pairs", "a"), tmp_path / "p.jsonl"),
        Step(("train", "p"), tmp_path / "t.json"),
    ]


def test_a_run_that_failed_goes_on_behind_the_last_step_that_ended(tmp_path):
    planned, notes = steps(tmp_path), tmp_path / "steps"

    with pytest.raises(StepFailed, match=r"exit code 1: polaris-admin train p .*not repeated"):
        run_steps(planned, notes, Machine(planned, broken="train"), print)
    again = Machine(planned)
    counts = run_steps(planned, notes, again, print)

    assert [arguments[0] for arguments, _ in again.ran] == ["train"]
    assert counts == (1, 2)


def test_what_was_made_and_is_gone_is_made_again(tmp_path):
    planned, notes = steps(tmp_path), tmp_path / "steps"
    run_steps(planned, notes, Machine(planned), print)
    (tmp_path / "p.jsonl").unlink()
    again = Machine(planned)

    run_steps(planned, notes, again, print)

    assert [arguments[0] for arguments, _ in again.ran] == ["pairs"]


def test_a_command_that_makes_nothing_has_failed_whatever_it_says(tmp_path):
    planned = steps(tmp_path)[:1]

    with pytest.raises(StepFailed):
        run_steps(planned, tmp_path / "steps", lambda arguments, settings: 0, print)


def trained(folder, name):
    folder.mkdir(parents=True)
    made = datetime(2026, 11, 30, tzinfo=UTC)
    write_record(folder, TrainingRecord(name, made, "m", None, "h", "t", "p", "f", None, 42, "cpu"))
    return folder


def test_an_adapters_name_is_read_once_it_is_trained(tmp_path):
    name = AdapterName(trained(tmp_path / "adapter", "the-name"))
    step = Step(("adapters", "publish", name), tmp_path / "adapter", {"POLARIS_ADAPTER": name})
    machine = Machine([step])

    run_steps([step], tmp_path / "steps", machine, print)

    assert machine.ran == [
        (("adapters", "publish", "the-name"), {"POLARIS_ADAPTER": "the-name"}),
    ]
    (note,) = (tmp_path / "steps").glob("*.json")
    assert json.loads(note.read_text())["arguments"][-1] == "the-name"


def test_a_command_runs_with_its_settings_besides_ours_and_prints_to_stderr(capfd, monkeypatch):
    monkeypatch.setenv("POLARIS_STORE", "file:ours")
    run = as_process([sys.executable, "-c"])
    program = "import os, sys; print(os.environ['POLARIS_STORE'], os.environ['POLARIS_HOME'])"

    codes = [run([f"{program}; sys.exit({code})"], {"POLARIS_HOME": "home"}) for code in (0, 3)]

    assert codes == [0, 3]
    assert capfd.readouterr() == ("", "file:ours home\n" * 2)


def test_an_adapter_that_a_killed_run_took_in_is_not_taken_in_twice(tmp_path):
    name = AdapterName(trained(tmp_path / "adapter", "the-name"))
    there = Registered(name, tmp_path / "home")
    step = Step(("adapters", "add", "adapter"), there, once=True)
    with pytest.raises(StepFailed):  # the command says it did, and the registry has it not
        run_steps([step], tmp_path / "steps", lambda arguments, settings: 0, print)

    trained(tmp_path / "home" / "adapters" / "the-name", "the-name")
    machine = Machine([step])

    assert run_steps([step], tmp_path / "steps", machine, print) == (0, 1)
    assert machine.ran == []
