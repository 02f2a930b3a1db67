"""Publishing to TGI: its API in front of a real llama.cpp, started again when a mark says so."""

import pytest
from peft_folder import SMALL
from publishing import SteppedTime, judged, marker, published
from restarted import SupervisedTgi, supervised_tgi

from polaris_search.errors import UsageError
from trainer.adapters.registry import Registry
from trainer.publish.marks import CanaryFailed
from trainer.publish.target import PublishFailed

pytestmark = pytest.mark.llm


NAMES = ("night-1", "night-2", "night-3", "night-4")


@pytest.fixture(scope="module")
def registry(tmp_path_factory) -> Registry:
    home = tmp_path_factory.mktemp("registry") / "home"
    return judged(Registry(home), *NAMES, sizes=SMALL, rank=8, strength=0.02)


@pytest.fixture(scope="module")
def tgi(tmp_path_factory, registry):
    """A server that serves night-1. What a test publishes in its place is its own."""
    folder = tmp_path_factory.mktemp("server")
    with supervised_tgi(folder, tmp_path_factory.mktemp("logs")) as running:
        publish(registry, running, "night-1")
        yield running


def publish(registry: Registry, tgi: tuple[SupervisedTgi, str], name: str, **more: object):
    server, address = tgi
    waiting = SteppedTime(server.obeyed()).waiting(2)
    how = {"server_folder": server.folder, "waiting": waiting}
    return published(registry, name, "tgi", address, **how | more)


def test_tgi_is_started_with_the_new_adapter_beside_the_old(registry, tgi):
    folder, was = tgi[0].folder, registry.current

    done = publish(registry, tgi, "night-2")

    assert registry.current == "night-2"
    assert "differently from its base model and the adapter before it" in done.seen[0]
    assert (folder / "adapters.env").read_text() == (
        f"LORA_ADAPTERS=night-2={folder}/night-2,{was}={folder}/{was}\n"
    )
    assert sorted(path.name for path in (folder / "night-2").iterdir()) == [
        "adapter_config.json",
        "adapter_model.safetensors",
    ]


def test_a_tgi_that_nobody_starts_again_answers_as_the_base_and_is_not_believed(registry, tgi):
    server, was = tgi[0], registry.current
    before = (server.folder / "adapters.env").read_bytes()
    server.obeys = False

    with pytest.raises(PublishFailed, match=r"2 s after its restart.*LORA_ADAPTERS=night-3=/\S+"):
        publish(registry, tgi, "night-3")

    server.obeys = True
    assert registry.current == was
    assert (server.folder / "adapters.env").read_bytes() == before
    assert marker(server.folder)["adapter"] == was


def test_the_old_adapter_under_the_new_name_is_found_out_by_what_it_writes(registry, tgi):
    server, was = tgi[0], registry.current
    before = (server.folder / "adapters.env").read_bytes()
    server.reads_instead = {str(server.folder / "night-4"): str(server.folder / was)}

    with pytest.raises(CanaryFailed, match="as the adapter before it does"):
        publish(registry, tgi, "night-4")

    assert registry.current == was
    assert (server.folder / "adapters.env").read_bytes() == before
    assert marker(server.folder)["adapter"] == was


def test_without_a_folder_that_tgi_reads_nothing_is_tried(registry, tgi):
    with pytest.raises(UsageError, match="--server-folder DIR"):
        publish(registry, tgi, "night-3", server_folder=None)
