"""A reindex or rollback killed without warning (SIGKILL) at each step, as a real process.

Whatever was live serves every table, the same command run again finishes and says so truly, and
nothing is left over after `index prune`.
"""

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from commands import Commands, environment
from tables import found, table

from polaris_search.lifecycle.progress import STEPS
from polaris_search.settings import read_settings
from polaris_search.store.opening import open_store

N_TABLES = 1_200
HALF_WAY = 700  # tables seen by the copy; a store writes some 500 at a time
BEFORE_THE_SWAP = ["staged", "copying", "copied", "caught_up", "verified"]
AFTER_IT = ["live", "settled"]

KILLED = """
import os, signal, sys
from polaris_search.cli.choices import chosen_expander
from polaris_search.lifecycle.progress import NoReindexProgress
from polaris_search.lifecycle.reindex import reindex
from polaris_search.lifecycle.rollback import rollback
from polaris_search.lifecycle.transform import Renewal
from polaris_search.settings import read_settings
from polaris_search.store.opening import open_store

command, step, half_way = sys.argv[1], sys.argv[2], int(sys.argv[3])


def die():
    os.kill(os.getpid(), signal.SIGKILL)


class Fatal(NoReindexProgress):
    def reached(self, name):
        if name == step:
            die()

    def copied(self, tables):
        if step == "copying" and tables >= half_way:
            die()


settings = read_settings()
store = open_store(settings)
if command == "reindex":
    renewal = Renewal(chosen_expander("lexical", settings))
    reindex(store, renewal, notify=print, progress=Fatal())
else:
    rollback(store, notify=print, progress=Fatal())
"""


@pytest.fixture
def commands(tmp_path: Path, store_url: str) -> Commands:
    return Commands(tmp_path, store_url)


def killed_at(step: str, command: str, commands: Commands) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", KILLED, command, step, str(HALF_WAY)],
        cwd=commands.folder,
        env=environment(commands.store_url),
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == -signal.SIGKILL, finished.stderr


def fill(commands: Commands) -> None:
    """Store tables of which a search for `address` finds those that are expanded alone."""
    with closing(open_store(settings_of(commands))) as store:
        store.put(table(f"t{n:04}", "zebra", ["cust_addr"]) for n in range(N_TABLES))
        store.refresh()


def settings_of(commands: Commands):
    return read_settings({"POLARIS_STORE": commands.store_url})


def served(commands: Commands) -> tuple[int, int]:
    """Return how many tables a search finds, and how many of them are expanded."""
    with closing(open_store(settings_of(commands))) as store:
        assert len(list(store.table_ids())) == N_TABLES
        return tuple(
            len(found(store, word, "paper", N_TABLES + 1)) for word in ("zebra", "address")
        )


def states(commands: Commands) -> list[str]:
    listed = commands.answer("index", "list")["generations"]
    return sorted(one["state"] for one in listed)


def test_the_kills_are_tried_at_every_step():
    assert [step for step in BEFORE_THE_SWAP + AFTER_IT if step != "copying"] == list(STEPS)


@pytest.mark.parametrize("step", BEFORE_THE_SWAP)
def test_killed_before_the_swap_the_old_one_serves_and_the_rerun_goes_on(commands, step):
    fill(commands)

    killed_at(step, "reindex", commands)
    after_the_kill = served(commands)
    report = commands.answer("reindex", "--expand", "lexical")

    assert after_the_kill == (N_TABLES, 0)
    assert (report["live"], report["resumed"], report["tables"]) == (True, True, N_TABLES)
    assert served(commands) == (N_TABLES, N_TABLES)
    copied_again = report["counts"]["expanded"]
    if step == "copying":
        assert 0 < copied_again < N_TABLES
    else:
        assert copied_again == (N_TABLES if step == "staged" else 0)
    commands.answer("index", "prune", "--keep", "0")
    assert states(commands) == ["live"]


@pytest.mark.parametrize("step", AFTER_IT)
def test_killed_after_the_swap_the_new_one_serves_and_the_rerun_builds_another(commands, step):
    fill(commands)

    killed_at(step, "reindex", commands)
    after_the_kill = served(commands)
    report = commands.answer("reindex", "--expand", "lexical")

    assert after_the_kill == (N_TABLES, N_TABLES)
    assert (report["live"], report["resumed"], report["tables"]) == (True, False, N_TABLES)
    assert served(commands) == (N_TABLES, N_TABLES)
    commands.answer("index", "prune", "--keep", "0")
    assert states(commands) == ["live"]


@pytest.mark.parametrize("step", ["copying", "verified", "live"])
def test_what_a_kill_leaves_is_gone_after_a_prune_at_once(commands, step):
    fill(commands)
    killed_at(step, "reindex", commands)

    removed = commands.answer("index", "prune", "--keep", "0")["removed"]

    assert len(removed) == 1  # the staged one before the swap, the old one after it
    assert states(commands) == ["live"]
    assert served(commands) == (N_TABLES, N_TABLES if step in AFTER_IT else 0)


@pytest.mark.parametrize("step", ["staged", "copied", "verified", "live"])
def test_a_rollback_that_was_killed_is_run_again(commands, step):
    fill(commands)
    commands.answer("reindex", "--expand", "lexical")

    killed_at(step, "rollback", commands)
    after_the_kill = served(commands)
    if step != "live":
        assert after_the_kill == (N_TABLES, N_TABLES)
        assert commands.answer("index", "rollback")["live"]

    assert served(commands) == (N_TABLES, 0)
    commands.answer("index", "prune", "--keep", "0")
    assert states(commands) == ["live"]
