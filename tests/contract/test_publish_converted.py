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
from publishing import published

from polaris_search.llm.local.gguf import find_gguf
from trainer.adapters.adding import add
from trainer.adapters.layout import checked_adapter
from trainer.adapters.registry import Registry
from trainer.adapters.weights import read_tensors
from trainer.publish.lora_gguf import write_lora_gguf

pytestmark = [
    pytest.mark.train,
    pytest.mark.llm,
    # peft asks a model by a name that transformers is about to drop
    pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"),
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


TAUGHT = " count the days on which a ferry could not cross."
STEPS = 6


def taught(base: Path, folder: Path) -> Path:
    """Train a LoRA on one sentence for a few steps, and return peft's folder of it."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    model = get_peft_model(model, LoraConfig(r=8, lora_alpha=16, target_modules="all-linear"))
    tokens = tokenizer(PROMPT + TAUGHT, return_tensors="pt").input_ids
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for _ in range(STEPS):
        optimizer.zero_grad()
        model(tokens, labels=tokens).loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    return folder


def test_what_an_adapter_has_learnt_is_what_llamacpp_writes(small_base, tmp_path):
    registry = Registry(tmp_path / "home")
    add(registry, taught(small_base, tmp_path / "run"), "night-1")
    published(registry, "night-1", "local", force="a test", base=small_base)

    with served(registry.root / "night-1" / "night-1.gguf", tmp_path) as server:
        client = httpx2.Client(base_url=server.url, timeout=120)
        body = {"prompt": PROMPT, "n_predict": 10, "temperature": 0.0}
        said = {
            scale: client.post("/completion", json=body | {"lora": [{"id": 0, "scale": scale}]})
            for scale in (0.0, 1.0)
        }
        client.close()

    assert said[1.0].json()["content"] == TAUGHT[: len(said[1.0].json()["content"])]
    assert not TAUGHT.startswith(said[0.0].json()["content"])  # nor did the base know it
