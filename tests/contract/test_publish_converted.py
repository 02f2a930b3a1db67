"""A converted adapter writes in llama.cpp as it does in transformers and peft, token for token."""

import json
import shutil
from contextlib import contextmanager
from pathlib import Path

import httpx2
import numpy as np
import pytest
from llama_server import llama_server
from peft_folder import SMALL, peft_folder, write_safetensors

from polaris_search.llm.local.gguf import find_gguf
from trainer.adapters.layout import checked_adapter
from trainer.adapters.weights import read_tensors
from trainer.publish.lora_gguf import write_lora_gguf

pytestmark = [
    pytest.mark.train,
    pytest.mark.llm,
    # torch and peft use what their own dependencies are about to drop
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore:Failed to load CPU:UserWarning"),
]

PROMPT = "The table of river gauges lists stations, dates and water levels. It can be used to"
TOKENS = 24


@pytest.fixture(scope="module")
def adapter(tmp_path_factory, small_base) -> Path:
    """Noise that changes every projection: strong, so that a wrong order shows."""
    folder = tmp_path_factory.mktemp("adapter") / "strong"
    config = {"base_model_name_or_path": str(small_base)}  # else peft asks the hub about it
    return peft_folder(folder, seed=1, rank=8, strength=0.02, sizes=SMALL, config=config)


@contextmanager
def served(gguf: Path, folder: Path):
    with llama_server(find_gguf(None), folder / "llama.log", adapters=[gguf], slots=1) as server:
        yield server


def written(url: str) -> tuple[list[int], list[int], list[float]]:
    """Return the prompt's tokens, those that llama.cpp writes with the adapter, and their logs."""
    client = httpx2.Client(base_url=url, timeout=120)
    prompt = client.post("/tokenize", json={"content": PROMPT}).json()["tokens"]
    body = {
        "prompt": prompt,
        "n_predict": TOKENS,
        "temperature": 0.0,
        "n_probs": 1,
        "lora": [{"id": 0, "scale": 1.0}],
    }
    told = client.post("/completion", json=body).json()["completion_probabilities"]
    client.close()
    return prompt, [one["id"] for one in told], [one["logprob"] for one in told]


def likely(base: Path, adapter: Path | None, prompt: list[int], reply: list[int]) -> list[float]:
    """Return how likely transformers and peft hold each token of the reply, as logarithms."""
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    if adapter is not None:
        model = PeftModel.from_pretrained(model, adapter)
    with torch.inference_mode():
        logits = model(torch.tensor([prompt + reply])).logits[0, len(prompt) - 1 : -1]
    chosen = torch.log_softmax(logits, -1)[range(len(reply)), reply]
    return chosen.tolist()


def mean_difference(one: list[float], other: list[float]) -> float:
    return float(np.mean(np.abs(np.subtract(one, other))))


def with_rows_turned_back(adapter: Path, folder: Path) -> Path:
    """Return an adapter whose conversion has q's and k's rows in transformers' order."""
    folder.mkdir()
    shutil.copy(adapter / "adapter_config.json", folder)
    tensors = {
        tensor.name: values for tensor, values in read_tensors(checked_adapter(adapter).weights)
    }
    for name, values in tensors.items():
        heads = {"q_proj": SMALL["heads"], "k_proj": SMALL["kv_heads"]}.get(name.split(".")[-3])
        if heads and "lora_B" in name:
            pairs = values.reshape(heads, values.shape[0] // heads // 2, 2, -1)
            tensors[name] = pairs.swapaxes(1, 2).reshape(values.shape)
    write_safetensors(folder / "adapter_model.safetensors", tensors)
    return folder


def test_llamacpp_finds_its_words_as_likely_as_peft_does_and_not_with_rows_in_peers_order(
    adapter, small_base, tmp_path
):
    right = write_lora_gguf(adapter, small_base, tmp_path / "right.gguf")
    turned = with_rows_turned_back(adapter, tmp_path / "turned")
    wrong = write_lora_gguf(turned, find_gguf(None), tmp_path / "wrong.gguf")

    differences = {}
    for gguf in (right, wrong):
        with served(gguf, tmp_path) as server:
            prompt, reply, told = written(server.url)
        differences[gguf.stem] = mean_difference(told, likely(small_base, adapter, prompt, reply))
        if gguf is right:
            effect = mean_difference(told, likely(small_base, None, prompt, reply))

    assert effect > 1  # the adapter is one that shows
    assert differences["right"] < effect / 5
    assert differences["wrong"] > 4 * differences["right"], json.dumps(differences)


def test_what_peft_saves_is_an_adapter_here_and_what_is_written_here_peft_reads(
    adapter, small_base, tmp_path
):
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(small_base, dtype=torch.float32)
    model = PeftModel.from_pretrained(model, adapter)
    model.save_pretrained(tmp_path / "saved")

    saved = {t.name: v for t, v in read_tensors(checked_adapter(tmp_path / "saved").weights)}

    made = {t.name: v for t, v in read_tensors(checked_adapter(adapter).weights)}
    assert saved.keys() == made.keys()
    assert all(np.array_equal(saved[name], made[name]) for name in made)


def test_bfloat16_is_read_as_torch_reads_it(tmp_path):
    import torch
    from safetensors.torch import save_file

    values = torch.randn(7, 5, generator=torch.Generator().manual_seed(3)).to(torch.bfloat16)
    save_file({"x": values}, tmp_path / "x.safetensors")

    ((_, read),) = read_tensors(tmp_path / "x.safetensors")

    np.testing.assert_array_equal(read, values.float().numpy())
