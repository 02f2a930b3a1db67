"""Both sides' models as a gate opens them: the adapter that is asked for, or the bare base."""

import asyncio
import json

import pytest
from fakes_llm import completion
from http_server import Asked, Reply, http_server
from peft_folder import peft_folder
from vllm_shaped import BASE, VllmShaped, vllm_shaped

from ingest.describe.describer import DescribeSettings
from polaris_search.errors import PolarisError, UsageError
from polaris_search.experiments.gate.writers import fingerprint as fingerprint_of
from polaris_search.experiments.gate.writers import opened_writer
from polaris_search.settings import read_settings
from trainer.adapters.registry import AdapterUnknown, Registry

NEW = "polaris-desc-20261202t020000z"


@pytest.fixture
def registry(tmp_path) -> Registry:
    peft_folder(tmp_path / "adapters" / NEW)
    return Registry(tmp_path)


def settings(registry: Registry, **told: str):
    named = {f"POLARIS_LLM_{name.upper()}": value for name, value in told.items()}
    return read_settings({"POLARIS_HOME": str(registry.home), **named})


def opened(name: str, registry: Registry, **told: str):
    """Return what was opened under this name: adapter, model and fingerprint."""
    writer = opened_writer(name, settings(registry, **told), registry, DescribeSettings())
    asyncio.run(writer.chat_model.close())
    return writer.chat_model.adapter, writer.chat_model.model, writer.fingerprint


def test_vllm_is_made_to_load_a_candidate_and_asked_for_it_by_name(registry):
    with vllm_shaped(vllm := VllmShaped()) as server:
        adapter, model, fingerprint = opened(NEW, registry, kind="vllm", url=server.address)

    folder = registry.root / NEW
    assert (adapter, model) == (NEW, BASE)
    assert fingerprint == fingerprint_of(folder)
    assert vllm.loaded == {NEW: str(folder.resolve())}


def test_what_vllm_lists_already_is_not_loaded_again_wherever_it_lies(registry, tmp_path):
    elsewhere = peft_folder(tmp_path / "elsewhere")
    vllm = VllmShaped()
    vllm.loaded[NEW] = str(elsewhere)

    with vllm_shaped(vllm) as server:
        opened(NEW, registry, kind="vllm", url=server.address)

    assert vllm.loaded == {NEW: str(elsewhere)}


def test_vllm_that_answers_as_the_base_is_not_judged_and_the_adapter_is_unloaded(registry):
    with vllm_shaped(vllm := VllmShaped(deaf=True)) as server, pytest.raises(PolarisError):
        opened(NEW, registry, kind="vllm", url=server.address)

    assert vllm.loaded == {}


@pytest.mark.parametrize("named", [None, BASE, NEW])
def test_the_base_is_asked_for_whatever_adapter_the_settings_name(registry, named):
    told = {"model": named} if named else {}
    with vllm_shaped(VllmShaped()) as server:
        found = opened("base", registry, kind="vllm", url=server.address, **told)

    assert found == (None, BASE, "")


def llamacpp_with_an_adapter_on(asked: Asked) -> Reply:
    if asked.path == "/v1/models":
        entry = {"id": "base.gguf", "object": "model", "meta": {"n_ctx": 4096}}
        return Reply(200, {"object": "list", "data": [entry]}, {})
    if asked.path == "/lora-adapters":
        return Reply(200, [{"id": 0, "path": "/adapters/other.gguf", "scale": 1.0}], {})
    return Reply(200, json.loads(completion('{"canary":"sings"}').body), {})


def test_a_base_that_is_served_with_an_adapter_on_is_no_base(registry):
    with (
        http_server(llamacpp_with_an_adapter_on) as server,
        pytest.raises(UsageError, match="served with the adapter 'other' on"),
    ):
        opened("base", registry, kind="llamacpp", url=server.address)


def test_a_server_that_does_not_serve_the_adapter_is_told_so(registry):
    with (
        http_server(llamacpp_with_an_adapter_on) as server,
        pytest.raises(UsageError, match=f"serves no '{NEW}'"),
    ):
        opened(NEW, registry, kind="llamacpp", url=server.address)


def test_an_unknown_adapter_and_no_model_are_usage_errors(registry):
    with pytest.raises(AdapterUnknown):
        opened("polaris-desc-x", registry)
    with pytest.raises(UsageError, match="POLARIS_LLM_URL"):
        opened("base", registry)


def test_a_copy_has_the_same_fingerprint_and_another_scale_or_weights_have_others(tmp_path):
    one, copy, scaled = (peft_folder(tmp_path / name) for name in ("one", "copy", "scaled"))
    config = scaled / "adapter_config.json"
    document = json.loads(config.read_text())
    config.write_text(json.dumps({**document, "lora_alpha": document["lora_alpha"] * 2}))

    assert fingerprint_of(one) == fingerprint_of(copy)
    others = (scaled, peft_folder(tmp_path / "other", seed=2))
    assert len({fingerprint_of(one), *map(fingerprint_of, others)}) == 3
