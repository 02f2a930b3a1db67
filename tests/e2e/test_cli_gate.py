"""`polaris-admin adapters gate` as a person runs it, against a server that serves two adapters.

What each adapter knows of the tables is scripted (tests/gate_world.py); registry, describer, index
and searches are the product's.
"""

import json
import re
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from commands import Commands
from gate_world import (
    World,
    Write,
    knowing,
    no_thing,
    one_thing,
    query_id,
    things,
    written_about,
)
from http_server import HttpServer
from peft_folder import peft_folder, record
from scripted_llm import BASE, ScriptedLlm, scripted_server
from servers import wait_until

from polaris_search.evaluate.dataset import read_dataset
from polaris_search.experiments.held_out import HeldOut, judgments_hash
from trainer.adapters.record import write_record

NEW, OLD = "polaris-desc-20261202t020000z", "polaris-desc-20261201t020000z"
WORLD = World()
HELD_OUT = [query_id(n, side) for n in range(0, 60, 2) for side in (0, 1)]
WAIT_S = 60


class KnowingServer(ScriptedLlm):
    """Speaks as vLLM does; each of its models knows what a test says of the tables.

    From the n-th table on it keeps whoever asks waiting until `go_on` is set.
    """

    def __init__(self, knows: Mapping[str, Write], waits_at: int | None = None) -> None:
        super().__init__([name for name in knows if name != BASE])
        self.asked_about: list[tuple[str, str]] = []
        self.go_on = threading.Event()
        self._knows = knows
        self._waits_at = waits_at

    def _completion(self, body):
        answer = super()._completion(body)
        prompt = body["messages"][-1]["content"]
        if shown := re.search(r"name: (tq ?\d+)", prompt):
            self.asked_about.append((body["model"], shown[1]))
            if self._waits_at is not None and len(self.asked_about) >= self._waits_at:
                self.go_on.wait(WAIT_S)
            text = written_about(prompt, body["seed"], self._knows[body["model"]])
            answer["choices"][0]["message"]["content"] = text
        return answer


@pytest.fixture
def polaris(tmp_path) -> Commands:
    """Commands in a folder with data, held-out queries and two adapters."""
    data = WORLD.folder(tmp_path / "data")
    (tmp_path / "pairs.jsonl.record.json").write_text(json.dumps({"held_out_queries": HELD_OUT}))
    trained_on = judgments_hash(read_dataset(data), HeldOut(0.5, 42, tuple(HELD_OUT)))
    for seed, name in enumerate((OLD, NEW)):
        folder = peft_folder(tmp_path / "polaris-data" / "adapters" / name, seed=seed)
        write_record(folder, record(name, judgments_hash=trained_on))
    return Commands(tmp_path, "file:store")


@contextmanager
def served(new: Write) -> Iterator[tuple[KnowingServer, dict]]:
    """Serve the adapters, and give the settings that name their server."""
    knowing_server = KnowingServer({NEW: new, OLD: knowing(one_thing), BASE: knowing(no_thing)})
    with scripted_server(knowing_server) as server:
        yield knowing_server, told(server)


def told(server: HttpServer) -> dict[str, str]:
    return {
        "POLARIS_LLM_URL": server.address,
        "POLARIS_LLM_KIND": "vllm",
        "POLARIS_LLM_CONCURRENCY": "4",
    }


def gate(*more: object) -> tuple[object, ...]:
    held_out = ("--held-out", "pairs.jsonl.record.json")
    return ("adapters", "gate", NEW, "--dataset", "data", *held_out, *more)


def folder_of(polaris: Commands) -> Path:
    return polaris.folder / "polaris-data" / "adapters" / NEW


def state(polaris: Commands) -> str:
    (found,) = [
        one["state"] for one in polaris.answer("adapters", "list")["adapters"] if one["name"] == NEW
    ]
    return found


def test_a_better_adapter_passes_and_is_promoted_by_its_report(polaris):
    with served(knowing(things)) as (_, settings):
        report = polaris.answer(*gate(), **settings)
        promoted = polaris("adapters", "promote", NEW, **settings)

    assert report["verdict"] == "promote"
    assert (report["candidate"], report["reference"]) == (NEW, "base")
    assert "its record shows it" in report["made_with"]["held_out"]
    assert json.loads((folder_of(polaris) / "gate.json").read_text()) == report
    assert (folder_of(polaris) / "gate.md").read_text().startswith(f"# {NEW}: promote\n")
    assert promoted.returncode == 0, promoted.stderr
    assert state(polaris) == "promoted"


def test_a_worse_adapter_exits_1_is_rejected_and_not_promoted(polaris):
    with served(knowing(no_thing)) as (_, settings):
        finished = polaris(*gate("--against", OLD), **settings)
        promoted = polaris("adapters", "promote", NEW, **settings)

    said = finished.stdout.decode()
    assert finished.returncode == 1
    assert said.startswith(f"refuse: {NEW} against {OLD}, 60 held-out queries for 30 tables")
    assert "falls by more than 0.005" in said
    assert state(polaris) == "rejected"
    assert promoted.returncode == 1
    assert b"The gate refused" in promoted.stderr


def test_broken_json_exits_1_whatever_it_knows(polaris):
    def broken(number, chance):
        return knowing(things)(number, chance)[:-9]

    with served(broken) as (_, settings):
        report = polaris.answer(*gate(), exit_code=1, **settings)

    assert report["verdict"] == "refuse"
    assert any("JSON of six texts: 0.000 against 1.000" in reason for reason in report["reasons"])


def test_an_adapter_that_began_from_one_trained_on_all_judgments_is_not_judged_by_them(polaris):
    everything = judgments_hash(read_dataset(polaris.folder / "data"))
    write_record(folder_of(polaris).with_name(OLD), record(OLD, judgments_hash=everything))
    write_record(folder_of(polaris), record(NEW, judgments_hash="another", parent=OLD))

    finished = polaris(*gate())

    assert finished.returncode == 1
    assert b"was trained on all judgments of data" in finished.stderr


def test_the_current_adapter_is_what_the_next_one_is_compared_with(polaris):
    with served(knowing(things)) as (_, settings):
        polaris("adapters", "promote", OLD, "--force", "the first", **settings)
        report = polaris.answer(*gate(), **settings)
        itself = polaris(*gate("--against", NEW), **settings)

    assert report["reference"] == OLD
    assert itself.returncode == 2
    assert b"compared with itself" in itself.stderr


def test_killed_and_started_again_no_table_is_described_twice(polaris):
    waiting = KnowingServer(
        {NEW: knowing(things), OLD: knowing(one_thing), BASE: knowing(no_thing)}, waits_at=40
    )
    with scripted_server(waiting) as server:
        first = polaris.start(*gate("--against", OLD), **told(server))
        wait_until(lambda: len(waiting.asked_about) >= 40, WAIT_S, "forty tables were asked about")
        first.send_signal(signal.SIGKILL)
        first.communicate()
        before = list(waiting.asked_about)
        waiting.go_on.set()
        report = polaris.answer(*gate("--against", OLD), **told(server))

    again = waiting.asked_about[len(before) :]
    assert report["verdict"] == "promote"
    # Four were under way: those answers, and those just on their way to the file, are lost.
    assert len(set(before) & set(again)) <= 2 * 4
    assert len(again) <= 120 - 40 + 2 * 4
    assert len(set(before) | set(again)) == 120


def test_an_adapter_trained_on_all_judgments_is_not_judged_by_them(polaris):
    everything = judgments_hash(read_dataset(polaris.folder / "data"))
    write_record(folder_of(polaris), record(NEW, judgments_hash=everything))

    with served(knowing(things)) as (server, settings):
        finished = polaris("adapters", "gate", NEW, "--dataset", "data", **settings)

    assert finished.returncode == 1
    assert b"was trained on all judgments of data" in finished.stderr
    assert server.asked_about == []
    assert not (folder_of(polaris) / "gate.json").exists()


def test_a_server_that_is_away_exits_3_and_leaves_no_verdict(polaris):
    with served(knowing(things)) as (_, settings):
        pass

    finished = polaris(*gate(), **settings)

    assert finished.returncode == 3
    assert state(polaris) == "candidate"


def test_no_model_and_no_such_adapter_are_usage_errors(polaris):
    no_model = polaris(*gate())
    no_adapter = polaris("adapters", "gate", "polaris-desc-x", "--dataset", "data")

    assert (no_model.returncode, no_adapter.returncode) == (2, 2)
    assert b"POLARIS_LLM_URL" in no_model.stderr
    assert b"No adapter 'polaris-desc-x'" in no_adapter.stderr
