"""The stand-in for TGI keeps TGI's published promises, also those that clients stumble over.

What it is asked here is raw HTTP: the promises are TGI's, not our client's.
"""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx2
import pytest
from http_server import Asked, Reply, http_server, passed_on
from made_up_adapter import ADAPTER
from tgi_server import Tgi, object_grammar, tgi_server

pytestmark = pytest.mark.llm

MESSAGES = [
    {"role": "system", "content": "You name things."},
    {"role": "user", "content": "Name the months of the year."},
]
# As the model's own template writes them.
PROMPT = (
    "<|im_start|>system\nYou name things.<|im_end|>\n"
    "<|im_start|>user\nName the months of the year.<|im_end|>\n<|im_start|>assistant\n"
)
# The base is sure of each of these tokens, whether its prompt is read anew or cached.
BASE_TEXT = "The months of the"
N_TOKENS = 4
SCHEMA = {
    "type": "object",
    "properties": {"animal": {"type": "string", "pattern": "^[a-z]{2,9}$"}},
    "required": ["animal"],
    "additionalProperties": False,
}


def post(url: str, path: str, body: object) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx2.post(url + path, content=content, timeout=60, trust_env=False)


def generated(url: str, **parameters) -> str:
    body = {"inputs": PROMPT, "parameters": {"max_new_tokens": N_TOKENS, **parameters}}
    return post(url, "/generate", body).json()["generated_text"]


def chatted(url: str, **more) -> dict:
    body = {"messages": MESSAGES, "max_tokens": N_TOKENS, "temperature": 0, **more}
    return post(url, "/v1/chat/completions", body).json()


def chatted_text(url: str, **more) -> str:
    return chatted(url, **more)["choices"][0]["message"]["content"]


def test_generate_answers_with_text_and_with_details_where_they_are_wanted(tgi_url):
    asked = {"inputs": PROMPT, "parameters": {"max_new_tokens": 5, "details": True}}

    answer = post(tgi_url, "/generate", asked).json()

    assert answer["generated_text"]
    assert answer["details"]["finish_reason"] == "length"
    assert answer["details"]["generated_tokens"] == 5
    bare = post(tgi_url, "/generate", {"inputs": PROMPT, "parameters": {"max_new_tokens": 5}})
    assert bare.json() == {"generated_text": answer["generated_text"]}


def test_generate_obeys_a_grammar(tgi_url):
    text = generated(tgi_url, max_new_tokens=40, grammar={"type": "json", "value": SCHEMA})

    assert json.loads(text)["animal"].isalpha()


def test_an_adapter_changes_the_text_and_an_unknown_one_is_the_base_without_a_word(tgi_url):
    assert generated(tgi_url) == BASE_TEXT
    assert generated(tgi_url, adapter_id=ADAPTER) != BASE_TEXT
    assert generated(tgi_url, adapter_id="polaris-typo") == BASE_TEXT


def test_in_a_chat_the_model_is_the_adapter_and_tgi_is_the_base(tgi_url):
    assert chatted_text(tgi_url) == BASE_TEXT
    assert chatted_text(tgi_url, model="tgi") == BASE_TEXT
    assert chatted_text(tgi_url, model="polaris-typo") == BASE_TEXT
    assert chatted_text(tgi_url, model=ADAPTER) != BASE_TEXT
    # A chat has no such field, and what it does not know it ignores.
    assert chatted_text(tgi_url, adapter_id=ADAPTER) == BASE_TEXT


def test_base_and_adapter_never_read_each_others_cached_prompt(tgi_url):
    for _ in range(3):
        assert chatted_text(tgi_url, model="tgi") == BASE_TEXT
        assert chatted_text(tgi_url, model=ADAPTER) != BASE_TEXT


def test_neither_the_models_nor_a_reply_name_the_adapter(tgi_url):
    info = httpx2.get(tgi_url + "/info", trust_env=False).json()
    listed = httpx2.get(tgi_url + "/v1/models", trust_env=False).json()

    assert [model["id"] for model in listed["data"]] == [info["model_id"]]
    assert chatted(tgi_url, model=ADAPTER)["model"] == info["model_id"]
    assert httpx2.get(tgi_url + "/health", trust_env=False).status_code == 200


def test_json_object_without_a_value_is_refused_in_the_words_of_its_json_reader(tgi_url):
    body = {"messages": MESSAGES, "response_format": {"type": "json_object"}}

    answer = post(tgi_url, "/v1/chat/completions", body)

    assert answer.status_code == 422
    assert "response_format: missing field `value`" in answer.text
    assert answer.headers["content-type"] == "text/plain"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"max_tokens": 5000}, "`inputs` tokens + `max_new_tokens` must be <= 2048. Given: "),
        ({"max_tokens": 0}, "`max_new_tokens` must be strictly positive"),
        ({"temperature": -1}, "`temperature` must be strictly positive"),
        ({"top_p": 1.0}, "`top_p` must be > 0.0 and < 1.0"),
        ({"response_format": {"type": "json", "value": {}}}, "must have a 'properties' field"),
        ({"messages": []}, "`inputs` cannot be empty"),
    ],
)
def test_what_is_not_valid_is_refused_with_its_type(tgi_url, given, says):
    answer = post(tgi_url, "/v1/chat/completions", {"messages": MESSAGES, "max_tokens": 5} | given)

    assert answer.status_code == 422
    assert answer.json()["error_type"] == "validation"
    assert answer.json()["error"].startswith("Input validation error: ")
    assert says in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"{", 400, "Failed to parse the request body as JSON"),
        ({}, 422, "missing field `messages`"),
        ({"messages": MESSAGES, "seed": "x"}, 422, "seed: invalid type"),
    ],
)
def test_what_cannot_be_read_is_refused(tgi_url, body, status, says):
    answer = post(tgi_url, "/v1/chat/completions", body)

    assert answer.status_code == status
    assert says in answer.text


def test_what_comes_while_it_is_full_is_refused_without_a_time_to_wait(llama):
    full, go_on = threading.Event(), threading.Event()
    through = passed_on(llama.url)

    def slow(asked: Asked) -> Reply:
        if asked.path == "/completion":
            full.set()
            assert go_on.wait(60)
        return through(asked)

    with (
        http_server(slow) as upstream,
        tgi_server(Tgi(upstream.address, {}, max_concurrent_requests=1)) as tgi,
        ThreadPoolExecutor(1) as others,
    ):
        first = others.submit(chatted, tgi.address)
        assert full.wait(60)
        answer = post(tgi.address, "/v1/chat/completions", {"messages": MESSAGES})
        go_on.set()

        assert answer.status_code == 429
        assert answer.json() == {"error": "Model is overloaded", "error_type": "overloaded"}
        assert "retry-after" not in answer.headers
        assert first.result()["choices"]


@contextmanager
def tgi_over(llama_url: str, completion: Reply) -> Iterator[str]:
    """Serve TGI's API over a llama.cpp that answers each request for text so."""
    through = passed_on(llama_url)

    def answer(asked: Asked) -> Reply:
        return completion if asked.path == "/completion" else through(asked)

    with http_server(answer) as upstream, tgi_server(Tgi(upstream.address, {})) as tgi:
        yield tgi.address


@pytest.mark.parametrize(
    ("completion", "status", "error_type"),
    [
        (Reply(500, {"error": {"message": "no memory"}}, {}), 424, "generation"),
        (Reply(raw=b"", resets=True), 500, "incomplete_generation"),
        (Reply(200, b'{"content": "ha', {}), 500, "incomplete_generation"),
    ],
)
def test_what_fails_while_it_writes_has_its_own_types(llama, completion, status, error_type):
    with tgi_over(llama.url, completion) as url:
        answer = post(url, "/v1/chat/completions", {"messages": MESSAGES})

    assert answer.status_code == status
    assert answer.json()["error_type"] == error_type


def test_a_grammar_allows_one_blank_between_the_parts():
    assert object_grammar(SCHEMA) == (
        'root ::= "{" " "? "\\"animal\\"" " "? ":" " "? "\\"" text-0 "\\"" " "? "}"\n'
        "text-0 ::= [a-z]{2,9}"
    )
    assert object_grammar({"properties": {"n": {"type": "integer"}}}) is None
