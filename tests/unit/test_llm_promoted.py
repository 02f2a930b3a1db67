"""Which adapter the settings choose, and how it is asked for."""

from datetime import UTC, datetime

import pytest

from polaris_search.errors import SettingInvalid
from polaris_search.llm.local.child_server import LocalPlan
from polaris_search.llm.local.local_model import LocalChatModel
from polaris_search.llm.promoted import (
    AdapterAbsent,
    chosen_adapter,
    local_adapter,
    with_chosen_adapter,
)
from polaris_search.llm.promotions import Change
from polaris_search.settings import read_settings
from trainer.adapters.history import write_history


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "adapters"
    (folder / "night-2").mkdir(parents=True)
    at = datetime(2026, 11, 30, 2, tzinfo=UTC)
    write_history(folder, [Change(at, "night-2", None, "promoted", "It may.")])
    return tmp_path


def settings(home, **more: str):
    return read_settings({"POLARIS_HOME": str(home), **more})


@pytest.mark.parametrize(
    ("named", "chosen"),
    [("current", "night-2"), ("", "night-2"), ("none", None), ("night-1", "night-1")],
)
def test_the_setting_chooses_the_current_one_none_or_one_by_name(home, named, chosen):
    assert chosen_adapter(settings(home, POLARIS_ADAPTER=named)) == chosen


@pytest.mark.parametrize("name", ["../night-1", "a/b", ".hidden", "a b", "a,b"])
def test_a_name_that_no_folder_of_the_registry_has_is_refused(home, name):
    with pytest.raises(SettingInvalid, match="current, none or an adapter's name was expected"):
        settings(home, POLARIS_ADAPTER=name)


def test_without_a_registry_there_is_none(tmp_path):
    assert chosen_adapter(settings(tmp_path / "nowhere")) is None


@pytest.mark.parametrize("kind", ["vllm", "tgi", "llamacpp"])
def test_a_server_that_knows_adapters_is_asked_for_it_unless_a_model_is_named(home, kind):
    chosen = with_chosen_adapter(settings(home, POLARIS_LLM_KIND=kind))
    named = with_chosen_adapter(settings(home, POLARIS_LLM_KIND=kind, POLARIS_LLM_MODEL="base-8b"))
    alone = with_chosen_adapter(settings(home, POLARIS_LLM_KIND=kind, POLARIS_ADAPTER="none"))

    assert (chosen.llm_model, named.llm_model, alone.llm_model) == ("night-2", "base-8b", None)


def test_a_generic_server_is_never_asked_for_an_adapter(home):
    assert with_chosen_adapter(settings(home, POLARIS_LLM_KIND="openai")).llm_model is None


def test_the_local_model_reads_the_adapters_file_which_has_to_be_there(home):
    told = settings(home, POLARIS_LLM_KIND="local")
    with pytest.raises(AdapterAbsent, match="`polaris-admin adapters publish night-2` makes it"):
        local_adapter(told)
    path = home / "adapters" / "night-2" / "night-2.gguf"
    path.write_bytes(b"GGUF")

    assert local_adapter(told) == path.resolve()
    assert local_adapter(settings(home, POLARIS_ADAPTER="none")) is None


def test_an_adapter_that_the_registry_has_not_is_looked_for_in_its_list(home):
    with pytest.raises(AdapterAbsent) as refused:
        local_adapter(settings(home, POLARIS_LLM_KIND="local", POLARIS_ADAPTER="nosuch"))

    said = str(refused.value)
    assert "has no such adapter. `polaris-admin adapters list` shows those that it has" in said
    assert "publish nosuch" not in said


def test_the_local_model_is_traced_by_its_adapters_name(tmp_path):
    alone = LocalPlan(tmp_path / "base.gguf", tmp_path / "log")
    adapted = LocalPlan(tmp_path / "base.gguf", tmp_path / "log", adapter=tmp_path / "night-2.gguf")

    models = [LocalChatModel(plan, timeout_s=1) for plan in (alone, adapted)]

    assert [(one.model, one.adapter) for one in models] == [("base", None), ("base", "night-2")]
