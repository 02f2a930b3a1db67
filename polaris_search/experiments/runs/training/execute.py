"""Runs the steps of a plan, each once: what was done is noted, so that a stopped run goes on."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from polaris_search.errors import PolarisError
from polaris_search.evaluate.written import write_lines
from polaris_search.experiments.runs.training.steps import AdapterName, Registered, Step
from polaris_search.llm.promoted import adapters_folder
from polaris_search.settings import environment_with
from trainer.adapters.record import RECORD_FILE, RecordInvalid, read_record

Run = Callable[[Sequence[str], Mapping[str, str]], int]
"""Runs `polaris-admin` with these arguments and these settings besides; returns its exit code."""


class StepFailed(PolarisError):
    """A step of a training run ended with an error; what came before it is kept."""

    def __init__(self, step: Step, code: int) -> None:
        super().__init__(
            f"This step ended with exit code {code}: {step.shell} Mend what it says, and run the "
            "same command again: the steps before it are not repeated."
        )


def run_steps(
    steps: Iterable[Step], notes: Path, run: Run, notify: Callable[[str], None]
) -> tuple[int, int]:
    """Run the steps that are not done; return how many ran and how many were done before.

    Args:
        steps: in order.
        notes: the folder in which done steps are noted.
        run: runs one command.
        notify: hears each command.

    Raises:
        StepFailed: a command failed, or did not make what it should.
    """
    ran = before = 0
    for step in steps:
        note = notes / f"{_key(step)}.json"
        if is_done(step, notes):
            before += 1
            continue
        notify(step.shell)
        arguments, settings = resolved(step)
        code = run(arguments, settings)
        if code or not _is_made(step):
            raise StepFailed(step, code)
        done = {"arguments": list(arguments), "settings": dict(settings)}
        write_lines(note, [json.dumps(done, ensure_ascii=False)])
        ran += 1
    return ran, before


def is_done(step: Step, notes: Path) -> bool:
    """Return whether a step was done, and what it made is there."""
    return (step.once or (notes / f"{_key(step)}.json").exists()) and _is_made(step)


def resolved(step: Step) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return arguments and settings with the names that adapters have by now.

    Raises:
        RecordInvalid: an adapter that the step needs is not there.
    """
    arguments = tuple(_resolved(value) for value in step.arguments)
    return arguments, {name: _resolved(value) for name, value in step.settings.items()}


def as_process(command: Sequence[str]) -> Run:
    """Return what runs a command line as a process of its own; all it prints goes to stderr."""

    def run(arguments: Sequence[str], settings: Mapping[str, str]) -> int:
        environment = environment_with(settings)
        ended = subprocess.run(
            [*command, *arguments], env=environment, stdout=sys.stderr, check=False
        )
        return ended.returncode

    return run


def _resolved(value: str | AdapterName) -> str:
    return read_record(value.folder).name if isinstance(value, AdapterName) else value


def _is_made(step: Step) -> bool:
    if not isinstance(step.makes, Registered):
        return step.makes.exists()
    try:
        name = read_record(step.makes.name.folder).name
    except RecordInvalid:  # not trained yet
        return False
    return (adapters_folder(step.makes.home) / name / RECORD_FILE).exists()


def _key(step: Step) -> str:
    return hashlib.sha256(step.shell.encode()).hexdigest()[:16]
