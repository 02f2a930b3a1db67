"""Who holds a lease: whether the process still runs, where this machine can know."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

from polaris_search.store import holder
from polaris_search.store.holder import Holder, this_process

CHILD = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from polaris_search.store.holder import this_process
if sys.argv[1:]:
    Path("/proc/self/comm").write_text(sys.argv[1])
print(json.dumps(asdict(this_process())), flush=True)
sys.stdin.read()
"""


@contextmanager
def child(*arguments):
    """A process that runs until its input ends, and the holder that it takes itself for."""
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process, Holder(**json.loads(process.stdout.readline()))


def test_this_process_is_not_gone():
    assert this_process().is_gone() is False


def test_the_name_tells_people_process_host_and_time_in_utc():
    moment = datetime(2026, 11, 30, 4, 5, 6, 7, tzinfo=timezone(timedelta(hours=2)))

    mine = this_process(moment)

    assert mine.name == f"process {os.getpid()} on {mine.host}, since 2026-11-30T02:05:06Z"
    assert mine.pid == os.getpid()


def test_the_time_is_now_where_none_is_given():
    before = datetime.now(UTC).replace(microsecond=0)

    since = datetime.fromisoformat(this_process().since)

    assert before <= since <= datetime.now(UTC)


def test_another_process_of_this_machine_is_seen_to_run_until_it_has_ended():
    with child() as (process, other):
        assert other.machine == this_process().machine
        assert (other.pid, other.is_gone()) == (process.pid, False)

        process.stdin.close()
        process.wait()

        assert other.is_gone() is True


def test_a_killed_process_that_nobody_has_waited_for_is_gone():
    with child() as (process, other):
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # from here on it is a zombie

        assert other.is_gone() is True


def test_a_stopped_process_is_not_gone():
    with child() as (process, other):
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)

        gone = other.is_gone()
        process.send_signal(signal.SIGCONT)
        assert gone is False


def test_a_process_is_gone_whose_number_another_one_has_by_now():
    with child() as (_, earlier):
        pass
    with child() as (_, later):
        assert later.started != earlier.started

        assert replace(earlier, pid=later.pid).is_gone() is True


def test_a_number_that_no_process_has_is_of_one_that_is_gone():
    assert replace(this_process(), pid=2**22 + 1).is_gone() is True


def test_a_program_s_name_cannot_pass_for_its_state():
    with child("x) Z 1 (y") as (_, other):
        assert other.is_gone() is False


def test_of_a_process_on_another_machine_nothing_is_known():
    mine = this_process()

    assert replace(mine, machine=f"{mine.machine}/other").is_gone() is None
    assert replace(mine, machine="", pid=2**22 + 1).is_gone() is None


def test_a_machine_is_another_one_after_it_was_started_anew(tmp_path, monkeypatch):
    before = this_process()
    (tmp_path / "boot_id").write_text("another\n")
    monkeypatch.setattr(holder, "_BOOT_ID", tmp_path / "boot_id")

    assert this_process().machine != before.machine
    assert before.is_gone() is None


def test_without_a_list_of_processes_the_number_alone_tells(tmp_path, monkeypatch):
    monkeypatch.setattr(holder, "_BOOT_ID", tmp_path / "none")
    mine = this_process()

    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()

    assert mine.is_gone() is False
    assert replace(mine, pid=ended.pid).is_gone() is True


def test_of_a_process_that_this_user_may_not_see_nothing_is_known(tmp_path, monkeypatch):
    mine = this_process()
    monkeypatch.setattr(holder, "_PROCESSES", tmp_path)  # as with procfs mounted hidepid=2

    assert mine.is_gone() is None
    assert replace(mine, pid=2**22 + 1).is_gone() is True
