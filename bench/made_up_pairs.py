"""Preference pairs of exact lengths: made-up tables in the prompt the product asks with."""

from itertools import count
from typing import Protocol

from zipf_tables import Words

from ingest.describe.prompt import prompt_for
from ingest.describe.table_text import table_text
from polaris_search.llm.model import ChatMessage
from polaris_search.records import Column, RawTable

ROOMY = 100_000
Turns = list[dict[str, str]]


class ChatTokenizer(Protocol):
    def encode(self, text: str) -> list[int]: ...

    def decode(self, tokens: list[int]) -> str: ...

    def apply_chat_template(
        self, conversation: Turns, *, add_generation_prompt: bool, return_dict: bool
    ) -> list[int]: ...


def made_up_pair(
    tokenizer: ChatTokenizer, seed: int, prompt_tokens: int, chosen: int, rejected: int
) -> dict[str, Turns]:
    """Return a pair in trl's conversational form; the prompt is a column's name longer at most."""
    words = Words(seed)
    names = words.columns(prompt_tokens)
    asked = next(
        turns
        for columns in count(1)
        if _tokens(tokenizer, turns := _turns(names[:columns])) >= prompt_tokens
    )
    return {
        "prompt": asked,
        "chosen": [_answer(tokenizer, words, chosen)],
        "rejected": [_answer(tokenizer, words, rejected)],
    }


def _turns(names: list[str]) -> Turns:
    table = RawTable("wide", "measurements", tuple(map(Column, names)), {}, "bench", "csv")
    return [_turn(message) for message in prompt_for(table_text(table, None, ROOMY))]


def _turn(message: ChatMessage) -> dict[str, str]:
    return {"role": message.role, "content": message.content}


def _tokens(tokenizer: ChatTokenizer, turns: Turns) -> int:
    return len(tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False))


def _answer(tokenizer: ChatTokenizer, words: Words, tokens: int) -> dict[str, str]:
    text = " ".join(words.draw(tokens))
    return {"role": "assistant", "content": tokenizer.decode(tokenizer.encode(text)[:tokens])}
