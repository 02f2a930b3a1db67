"""The registry among processes: of those that promote at once one wins; a kill harms nothing."""

import subprocess
import sys
from pathlib import Path

import pytest
from peft_folder import peft_folder

from trainer.adapters.promotion import decision, promote, rollback
from trainer.adapters.registry import Registry

PROGRAM = Path(__file__).parents[1] / "registry_processes.py"
GATE = b'{"verdict": "promote", "reasons": []}'
BEFORE = {"old": "promoted", "older": "retired", "new": "candidate"}


def ready(home: Path, names: list[str]) -> dict[str, subprocess.Popen]:
    """Return a process for each name that has looked at the registry and waits to promote it."""
    processes = {
        name: subprocess.Popen(
            [sys.executable, PROGRAM, "race", home, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    }
    assert [one.stdout.readline() for one in processes.values()] == ["ready\n"] * len(names)
    return processes


def have(registry: Registry, *names: str) -> None:
    for seed, name in enumerate(names):
        peft_folder(registry.root / name, seed=seed, name=name)
        registry.write_gate(name, GATE)


def states(registry: Registry) -> dict[str, str]:
    return {one.name: one.state for one in registry.entries()}


def test_of_four_processes_that_promote_at_once_one_wins_and_each_other_gets_a_sentence(tmp_path):
    registry, names = Registry(tmp_path / "home"), ["a", "b", "c", "d"]
    have(registry, *names)
    for past in range(2):  # rounds, each on what the one before left
        processes = ready(registry.home, names)
        for process in processes.values():
            process.stdin.write("go\n")
            process.stdin.flush()
        said = {name: process.communicate()[0] for name, process in processes.items()}

        won = [name for name in names if said.pop(name) == "won\n"]

        assert won == [registry.current]
        assert len(registry.history()) == past + 1
        assert all(
            "Meanwhile another process made" in text or "holds the lease for the registry" in text
            for text in said.values()
        )
        names = [name for name in ("a", "b", "c", "d") if name != registry.current]


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A registry with a history, and a folder to add."""
    home = tmp_path_factory.mktemp("killed") / "home"
    registry = Registry(home)
    have(registry, "older", "old", "new")
    for name in ("older", "old"):
        promote(registry, name, decision(registry))
    peft_folder(home / "run", seed=7)
    return home


AFTER = {
    "promote": BEFORE | {"old": "retired", "new": "promoted"},
    "rollback": BEFORE | {"old": "retired", "older": "promoted"},
    "write_gate": BEFORE | {"new": "rejected"},
    "add": BEFORE | {"added": "candidate"},
}


@pytest.mark.parametrize("change", AFTER)
def test_killed_at_any_step_the_registry_is_as_before_or_as_after_and_goes_on(
    home, tmp_path, change
):
    subprocess.run([sys.executable, PROGRAM, "kill", home, tmp_path, change], check=True)

    left = [Registry(tmp_path / str(n)) for n in range(len(list(tmp_path.iterdir())))]

    found = [states(registry) for registry in left]
    assert found[0] == BEFORE
    assert found[-1] == AFTER[change]
    assert [one for one in found if one not in (BEFORE, AFTER[change])] == []
    assert len(left) >= 3
    for registry in left:
        current = registry.current
        assert states(registry)[current] == "promoted"
        was_promoted = promote(registry, _another(registry), decision(registry, "a test")).was
        assert was_promoted == current
        assert rollback(registry, None, decision(registry)).adapter == current


def _another(registry: Registry) -> str:
    return next(name for name in ("new", "old") if name != registry.current)
