"""A stand-in for Text Generation Inference with a real model: its API in front of llama.cpp.

What TGI does with a request it does: counts tokens and refuses what is too long, takes an adapter's
name, answers from the base where it knows no such name, holds a reply to a grammar, refuses what
comes while it is full. The text is written by llama.cpp, each adapter being one of its LoRA scales.
"""

import http.client
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from http_server import Asked as HttpAsked
from http_server import HttpServer, Reply, http_server
from tgi_requests import Asked, TgiRefusal, chat_asked, generate_asked, invalid

VERSION = "3.3.6-dev0"
BLANK = '" "?'
"""What TGI's grammars allow between the parts of an object."""
TIMEOUT_S = 120
STOPPED = {"eos": "eos_token", "limit": "length", "word": "stop_sequence", "none": "eos_token"}
OPENAI_FINISH = {"eos_token": "stop", "stop_sequence": "stop", "length": "length"}


class Tgi:
    """Answers as TGI's router does.

    Args:
        upstream: llama.cpp's address.
        adapters: the number of each adapter there, by the name it goes by here.
        model_id: the base model's name.
        max_concurrent_requests: what comes beyond is refused.
    """

    def __init__(
        self,
        upstream: str,
        adapters: Mapping[str, int],
        *,
        model_id: str = "HuggingFaceTB/SmolLM2-135M-Instruct",
        max_concurrent_requests: int = 128,
    ) -> None:
        self._host = urlsplit(upstream).netloc
        self._adapters = adapters
        self._model_id = model_id
        self._max_requests = max_concurrent_requests
        self._room = threading.Semaphore(max_concurrent_requests)
        props = self._sent("GET", "/props", None)
        self._max_total_tokens = int(props["default_generation_settings"]["n_ctx"])

    def __call__(self, asked: HttpAsked) -> Reply:
        try:
            return Reply(200, self._answer(asked.method, asked.path, asked.body), {})
        except TgiRefusal as refusal:
            plain = {"content-type": "text/plain"} if isinstance(refusal.body, bytes) else {}
            return Reply(refusal.status, refusal.body, plain)

    def _answer(self, method: str, path: str, body: bytes) -> object:
        if (method, path) == ("GET", "/health"):
            return b""
        if (method, path) == ("GET", "/info"):
            return self._info()
        if (method, path) == ("GET", "/v1/models"):
            return {"object": "list", "data": [self._listed()]}
        if (method, path) == ("POST", "/generate"):
            return self._generated(generate_asked(body))
        if (method, path) == ("POST", "/v1/chat/completions"):
            return self._chatted(chat_asked(body))
        raise TgiRefusal(404, "", None)

    def _generated(self, asked: Asked) -> dict[str, object]:
        written = self._written(asked, asked.inputs)
        details = {
            "finish_reason": STOPPED[written["stop_type"]],
            "generated_tokens": written["tokens_predicted"],
            "seed": asked.seed,
            "prefill": [],
            "tokens": [],
        }
        return {"generated_text": written["content"]} | (
            {"details": details} if asked.details else {}
        )

    def _chatted(self, asked: Asked) -> dict[str, object]:
        prompt = self._sent("POST", "/apply-template", {"messages": list(asked.messages)})["prompt"]
        written = self._written(asked, prompt)
        n_prompt, n_written = written["tokens_evaluated"], written["tokens_predicted"]
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": written["content"]},
            "logprobs": None,
            "finish_reason": OPENAI_FINISH[STOPPED[written["stop_type"]]],
        }
        return {
            "object": "chat.completion",
            "id": "",
            "created": 1_700_000_000,
            "model": self._model_id,  # the base's, whatever adapter wrote
            "system_fingerprint": f"{VERSION}-native",
            "choices": [choice],
            "usage": {
                "prompt_tokens": n_prompt,
                "completion_tokens": n_written,
                "total_tokens": n_prompt + n_written,
            },
        }

    def _written(self, asked: Asked, prompt: str) -> dict[str, Any]:
        if not self._room.acquire(blocking=False):
            raise TgiRefusal(429, "Model is overloaded", "overloaded")
        try:
            self._require_room_for(asked, prompt)
            return self._sent("POST", "/completion", self._completion(asked, prompt))
        finally:
            self._room.release()

    def _require_room_for(self, asked: Asked, prompt: str) -> None:
        told = self._sent("POST", "/tokenize", {"content": prompt, "add_special": True})
        n_inputs = len(told["tokens"])
        if n_inputs + asked.max_new_tokens > self._max_total_tokens:
            raise invalid(
                f"`inputs` tokens + `max_new_tokens` must be <= {self._max_total_tokens}. "
                f"Given: {n_inputs} `inputs` tokens and {asked.max_new_tokens} `max_new_tokens`"
            )

    def _completion(self, asked: Asked, prompt: str) -> dict[str, object]:
        chosen = self._adapters.get(asked.adapter_id or "")
        body: dict[str, object] = {
            "prompt": prompt,
            "n_predict": asked.max_new_tokens,
            "temperature": asked.temperature if asked.sampled else 0.0,
            "top_p": asked.top_p or 1.0,
            "top_k": asked.top_k or 0,
            "min_p": 0.0,
            "typical_p": asked.typical_p or 1.0,
            "stop": list(asked.stop),
            "lora": [
                {"id": number, "scale": 1.0 if number == chosen else 0.0}
                for number in self._adapters.values()
            ],
        }
        if asked.seed is not None:
            body["seed"] = asked.seed
        if asked.schema is not None:
            grammar = object_grammar(asked.schema)
            body |= {"grammar": grammar} if grammar else {"json_schema": dict(asked.schema)}
        return body

    def _sent(self, method: str, path: str, body: object) -> dict[str, Any]:
        """Return llama.cpp's answer; what goes wrong there is what goes wrong in TGI's shards."""
        connection = http.client.HTTPConnection(self._host, timeout=TIMEOUT_S)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            document = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            raise TgiRefusal(500, "Incomplete generation", "incomplete_generation") from None
        finally:
            connection.close()
        if answer.status != 200:
            raise TgiRefusal(424, f"Request failed during generation: {document}", "generation")
        return document

    def _info(self) -> dict[str, object]:
        return {
            "model_id": self._model_id,
            "model_sha": None,
            "model_pipeline_tag": "text-generation",
            "max_concurrent_requests": self._max_requests,
            "max_best_of": 2,
            "max_stop_sequences": 4,
            "max_input_tokens": self._max_total_tokens - 1,
            "max_total_tokens": self._max_total_tokens,
            "validation_workers": 2,
            "max_client_batch_size": 4,
            "router": "text-generation-router",
            "version": VERSION,
            "sha": None,
            "docker_label": None,
        }

    def _listed(self) -> dict[str, object]:
        return {
            "id": self._model_id,
            "object": "model",
            "created": 0,
            "owned_by": self._model_id,
        }


@contextmanager
def tgi_server(tgi: Tgi) -> Iterator[HttpServer]:
    """Serve what `tgi` answers within the block."""
    with http_server(tgi) as server:
        yield server


def object_grammar(schema: Mapping[str, Any]) -> str | None:
    """Return llama.cpp's grammar of what TGI would make of an object of patterned strings.

    TGI makes a regular expression of a schema that lets one blank stand between the parts; what
    llama.cpp makes of it has room for line ends too. None for any other schema.
    """
    rules, parts = [], []
    for n, (name, value) in enumerate(schema["properties"].items()):
        pattern = value.get("pattern", "")
        if value.get("type") != "string" or not re.fullmatch(r"\^[^\\^\"]+\$", pattern):
            return None
        rules.append(f"text-{n} ::= {pattern[1:-1]}")
        key = json.dumps(json.dumps(name))
        quote = json.dumps('"')
        parts.append(f'{BLANK} {key} {BLANK} ":" {BLANK} {quote} text-{n} {quote} {BLANK}')
    return "\n".join(['root ::= "{" ' + ' "," '.join(parts) + ' "}"', *rules])
