"""Publishing to a real llama.cpp server that somebody else runs and starts again when asked to."""

import shutil

import pytest
from peft_folder import SMALL
from publishing import SteppedTime, judged, marker, published
from restarted import SupervisedLlamacpp, supervised_llamacpp

from polaris_search.errors import UsageError
from polaris_search.llm.local.gguf import find_gguf
from polaris_search.llm.opening import open_chat_model
from polaris_search.settings import read_settings
from trainer.adapters.registry import Registry
from trainer.publish.marks import CanaryFailed
from trainer.publish.target import PublishFailed

pytestmark = pytest.mark.llm


NAMES = ("night-1", "night-2", "night-3", "night-4", "night-5")


@pytest.fixture(scope="module")
def registry(tmp_path_factory) -> Registry:
    home = tmp_path_factory.mktemp("registry") / "home"
    return judged(Registry(home), *NAMES, sizes=SMALL, rank=8, strength=0.02)


@pytest.fixture(scope="module")
def server(tmp_path_factory, registry):
    """A server that serves night-1. What a test publishes in its place is its own."""
    folder = tmp_path_factory.mktemp("server")
    with supervised_llamacpp(folder, tmp_path_factory.mktemp("logs")) as running:
        publish(registry, running, "night-1")
        yield running


def publish(registry: Registry, server: SupervisedLlamacpp, name: str, **more: object):
    time = SteppedTime(server.obeyed())
    how = {"server_folder": server.folder, "base": find_gguf(None), "waiting": time.waiting(5)}
    return published(registry, name, "llamacpp", server.url, **how | more)


def test_the_server_is_started_with_the_new_adapter_beside_the_old(registry, server):
    starts, was = server.starts, registry.current

    done = publish(registry, server, "night-2")

    assert "has read 'night-2 " in done.seen[0]
    assert done.change is not None
    assert (registry.current, done.change.was) == ("night-2", was)
    assert server.starts == starts + 1
    told = {"POLARIS_LLM_KIND": "llamacpp", "POLARIS_LLM_URL": server.url}
    told["POLARIS_HOME"] = str(registry.home)
    model = open_chat_model(read_settings(told))
    assert model is not None
    assert model.adapter == "night-2"  # asked for without being named


def test_a_server_that_nobody_starts_again_leaves_everything_as_it_was(registry, server):
    was, before = registry.current, (server.folder / "adapters.env").read_bytes()
    server.obeys = False

    with pytest.raises(PublishFailed, match=r"5 s after.*--lora \S+/night-3\.gguf"):
        publish(registry, server, "night-3")

    server.obeys = True
    assert registry.current == was
    assert (server.folder / "adapters.env").read_bytes() == before
    assert marker(server.folder)["adapter"] == was


def test_another_file_under_the_new_name_is_found_out_by_what_it_says_it_is(registry, server):
    was = registry.current
    time = SteppedTime(_swapped_then_obeyed(server, was))

    with pytest.raises(CanaryFailed, match=f"another file under that name: it says '{was} "):
        publish(registry, server, "night-4", waiting=time.waiting(5))

    assert registry.current == was
    server.obey()  # the mark now asks for what served before
    assert f"{was}.gguf" in (server.folder / "adapters.env").read_text()
    assert "night-4" not in (server.folder / "adapters.env").read_text()


def _swapped_then_obeyed(server: SupervisedLlamacpp, other: str):
    shutil.copyfile(server.folder / f"{other}.gguf", server.folder / "night-4.gguf")
    yield from server.obeyed()


def test_a_server_that_was_started_with_it_by_hand_is_only_looked_at(registry, server):
    mark, other = marker(server.folder), registry.current
    with pytest.raises(UsageError, match=r"Start llama-server with --lora \S+night-5\.gguf"):
        publish(registry, server, "night-5", server_folder=None)
    made = registry.root / "night-5" / "night-5.gguf"
    server.stop()
    server.start({"LLAMA_ADAPTER_ARGUMENTS": f"--lora {made} --lora {server.folder / other}.gguf"})

    publish(registry, server, "night-5", server_folder=None)

    assert registry.current == "night-5"
    assert marker(server.folder) == mark
