"""peft's LoRA as llama.cpp's file: names, rows, alpha, and what is refused rather than lost."""

import gguf
import numpy as np
import pytest
from peft_folder import ALPHA, RANK, SIZES, noise, peft_folder, toy_base

from trainer.adapters.layout import AdapterInvalid, weights_hash
from trainer.publish.llama_layout import BaseUnfit, LlamaBase
from trainer.publish.lora_gguf import NotConvertible, write_lora_gguf

NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def converted(tmp_path, base=None, **how):
    folder = peft_folder(tmp_path / "adapter", **how)
    out = tmp_path / "night-1.gguf"
    return gguf.GGUFReader(write_lora_gguf(folder, base or toy_base(tmp_path / "base"), out), "r")


def value(reader: gguf.GGUFReader, key: str):
    return reader.get_field(key).contents()


def gguf_base(path, heads=SIZES["heads"], architecture="llama", **shapes: tuple[int, int]):
    """Write a base model's file that has these matrices, (outputs, inputs)."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_head_count(heads)
    writer.add_head_count_kv(SIZES["kv_heads"])
    for name, shape in shapes.items():
        writer.add_tensor(name, np.zeros(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_the_rows_of_a_rotated_head_change_from_halves_to_pairs():
    # One head of 6 numbers: transformers turns (0, 3), (1, 4), (2, 5), llama.cpp (0, 1), ...
    rows = np.arange(12, dtype=np.float32).reshape(12, 1)  # two heads

    told = LlamaBase(n_heads=2, n_kv_heads=1).permuted("model.layers.0.self_attn.q_proj", rows)

    assert told.ravel().tolist() == [0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11]


def test_keys_are_turned_by_their_own_heads_and_values_not_at_all():
    rows = np.arange(4, dtype=np.float32).reshape(4, 1)
    base = LlamaBase(n_heads=2, n_kv_heads=1)

    assert base.permuted("x.k_proj", rows).ravel().tolist() == [0, 2, 1, 3]
    assert base.permuted("x.q_proj", rows).ravel().tolist() == [0, 1, 2, 3]
    assert base.permuted("x.v_proj", rows).ravel().tolist() == [0, 1, 2, 3]


def test_every_matrix_is_there_under_llamacpps_name_with_the_same_numbers(tmp_path):
    reader = converted(tmp_path, seed=5)

    found = {one.name: one.data for one in reader.tensors}
    tensors = noise(RANK, 5, 0.1)
    assert len(found) == len(tensors)
    for layer in range(SIZES["layers"]):
        for module, name in NAMES.items():
            begin = f"base_model.model.model.layers.{layer}.{module}"
            a, b = tensors[f"{begin}.lora_A.weight"], tensors[f"{begin}.lora_B.weight"]
            np.testing.assert_array_equal(found[f"blk.{layer}.{name}.weight.lora_a"], a)
            told = found[f"blk.{layer}.{name}.weight.lora_b"]
            if name in ("attn_q", "attn_k"):
                assert not np.array_equal(told, b)
                told, b = np.sort(told, axis=0), np.sort(b, axis=0)
            np.testing.assert_array_equal(told, b)


def test_alpha_and_what_it_is_stand_in_the_file(tmp_path):
    reader = converted(tmp_path)

    assert value(reader, "adapter.lora.alpha") == ALPHA
    assert value(reader, "general.architecture") == "llama"
    assert value(reader, "general.type") == "adapter"
    assert value(reader, "adapter.type") == "lora"
    name, fingerprint = value(reader, "adapter.lora.task_name").split()
    assert name == "night-1"
    assert weights_hash(tmp_path / "adapter").startswith(fingerprint)


def test_half_precision_weights_are_converted_to_the_numbers_they_are(tmp_path):
    reader = converted(tmp_path, kind="BF16", seed=3)

    (told,) = [one.data for one in reader.tensors if one.name == "blk.0.attn_v.weight.lora_a"]
    exact = noise(RANK, 3, 0.1)["base_model.model.model.layers.0.self_attn.v_proj.lora_A.weight"]
    np.testing.assert_allclose(told, exact, rtol=2**-7)  # bfloat16 has 8 bits


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"use_rslora": True}, "rank-stabilised"),
        ({"use_dora": True}, "DoRA"),
        ({"bias": "all"}, "it has biases"),
        ({"lora_bias": True}, "it adds to biases"),
        ({"modules_to_save": ["lm_head"]}, "replaces whole modules"),
        ({"alpha_pattern": {"q_proj": 3}}, "an alpha each"),
        ({"trainable_token_indices": [1]}, "replaces embeddings"),
        ({"init_lora_weights": "pissa"}, "changes the base model"),
        ({"layer_replication": [[0, 2]]}, "repeats layers"),
    ],
)
def test_what_llamacpp_has_no_room_for_is_refused_with_the_reason(tmp_path, config, why):
    with pytest.raises(NotConvertible, match=why):
        converted(tmp_path, config=config)
    assert list(tmp_path.glob("*.gguf")) == []


def test_modules_that_are_no_projections_of_a_llama_are_refused_by_name(tmp_path):
    begin = "base_model.model.model.layers.0.self_attn.qkv_proj"
    more = {
        f"{begin}.lora_A.weight": np.ones((RANK, 4), np.float32),
        f"{begin}.lora_B.weight": np.ones((4, RANK), np.float32),
    }

    with pytest.raises(NotConvertible, match=r"'model\.layers\.0\.self_attn\.qkv_proj'"):
        converted(tmp_path, more=more)


@pytest.mark.parametrize("kind", ["qwen2", "gemma", "phi3", None])
def test_a_base_model_of_another_family_is_refused(tmp_path, kind):
    with pytest.raises(BaseUnfit, match=f"of kind {kind!r}.*llama and mistral.*vLLM"):
        converted(tmp_path, toy_base(tmp_path / "base", model_type=kind))


def test_mistral_is_built_as_llama_is(tmp_path):
    assert converted(tmp_path, toy_base(tmp_path / "base", model_type="mistral")).tensors


@pytest.mark.parametrize("content", ["", "[]", '{"model_type": "llama"}'])
def test_a_base_model_that_does_not_say_its_heads_is_refused(tmp_path, content):
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.json").write_text(content)

    with pytest.raises(BaseUnfit, match="how many heads"):
        converted(tmp_path, tmp_path / "base")


def test_a_base_model_that_is_not_there_is_told_with_the_option_to_name_it(tmp_path):
    with pytest.raises(BaseUnfit, match="--base"):
        converted(tmp_path, tmp_path / "nowhere")


def test_a_gguf_base_says_its_heads_and_whether_the_adapter_fits(tmp_path):
    folder = peft_folder(tmp_path / "adapter")
    hidden, kv, ffn = SIZES["hidden"], SIZES["kv"], SIZES["ffn"]
    sizes = {"attn_q": (hidden, hidden), "attn_k": (kv, hidden), "attn_v": (kv, hidden)}
    sizes |= {"attn_output": (hidden, hidden), "ffn_gate": (ffn, hidden)}
    sizes |= {"ffn_up": (ffn, hidden), "ffn_down": (hidden, ffn)}
    shapes = {f"blk.{n}.{name}.weight": shape for n in range(2) for name, shape in sizes.items()}
    fits = gguf_base(tmp_path / "fits.gguf", **shapes)
    wider = gguf_base(tmp_path / "wider.gguf", **shapes | {"blk.1.ffn_up.weight": (32, hidden)})
    shorter = gguf_base(
        tmp_path / "shorter.gguf", **{k: v for k, v in shapes.items() if k.startswith("blk.0")}
    )

    by_file = write_lora_gguf(folder, fits, tmp_path / "a.gguf").read_bytes()
    by_folder = write_lora_gguf(folder, toy_base(tmp_path / "b"), tmp_path / "a.gguf").read_bytes()

    assert by_file == by_folder
    with pytest.raises(NotConvertible, match=r"another base model: .*up_proj is 24 x 16 .*32 x 16"):
        write_lora_gguf(folder, wider, tmp_path / "a.gguf")
    with pytest.raises(NotConvertible, match=r"layers\.1\..*absent there"):
        write_lora_gguf(folder, shorter, tmp_path / "a.gguf")
    with pytest.raises(
        NotConvertible, match=r"there\. Train an adapter on .*toy-llama serve.*LOCAL"
    ):
        write_lora_gguf(folder, shorter, tmp_path / "a.gguf")


def test_a_gguf_base_of_another_architecture_is_refused(tmp_path):
    with pytest.raises(BaseUnfit, match="of kind 'qwen2'"):
        converted(tmp_path, gguf_base(tmp_path / "base.gguf", architecture="qwen2"))


def test_what_is_no_adapter_leaves_no_file(tmp_path):
    folder = peft_folder(tmp_path / "adapter")
    (folder / "adapter_model.safetensors").write_bytes(b"\0" * 50)

    with pytest.raises(AdapterInvalid):
        write_lora_gguf(folder, toy_base(tmp_path / "base"), tmp_path / "night-1.gguf")
    assert list(tmp_path.glob("*night*")) == []
