"""Publishing to vLLM servers, by the shapes that it has published: all get the adapter, or none."""

import pytest
from asking_llm import closed_address
from peft_folder import peft_folder
from publishing import judged, published
from vllm_shaped import VllmShaped, vllm_shaped

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.adapters import AdapterRefused, unload_adapter
from trainer.adapters.promotion import NotPromoted
from trainer.adapters.registry import Registry
from trainer.publish.marks import CanaryFailed


@pytest.fixture
def registry(tmp_path) -> Registry:
    """One adapter in use, and one that may take its place."""
    registry = judged(Registry(tmp_path / "home"), "night-1", "night-2")
    with vllm_shaped(VllmShaped()) as server:
        published(registry, "night-1", "vllm", server.address)
    return registry


@pytest.fixture
def two(registry):
    """Two servers that serve the adapter in use."""
    one, other = VllmShaped(), VllmShaped()
    for each in (one, other):
        each.loaded["night-1"] = str(registry.root / "night-1")
    with vllm_shaped(one) as first, vllm_shaped(other) as second:
        yield one, other, (first.address, second.address)


def test_a_new_adapter_is_loaded_everywhere_then_in_use_and_the_old_one_unloaded(registry, two):
    one, other, urls = two

    done = published(registry, "night-2", "vllm", *urls)

    assert one.loaded == other.loaded == {"night-2": str(registry.root / "night-2")}
    assert registry.current == "night-2"
    assert done.change is not None
    assert done.change.was == "night-1"
    assert len(done.seen) == 2
    assert "lists 'night-2', answers under its name, and differently from 'base-8b'" in done.seen[0]


def test_an_adapter_that_one_server_refuses_is_taken_back_from_those_that_have_it(registry, two):
    one, other, urls = two
    other.max_rank = 2

    with pytest.raises(AdapterRefused, match="Start vLLM with --max-lora-rank 8"):
        published(registry, "night-2", "vllm", *urls)

    assert set(one.loaded) == set(other.loaded) == {"night-1"}
    assert registry.current == "night-1"


def test_a_server_that_is_away_leaves_the_old_adapter_everywhere(registry, two):
    one, _, urls = two

    with pytest.raises(ServiceUnreachable):
        published(registry, "night-2", "vllm", urls[0], closed_address())

    assert set(one.loaded) == {"night-1"}
    assert registry.current == "night-1"


def test_an_adapter_that_writes_as_the_base_is_taken_back(registry, two):
    one, other, urls = two
    other.deaf = True

    with pytest.raises(CanaryFailed, match="as its base model does"):
        published(registry, "night-2", "vllm", *urls)

    assert set(one.loaded) == set(other.loaded) == {"night-1"}
    assert registry.current == "night-1"


@pytest.mark.parametrize("same_words", [False, True], ids=["other words", "the same words"])
def test_the_old_adapter_under_the_new_name_is_found_out(registry, two, same_words):
    one, other, urls = two
    other.read_instead = registry.root / "night-1"
    one.same_words = other.same_words = same_words

    with pytest.raises(CanaryFailed, match="as the adapter before it does"):
        published(registry, "night-2", "vllm", *urls)

    assert set(one.loaded) == set(other.loaded) == {"night-1"}


def test_adapters_that_write_the_same_words_are_told_apart_by_how_likely_these_are(registry, two):
    one, other, urls = two
    one.same_words = other.same_words = True

    published(registry, "night-2", "vllm", *urls)

    assert registry.current == "night-2"


def test_a_reply_under_another_name_is_not_the_adapters(registry, two):
    _, other, urls = two
    other.answers_as = "base-8b"

    with pytest.raises(CanaryFailed, match="asked for 'night-.' and answered as 'base-8b'"):
        published(registry, "night-2", "vllm", *urls)


def test_what_an_earlier_try_has_loaded_is_gone_on_with(registry, two):
    one, other, urls = two
    one.loaded["night-2"] = str(registry.root / "night-2")

    published(registry, "night-2", "vllm", *urls)

    assert set(one.loaded) == set(other.loaded) == {"night-2"}


def test_another_adapter_under_the_name_is_never_taken_for_it(registry, two, tmp_path):
    one, _, urls = two
    one.loaded["night-2"] = str(peft_folder(tmp_path / "stranger"))

    with pytest.raises(AdapterRefused, match="Give each adapter a new name"):
        published(registry, "night-2", "vllm", *urls)

    assert registry.current == "night-1"


def test_the_one_in_use_is_published_again_to_a_server_that_was_started_anew(registry, two):
    one, _, urls = two
    one.loaded.clear()

    done = published(registry, "night-1", "vllm", *urls)

    assert one.loaded == {"night-1": str(registry.root / "night-1")}
    assert done.change is None
    assert len(registry.history()) == 1


def test_publishing_one_that_was_in_use_goes_back_to_it_servers_first(registry, two):
    one, other, urls = two
    published(registry, "night-2", "vllm", *urls)

    done = published(registry, "night-1", "vllm", *urls)

    assert done.change is not None
    assert done.change.how == "rolled back"
    assert set(one.loaded) == set(other.loaded) == {"night-1"}


def test_what_the_gate_refused_reaches_no_server(registry, two):
    one, _, urls = two
    registry.write_gate("night-2", b'{"verdict": "refuse", "reasons": ["nDCG@10 fell."]}')

    with pytest.raises(NotPromoted, match=r"nDCG@10 fell\."):
        published(registry, "night-2", "vllm", *urls)
    assert set(one.loaded) == {"night-1"}


def test_servers_elsewhere_are_given_a_copy_and_the_path_that_they_see(registry, two, tmp_path):
    one, _, urls = two
    shared = tmp_path / "shared"
    seen = tmp_path / "seen"  # as the server has it mounted
    shared.mkdir()
    seen.symlink_to(shared)

    published(registry, "night-2", "vllm", *urls, server_folder=shared, server_path=seen)

    assert one.loaded == {"night-2": str(seen / "night-2")}
    assert sorted(path.name for path in (shared / "night-2").iterdir()) == [
        "adapter_config.json",
        "adapter_model.safetensors",
    ]


def test_a_name_that_is_set_for_good_is_told(registry, two):
    _, _, urls = two
    named = {"POLARIS_LLM_MODEL": "night-1"}

    done = published(registry, "night-2", "vllm", *urls, settings=named)

    assert "POLARIS_LLM_MODEL names 'night-1', which is still asked for" in done.notices[-1]


def test_unloading_what_is_not_there_is_harmless(two):
    one, _, urls = two

    unload_adapter(urls[0], None, "never-loaded")

    assert set(one.loaded) == {"night-1"}
