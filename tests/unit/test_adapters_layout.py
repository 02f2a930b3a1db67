"""What makes a folder an adapter, and what is wrong with one that is none."""

import json
import struct

import numpy as np
import pytest
from peft_folder import RANK, peft_folder, write_safetensors

from trainer.adapters.layout import AdapterInvalid, checked_adapter, read_adapter
from trainer.adapters.weights import WeightsUnreadable, read_tensor, tensors_of

WEIGHTS = "adapter_model.safetensors"


def refused(folder) -> str:
    with pytest.raises(AdapterInvalid) as told:
        checked_adapter(folder)
    return str(told.value)


def test_rank_alpha_base_and_projections_are_read(tmp_path):
    adapter = checked_adapter(peft_folder(tmp_path))

    assert (adapter.rank, adapter.alpha, adapter.base_model) == (RANK, 2 * RANK, "toy-llama")
    assert adapter.targets == (
        "down_proj",
        "gate_proj",
        "k_proj",
        "o_proj",
        "q_proj",
        "up_proj",
        "v_proj",
    )
    assert len(adapter.modules) == 2 * 7


@pytest.mark.parametrize("kind", ["F32", "F16", "BF16"])
def test_numbers_of_each_float_type_are_read_as_they_are(tmp_path, kind):
    exact = np.array([[0.5, -2.0, 1.0], [0.0, 384.0, -0.25]], np.float32)  # each type has these
    path = write_safetensors(tmp_path / WEIGHTS, {"x": exact, "y": 2 * exact}, kind)

    found = {one.name: read_tensor(path, one) for one in tensors_of(path)}

    assert found["x"].dtype == np.float32
    np.testing.assert_array_equal(found["x"], exact)
    np.testing.assert_array_equal(found["y"], 2 * exact)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused_with_its_place(tmp_path, bad):
    folder = peft_folder(tmp_path)
    tensors = {one.name: read_tensor(folder / WEIGHTS, one) for one in tensors_of(folder / WEIGHTS)}
    name = sorted(tensors)[9]
    tensors[name][-1, -1] = bad
    write_safetensors(folder / WEIGHTS, tensors)

    assert f"{name} holds numbers that are not finite" in refused(folder)


@pytest.mark.parametrize("share", [0, 4, 100, 0.5, 0.999])
def test_weights_that_are_cut_off_anywhere_are_refused(tmp_path, share):
    path = peft_folder(tmp_path) / WEIGHTS
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole)) if share < 1 else share])

    assert WEIGHTS in refused(tmp_path)


def test_weights_that_are_longer_than_they_say_are_refused(tmp_path):
    path = peft_folder(tmp_path) / WEIGHTS
    path.write_bytes(path.read_bytes() + b"\0")

    assert "longer than its table of contents says" in refused(tmp_path)


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"{",
        b'{"x": 1}',
        b'{"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}',
        b'{"x": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}',
        b'{"x": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}}',
        b'{"x": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}',
        b"[" * 100_000,
    ],
    ids=range(8),
)
def test_a_table_of_contents_that_makes_no_sense_is_refused(tmp_path, header):
    path = tmp_path / WEIGHTS
    path.write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 8)

    with pytest.raises(WeightsUnreadable):
        tensors_of(path)


def test_a_header_that_claims_to_be_huge_is_not_read(tmp_path):
    path = tmp_path / WEIGHTS
    path.write_bytes(struct.pack("<Q", 2**62) + b"{}")

    with pytest.raises(WeightsUnreadable, match="no safetensors file"):
        tensors_of(path)


def test_a_folder_without_settings_or_with_those_of_something_else_is_refused(tmp_path):
    folder = peft_folder(tmp_path)
    config = folder / "adapter_config.json"

    config.write_text(json.dumps({"peft_type": "IA3", "r": 4, "lora_alpha": 8}))
    assert "not that of a LoRA adapter" in refused(folder)
    config.write_text("{")
    assert "cannot be read" in refused(folder)
    config.write_text(json.dumps({"peft_type": "LORA", "r": 0, "lora_alpha": 8}))
    assert "says r = 0" in refused(folder)
    config.unlink()
    assert "there is no adapter_config.json" in refused(folder)


def test_the_reference_copy_that_a_training_leaves_is_refused_and_never_served(tmp_path):
    folder = peft_folder(tmp_path / "adapter")
    peft_folder(folder / "ref", seed=2)

    told = refused(folder)

    assert "second adapter in it, 'ref'" in told
    assert f"Remove the folder {folder / 'ref'}" in told


@pytest.mark.parametrize(
    "name",
    [
        "base_model.model.model.layers.0.mlp.up_proj.lora_A.ref.weight",  # saved with its name
        "base_model.model.model.embed_tokens.lora_embedding_A",
        "base_model.model.model.layers.0.mlp.up_proj.lora_magnitude_vector",
        "base_model.model.lm_head.modules_to_save.weight",
    ],
)
def test_weights_beside_those_of_a_plain_lora_are_refused_by_name(tmp_path, name):
    folder = peft_folder(tmp_path, more={name: np.ones((RANK, 2), np.float32)})

    assert repr(name) in refused(folder)


def test_a_part_without_its_other_part_is_refused(tmp_path):
    lone = "base_model.model.model.layers.7.mlp.up_proj.lora_A.weight"
    folder = peft_folder(tmp_path, more={lone: np.ones((RANK, 2), np.float32)})

    assert "model.layers.7.mlp.up_proj lacks a part" in refused(folder)


def test_weights_alone_need_not_be_read_to_know_the_shapes(tmp_path):
    folder = peft_folder(tmp_path, more={})

    assert read_adapter(folder).modules["model.layers.1.mlp.down_proj"].b.shape == (16, RANK)
