"""The local model: its parts are found or asked for in words, and its process is looked after."""

import asyncio
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from fakes_llm import Answer, chat_server, completion

from polaris_search.errors import ServiceUnreachable, UsageError
from polaris_search.llm.local import child_server, gguf
from polaris_search.llm.local.child_server import LocalPlan, start_local_server
from polaris_search.llm.local.gguf import find_gguf
from polaris_search.llm.local.local_model import MAX_STARTS, LocalChatModel
from polaris_search.llm.model import ChatMessage, ChatRequest
from polaris_search.llm.opening import open_chat_model
from polaris_search.settings import read_settings

HELLO = ChatRequest((ChatMessage("user", "Hello"),), max_tokens=30)


def test_missing_server_says_what_to_install(monkeypatch):
    monkeypatch.setattr(gguf, "SERVER_PACKAGE", "no_such_package_anywhere")

    with pytest.raises(UsageError, match=r"pip install 'polaris-search\[local\]'"):
        open_chat_model(read_settings({"POLARIS_LLM_KIND": "local"}))


def test_missing_model_says_which_setting_names_one(monkeypatch):
    monkeypatch.setattr(gguf, "SMALL_MODEL_PACKAGE", "no_such_package_anywhere")

    with pytest.raises(UsageError, match="POLARIS_LOCAL_MODEL"):
        find_gguf(None)


def test_named_model_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"POLARIS_LOCAL_MODEL names .*gone\.gguf"):
        find_gguf(tmp_path / "gone.gguf")


def test_file_of_another_format_is_refused(tmp_path):
    path = tmp_path / "weights.gguf"
    path.write_bytes(b"PK\x03\x04")

    with pytest.raises(UsageError, match="no GGUF file"):
        find_gguf(path)


def test_no_model_is_opened_where_none_is_set():
    assert open_chat_model(read_settings({})) is None


def test_address_that_is_none_is_refused():
    with pytest.raises(UsageError, match="POLARIS_LLM_URL"):
        open_chat_model(read_settings({"POLARIS_LLM_URL": "localhost:8000"}))


def test_server_that_ends_at_its_start_names_the_log(tmp_path, monkeypatch):
    monkeypatch.setattr(child_server, "require_server", lambda: None)
    monkeypatch.setattr(child_server.sys, "executable", "/bin/false")
    plan = LocalPlan(tmp_path / "model.gguf", tmp_path / "logs" / "local-model.log")

    with pytest.raises(ServiceUnreachable, match=r"code 1.*local-model\.log"):
        start_local_server(plan)


def test_server_that_never_gets_ready_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(child_server, "require_server", lambda: None)
    sleeper = tmp_path / "sleeper"
    sleeper.write_text("#!/bin/sh\nexec cat >/dev/null\n")
    sleeper.chmod(0o700)
    monkeypatch.setattr(child_server.sys, "executable", str(sleeper))
    plan = LocalPlan(tmp_path / "model.gguf", tmp_path / "local-model.log")
    clock = iter(range(0, 1000, 100)).__next__

    with pytest.raises(ServiceUnreachable, match="did not get ready"):
        start_local_server(plan, deadline_s=150, clock=clock, sleep=lambda _: None)


class StandIn:
    """A LocalServer without a process: an HTTP server of the test stands behind it."""

    def __init__(self, plan: LocalPlan, url: str) -> None:
        self.plan = plan
        self.url = url
        self.api_key = "local-key"
        self.is_running = True
        self.stopped = 0

    def stop(self) -> None:
        self.is_running = False
        self.stopped += 1


@pytest.fixture
def plan() -> LocalPlan:
    return LocalPlan(Path("small.gguf"), Path("local-model.log"), slots=2)


def test_server_starts_at_the_first_request_and_ends_with_the_model(plan):
    with chat_server() as http:
        started = []

        def start(plan, *, given_up):
            started.append(StandIn(plan, http.url))
            return started[-1]

        async def run():
            model = LocalChatModel(plan, timeout_s=5, start=start)
            assert not started
            http.enqueue(completion("One."), completion("Two."))
            await model.chat(HELLO)
            await model.chat(HELLO)
            await model.close()
            return model

        model = asyncio.run(run())

    assert len(started) == 1
    assert started[0].stopped == 1
    assert model.model == "small"
    assert http.asked[0].headers["authorization"] == "Bearer local-key"


def test_server_that_dies_is_started_again_and_given_up_in_the_end(plan):
    with chat_server() as http:
        started = []

        def start(plan, *, given_up):
            started.append(StandIn(plan, http.url))
            return started[-1]

        async def run():
            model = LocalChatModel(plan, timeout_s=5, start=start)
            http.enqueue(*[completion("Alive.")] * MAX_STARTS)
            for _ in range(MAX_STARTS):
                await model.chat(HELLO)
                started[-1].is_running = False
            with pytest.raises(ServiceUnreachable, match=r"local-model\.log"):
                await model.chat(HELLO)
            await model.close()

        asyncio.run(run())

    assert len(started) == MAX_STARTS


def test_prefix_is_read_once_and_copied_to_every_slot(plan):
    prefix = (ChatMessage("system", "Always the same."),)
    with chat_server() as http:
        http.gets["/slots"] = Answer(body='[{"id":0},{"id":1,"n_prompt_tokens":40}]')
        http.enqueue(completion("."), Answer(body="{}"), Answer(body="{}"))

        async def run():
            model = LocalChatModel(
                plan, timeout_s=5, start=lambda plan, given_up: StandIn(plan, http.url)
            )
            await model.begin_with(prefix)
            await model.close()

        asyncio.run(run())

    assert [asked.path for asked in http.asked] == [
        "/v1/chat/completions",
        "/slots/1?action=save",
        "/slots/0?action=restore",
    ]
    assert http.asked[0].body["max_tokens"] == 1
    assert http.asked[0].body["messages"] == [{"role": "system", "content": "Always the same."}]


def test_model_whose_slots_cannot_be_saved_works_without_sharing(plan):
    with chat_server() as http:
        http.gets["/slots"] = Answer(501, "no slots")
        http.enqueue(completion("."), completion("Still."))

        async def run():
            model = LocalChatModel(
                plan, timeout_s=5, start=lambda plan, given_up: StandIn(plan, http.url)
            )
            await model.begin_with(HELLO.messages)
            reply = await model.chat(HELLO)
            await model.close()
            return reply

        assert asyncio.run(run()).text == "Still."


class DeafServer:
    """A server's program that never gets ready and hears nothing, not even its pipe's end."""

    def __init__(self, start) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.started = threading.Event()
        self._start = start

    def start(self, *given):
        self.processes.append(self._start(*given))
        self.started.set()
        return self.processes[-1]


@pytest.fixture
def deaf(tmp_path, monkeypatch) -> DeafServer:
    program = tmp_path / "deaf"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o700)
    server = DeafServer(child_server._start)
    monkeypatch.setattr(child_server, "require_server", lambda: None)
    monkeypatch.setattr(child_server.sys, "executable", str(program))
    monkeypatch.setattr(child_server, "_start", server.start)
    return server


async def closed(model, asking):
    await model.close()
    with pytest.raises(ServiceUnreachable, match="closed"):
        await asking


async def all_cancelled(model, asking):
    # So does an ingest that is interrupted.
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await model.close()


@pytest.mark.parametrize("end", [closed, all_cancelled])
def test_server_that_is_still_starting_is_ended_at_once(deaf, tmp_path, end):
    plan = LocalPlan(tmp_path / "model.gguf", tmp_path / "local-model.log")

    async def run():
        model = LocalChatModel(plan, timeout_s=5)
        asking = asyncio.create_task(model.chat(HELLO))
        await asyncio.to_thread(deaf.started.wait)
        began = time.monotonic()
        await end(model, asking)
        with pytest.raises(ServiceUnreachable, match="closed"):
            await model.chat(HELLO)
        return began

    began = asyncio.run(run())

    assert time.monotonic() - began < child_server.STOP_S / 2
    assert [process.returncode for process in deaf.processes] == [-signal.SIGKILL]


def test_interrupt_ends_a_server_that_is_still_starting_at_once(deaf, tmp_path):
    plan = LocalPlan(tmp_path / "model.gguf", tmp_path / "local-model.log")

    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start_local_server(plan, sleep=interrupted)

    assert [process.returncode for process in deaf.processes] == [-signal.SIGKILL]
