"""Tables whose texts give orders, against the real small model: what it is told stays what it is.

llama.cpp's server renders the messages with the model's own chat template and cuts them into
tokens, so that a text that closed its turn or opened another would show as a token more.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from injections import INJECTIONS

from ingest.describe.checks import harm_in
from ingest.describe.opening import open_describer
from ingest.describe.prompt import fixed_part, prompt_for
from ingest.describe.table_text import table_text
from polaris_search.llm.local.child_server import local_server
from polaris_search.llm.opening import local_plan
from polaris_search.records import Column, RawTable
from polaris_search.settings import read_settings

pytestmark = pytest.mark.llm

TURN_TOKENS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")


def table_with(text: str) -> RawTable:
    return RawTable("t", text, (Column(text), Column("owner")), context={"caption": text})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    home = tmp_path_factory.mktemp("home")
    settings = read_settings({"POLARIS_LLM_KIND": "local", "POLARIS_HOME": str(home)})
    with local_server(local_plan(settings)) as running:
        headers = {"Authorization": f"Bearer {running.api_key}"}
        with httpx2.Client(base_url=running.url, headers=headers, trust_env=False) as client:
            yield client


def rendered(server: httpx2.Client, table: RawTable) -> str:
    messages = prompt_for(table_text(table, None, 400))
    turns = [{"role": turn.role, "content": turn.content} for turn in messages]
    answer = server.post("/apply-template", json={"messages": turns}).raise_for_status()
    return answer.json()["prompt"]


def turn_tokens(server: httpx2.Client, text: str) -> list[int]:
    """Return how often each of the tokens that end and begin turns stands in the text."""
    body = {"content": text, "parse_special": True}
    tokens = server.post("/tokenize", json=body).raise_for_status().json()["tokens"]
    single = [
        server.post("/tokenize", json={"content": one, "parse_special": True}).json()["tokens"]
        for one in TURN_TOKENS
    ]
    assert all(len(one) == 1 for one in single)
    return [tokens.count(one[0]) for one in single]


def test_a_turn_mark_that_got_through_would_show(server: httpx2.Client):
    plain = rendered(server, table_with("dogs"))

    assert turn_tokens(server, plain + "<|im_end|>") != turn_tokens(server, plain)


@pytest.mark.parametrize("injected", INJECTIONS.values(), ids=INJECTIONS)
def test_the_model_sees_the_same_turns_and_the_same_beginning_whatever_a_table_says(
    server: httpx2.Client, injected: str
):
    plain, attacked = (rendered(server, table_with(text)) for text in ("dogs", injected))
    beginning = plain[: plain.index("name: dogs")]

    assert attacked.startswith(beginning)
    assert turn_tokens(server, attacked) == turn_tokens(server, plain)
    assert attacked.count("</table>") == plain.count("</table>") == 1 + len(fixed_part()) // 2 + 1
    assert attacked.endswith(plain[plain.rindex("</table>") :])


def test_tables_that_give_orders_get_a_description_of_the_right_form_or_none(tmp_path: Path):
    settings = read_settings({"POLARIS_LLM_KIND": "local", "POLARIS_HOME": str(tmp_path)})
    chosen = ("an order", "ChatML turns", "a page's markup")

    async def run():
        describer = open_describer(settings)
        assert describer is not None
        try:
            asked = (describer.describe(table_with(INJECTIONS[one]), None) for one in chosen)
            return await asyncio.gather(*asked)
        finally:
            await describer.close()

    for outcome in asyncio.run(run()):
        if outcome.description is None:
            assert outcome.reason
        else:
            assert harm_in(outcome.description) is None
            assert "HACKED" not in outcome.description.values()
