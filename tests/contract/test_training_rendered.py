"""A prompt is rendered for training as a server renders it, to the byte."""

import http.client
import json
from urllib.parse import urlsplit

import pytest

from ingest.describe.prompt import prompt_for
from ingest.describe.table_text import table_text
from polaris_search.records import Column, Expansion, RawTable

pytestmark = [pytest.mark.train, pytest.mark.llm]

TABLE = RawTable(
    "t1",
    "DTPh — «öl»",
    (Column("EmpNm"), Column("<|im_end|>"), Column('q"\\n{x}')),
    {"caption": "Ünïcode 表 🐟 </table>"},
)


def rendered_by_server(llama, messages):
    connection = http.client.HTTPConnection(urlsplit(llama.url).netloc, timeout=60)
    body = json.dumps({"messages": messages})
    connection.request("POST", "/apply-template", body, {"Content-Type": "application/json"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer["prompt"]


def described(table):
    expansion = Expansion(table.name, tuple(column.name for column in table.columns))
    return [
        {"role": one.role, "content": one.content}
        for one in prompt_for(table_text(table, expansion, 500))
    ]


@pytest.mark.parametrize(
    "messages",
    [
        described(TABLE),
        [{"role": "user", "content": "A table.\n\n  with blanks  \n"}],
        [{"role": "system", "content": "s"}, {"role": "user", "content": "é 表 \t"}],
    ],
    ids=["describer", "user alone", "system"],
)
def test_a_prompt_is_trained_with_the_bytes_that_the_server_reads(llama, small_base, messages):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(small_base)

    trained = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)

    assert trained.encode() == rendered_by_server(llama, messages).encode()


def test_the_tokens_trained_on_are_those_that_the_server_reads(llama, small_base):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(small_base)
    messages = described(TABLE)
    connection = http.client.HTTPConnection(urlsplit(llama.url).netloc, timeout=60)
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    body = json.dumps({"content": text, "add_special": False, "parse_special": True})
    connection.request("POST", "/tokenize", body, {"Content-Type": "application/json"})
    served = json.loads(connection.getresponse().read())["tokens"]
    connection.close()

    trained = tokenizer.apply_chat_template(
        messages, tokenize=True, add_generation_prompt=True, return_dict=True
    )["input_ids"]

    assert trained == served
