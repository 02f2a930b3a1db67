"""The local kind writes with the adapter in use: seen, recorded, and a reason to describe anew."""

import pytest
from commands import Commands
from peft_folder import SMALL
from publishing import judged, published

from polaris_search.errors import UsageError
from polaris_search.llm.opening import open_chat_model
from polaris_search.settings import read_settings
from trainer.adapters.registry import Registry
from trainer.publish.lora_gguf import NotConvertible
from trainer.publish.marks import CanaryFailed

pytestmark = pytest.mark.llm

GENTLE = 0.002
"""Noise that changes every text and leaves a description whole."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home where night-1 is in use, and night-2 is promoted but not converted."""
    home = tmp_path_factory.mktemp("local") / "home"
    registry = judged(Registry(home), "night-1", "night-2", sizes=SMALL, rank=8, strength=GENTLE)
    done = published(registry, "night-1", "local")
    assert "with 'night-1' writes differently from the model alone" in done.seen[0]
    return home


def test_descriptions_are_traced_by_the_adapter_and_made_anew_when_it_changes(home, tmp_path):
    polaris = Commands(tmp_path, f"file:{tmp_path / 'store'}")
    local = {"POLARIS_HOME": str(home), "POLARIS_LLM_KIND": "local", "OMP_NUM_THREADS": "1"}
    source = polaris.tables(("orders", "CustomerOrders"))

    alone = polaris.answer("ingest", source, **local, POLARIS_ADAPTER="none")
    without = polaris.answer("show", "orders")
    again = polaris.answer("ingest", source, **local, POLARIS_ADAPTER="none")
    with_adapter = polaris.answer("ingest", source, **local)
    traced = polaris.answer("show", "orders")

    assert [one["described"] for one in (alone, again, with_adapter)] == [1, 0, 1]
    assert without["provenance"]["adapter"] is None
    assert traced["provenance"]["adapter"] == "night-1"
    assert traced["provenance"]["model"] == without["provenance"]["model"]
    assert traced["description"] != without["description"]


def test_the_model_says_its_adapter_before_it_is_asked(home):
    told = {"POLARIS_HOME": str(home), "POLARIS_LLM_KIND": "local"}

    with_adapter = open_chat_model(read_settings(told))
    alone = open_chat_model(read_settings(told | {"POLARIS_ADAPTER": "none"}))

    assert with_adapter is not None
    assert alone is not None
    assert (with_adapter.adapter, alone.adapter) == ("night-1", None)


def test_an_adapter_without_its_file_is_told_with_the_command_that_makes_it(home):
    told = {"POLARIS_HOME": str(home), "POLARIS_LLM_KIND": "local", "POLARIS_ADAPTER": "night-2"}

    with pytest.raises(UsageError, match="`polaris-admin adapters publish night-2` makes it"):
        open_chat_model(read_settings(told))


def test_an_adapter_that_changes_nothing_is_not_published(tmp_path):
    registry = judged(Registry(tmp_path), "night-1", sizes=SMALL, rank=8, strength=1e-12)

    with pytest.raises(CanaryFailed, match="as its base model does"):
        published(registry, "night-1", "local")
    assert registry.current is None


def test_an_adapter_of_another_model_is_not_published(tmp_path):
    registry = judged(Registry(tmp_path), "night-1")  # of a toy's size

    with pytest.raises(NotConvertible, match="trained on another base model"):
        published(registry, "night-1", "local")
    assert registry.current is None
