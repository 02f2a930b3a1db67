"""The lease on changing the generations of a folder, and the name that others hear."""

import json
import os
import threading
from contextlib import closing
from dataclasses import asdict, replace

import pytest

from polaris_search.errors import AlreadyHeld
from polaris_search.store.embedded.lease import TASK, leased
from polaris_search.store.embedded.opening import open_database
from polaris_search.store.embedded.process_lock import locked
from polaris_search.store.holder import this_process


@pytest.fixture
def database(tmp_path):
    with closing(open_database(tmp_path / "store")) as opened:
        yield opened


def refusal(database):
    with pytest.raises(AlreadyHeld) as refused, leased(database):
        pass
    return str(refused.value)


def held_by(database, holder):
    """Leave the line that a holder writes."""
    with database.writing() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO leases VALUES (?, ?)", (TASK, json.dumps(asdict(holder)))
        )


def test_the_holder_is_named_to_whoever_comes_second(database):
    with leased(database):
        words = refusal(database)

    name = f"process {os.getpid()} on {this_process().host}, since "
    assert words.startswith(f"Another process holds the lease for {TASK}: {name}")


def test_the_next_one_has_it_when_the_block_is_left_by_an_error(database):
    with pytest.raises(KeyError), leased(database):
        raise KeyError

    with leased(database):
        pass
    assert database.rows("SELECT * FROM leases") == []


def test_another_thread_of_the_same_process_is_refused_too(database):
    refusals = []

    with leased(database):
        thread = threading.Thread(target=lambda: refusals.append(refusal(database)))
        thread.start()
        thread.join()

    assert len(refusals) == 1


def test_the_line_of_one_that_ended_names_nobody(database):
    held_by(database, replace(this_process(), started="before the last boot"))

    with locked(database.folder / "locks" / "generations.lock", wait_s=0):
        assert f"{TASK}: a process that has just begun. Wait" in refusal(database)


def test_one_that_has_not_written_its_line_yet_is_not_named(database):
    with locked(database.folder / "locks" / "generations.lock", wait_s=0):
        assert f"{TASK}: a process that has just begun. Wait" in refusal(database)


def test_a_holder_in_another_container_is_named_though_nobody_knows_whether_it_runs(database):
    elsewhere = replace(this_process(), host="node7", machine="node7/x", pid=12)
    held_by(database, elsewhere)

    with locked(database.folder / "locks" / "generations.lock", wait_s=0):
        assert "process 12 on node7, since" in refusal(database)


def test_the_line_alone_without_the_lock_holds_nothing(database):
    held_by(database, this_process())

    with leased(database):
        pass
