"""Adapters on a vLLM server: new names, and what a refusal means. Replies as vLLM has published."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePosixPath

import pytest
from asking_llm import HELLO, ask, closed_address
from fakes_llm import Answer, ChatServer, chat_server

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.adapters import AdapterRefused, adapter_name, load_adapter
from polaris_search.llm.failures import ChatRefused

FOLDER = PurePosixPath("/adapters/20261130T020000Z")
RANK = "LoRA rank 64 is greater than max_lora_rank 16."


@pytest.fixture
def server():
    with chat_server() as running:
        running.gets["/v1/models"] = Answer(
            body=json.dumps({"data": [{"id": "base-8b"}, {"id": "night-1", "parent": "base-8b"}]})
        )
        yield running


def refused(server: ChatServer, name="night-2", **more) -> str:
    with pytest.raises(AdapterRefused) as told:
        load_adapter(server.url, more.get("api_key"), name, FOLDER)
    return str(told.value)


def test_adapters_made_at_different_times_have_different_names():
    at = datetime(2026, 11, 30, 2, 0, 0, tzinfo=UTC)
    later = at + timedelta(seconds=1)

    assert adapter_name(at) == "polaris-desc-20261130t020000z"
    assert adapter_name(later) != adapter_name(at)
    assert adapter_name(at.astimezone(timezone(timedelta(hours=5)))) == adapter_name(at)


def test_an_adapter_is_loaded_by_name_and_folder(server):
    server.enqueue(Answer(200, "Success: LoRA adapter 'night-2' added successfully."))

    load_adapter(server.url + "/v1", "s3cret", "night-2", FOLDER)

    (asked,) = server.asked
    assert asked.path == "/v1/load_lora_adapter"
    assert asked.body == {"lora_name": "night-2", "lora_path": str(FOLDER)}
    assert asked.headers["authorization"] == "Bearer s3cret"


def test_a_name_that_is_served_already_is_never_loaded_again(server):
    assert "Give each adapter a new name" in refused(server, "night-1")
    assert server.asked == []


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_rank_above_the_servers_limit_names_the_flag_to_set(server, status):
    body = {"error": {"message": RANK, "type": "BadRequestError", "code": status}}
    server.enqueue(Answer(status, json.dumps(body)))

    told = refused(server)

    assert "rank 64" in told
    assert "--max-lora-rank 64" in told


@pytest.mark.parametrize(("rank", "flag"), [(8, 8), (33, 64), (64, 64), (200, 256), (300, 320)])
def test_a_request_that_meets_the_rank_limit_names_a_rank_that_vllm_takes(server, rank, flag):
    body = json.dumps({"error": {"message": RANK.replace("64", str(rank))}})
    server.enqueue(Answer(500, body))

    (error,) = ask(server.url, HELLO)

    assert isinstance(error, ChatRefused)
    assert str(error).endswith(f"Start vLLM with --max-lora-rank {flag}.")
    assert len(server.asked) == 1


def test_a_server_without_runtime_loading_is_told_how_to_start_it(server):
    server.enqueue(Answer(404, '{"detail":"Not Found"}'))

    assert "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True" in refused(server)


def test_any_other_refusal_is_quoted_without_the_key(server):
    server.enqueue(Answer(400, "No adapter found for /adapters/x"), Answer(400, "bad key s3cret"))

    assert "No adapter found for /adapters/x" in refused(server)
    assert "s3cret" not in refused(server, api_key="s3cret")


def test_a_server_that_is_not_there_is_unreachable():
    with pytest.raises(ServiceUnreachable):
        load_adapter(closed_address(), None, "night-2", FOLDER)
