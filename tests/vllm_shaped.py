"""A server that speaks what vLLM has published of adapters at run time; its text is made of hashes.

What a model writes depends on its weights' file, so that another adapter writes otherwise. Shapes:
vLLM, docs/features/lora.md and entrypoints/openai/models/serving.py. vLLM itself does not run here.
"""

import hashlib
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fakes_llm import FAKE_WORDS
from http_server import Asked, HttpServer, Reply, http_server

BASE = "base-8b"


class VllmShaped:
    """Answers as vLLM does.

    Args:
        max_rank: an adapter of a higher rank is refused.
        read_instead: what it reads in place of each folder that is named: a server gone wrong.
        deaf: whether every adapter writes as the base does.
        answers_as: the name that each reply carries, None for the one that was asked for.
    """

    def __init__(
        self,
        *,
        max_rank: int = 64,
        read_instead: Path | None = None,
        deaf: bool = False,
        answers_as: str | None = None,
        same_words: bool = False,
    ) -> None:
        self.loaded: dict[str, str] = {}
        self.max_rank = max_rank
        self.read_instead = read_instead
        self.deaf = deaf
        self.answers_as = answers_as
        self.same_words = same_words

    def __call__(self, asked: Asked) -> Reply:
        if asked.method == "GET" and asked.path == "/v1/models":
            names = [self._listed(BASE, BASE, None)]
            names += [self._listed(name, path, BASE) for name, path in self.loaded.items()]
            return Reply(200, {"object": "list", "data": names}, {})
        body = json.loads(asked.body or b"{}")
        if asked.path == "/v1/load_lora_adapter":
            return self._load(body["lora_name"], body["lora_path"])
        if asked.path == "/v1/unload_lora_adapter":
            return self._unload(body["lora_name"])
        if asked.path == "/v1/chat/completions":
            return self._chat(body)
        return _error(404, "Not Found")

    def _listed(self, name: str, root: str, parent: str | None) -> dict[str, Any]:
        return {
            "id": name,
            "object": "model",
            "created": 1_700_000_000,
            "owned_by": "vllm",
            "root": root,
            "parent": parent,
            "max_model_len": 8192 if parent is None else None,
            "permission": [],
        }

    def _load(self, name: str, path: str) -> Reply:
        if name in self.loaded:
            return _error(400, f"The lora adapter '{name}' has already been loaded.")
        config = Path(path) / "adapter_config.json"
        if not config.is_file():
            return _error(404, f"Loading lora {name} failed: No adapter found for {path}")
        rank = json.loads(config.read_text())["r"]
        if rank > self.max_rank:
            return _error(400, f"LoRA rank {rank} is greater than max_lora_rank {self.max_rank}.")
        self.loaded[name] = path
        return Reply(200, f"Success: LoRA adapter '{name}' added successfully.".encode(), {})

    def _unload(self, name: str) -> Reply:
        if name not in self.loaded:
            return _error(404, f"The lora adapter '{name}' cannot be found.")
        del self.loaded[name]
        return Reply(200, f"Success: LoRA adapter '{name}' removed successfully.".encode(), {})

    def _chat(self, body: dict[str, Any]) -> Reply:
        model = body["model"]
        if model != BASE and model not in self.loaded:
            return _error(404, f"The model `{model}` does not exist.")
        prompt = body["messages"][-1]["content"]
        chance = random.Random(f"{self._writer(model)} {prompt}")
        words = random.Random(prompt) if self.same_words else chance
        tokens = words.choices(FAKE_WORDS, k=8)
        content = [{"token": one, "logprob": -chance.random(), "bytes": None} for one in tokens]
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": " ".join(tokens)},
            "logprobs": {"content": content} if body.get("logprobs") else None,
            "finish_reason": "length",
        }
        document = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": self.answers_as or model,
            "choices": [choice],
            "usage": {"prompt_tokens": 8, "completion_tokens": 8, "total_tokens": 16},
        }
        return Reply(200, document, {})

    def _writer(self, model: str) -> str:
        if model == BASE or self.deaf:
            return "base"
        folder = self.read_instead or Path(self.loaded[model])
        return hashlib.sha256((folder / "adapter_model.safetensors").read_bytes()).hexdigest()


def _error(status: int, message: str) -> Reply:
    kind = {404: "NotFoundError"}.get(status, "InvalidUserInput")
    return Reply(status, {"error": {"message": message, "type": kind, "code": status}}, {})


@contextmanager
def vllm_shaped(vllm: VllmShaped) -> Iterator[HttpServer]:
    """Serve what `vllm` answers within the block."""
    with http_server(vllm) as server:
        yield server
