"""Made-up tables that only their descriptions make findable, and models that know them so well.

A table's name says nothing. It is about two things, each a word that stands nowhere else, and each
is asked for by a query of its own. What a model knows of the things is what a test decides.
"""

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fakes_llm import FakeLLM, reply

from polaris_search.llm.model import ChatReply, ChatRequest
from polaris_search.records import DESCRIPTION_FIELDS

# fmt: off
FILLER = (
    "monthly", "yearly", "record", "public", "station", "harbour", "survey", "budget", "visitor",
    "shelter", "river", "crossing", "ledger", "member", "clinic", "orchard", "railway", "museum",
    "permit", "salary", "vessel", "meadow", "tariff", "library", "parcel", "dialect", "glacier",
    "workshop", "festival", "reservoir", "quarry", "lantern", "granary", "embassy", "vineyard",
    "foundry", "aqueduct", "plaza", "terrace", "causeway",
)
# fmt: on
COLUMNS = ("code", "amount", "status", "kind", "region", "unit", "total", "period")
"""Of every table."""
WORDS_A_FIELD = 5

Write = Callable[[int, random.Random], str]
"""What a model replies about the n-th table, by chance of its own."""


@dataclass(frozen=True)
class World:
    """So many tables; the first `n_asked` are asked for, by two queries each."""

    n_tables: int = 60
    n_asked: int = 60

    def folder(self, path: Path) -> Path:
        """Write it in the paper's layout, and return the folder."""
        path.mkdir(parents=True, exist_ok=True)
        named = ", ".join(f'""{column}""' for column in COLUMNS)
        tables = [f'{table_id(n)},tq{n:03},"[""c{n:03}a"", {named}]"' for n in self.tables]
        write(path / "metadata.csv", "table_id,table_name,column_names", tables)
        asked = [(n, side) for n in range(self.n_asked) for side in (0, 1)]
        write(
            path / "queries.csv",
            "query_id,query",
            [f"{query_id(n, side)},{things(n)[side]}" for n, side in asked],
        )
        write(
            path / "qrels.csv",
            "query_id,table_id,relevance_score",
            [f"{query_id(n, side)},{table_id(n)},1" for n, side in asked],
        )
        return path

    @property
    def tables(self) -> range:
        return range(self.n_tables)


def table_id(number: int) -> str:
    return f"t{number:03}"


def query_id(number: int, side: int) -> str:
    return f"q{number:03}{'ab'[side]}"


def things(number: int) -> tuple[str, str]:
    """Return what the n-th table is about: words of letters that no stemmer shortens."""
    chance = random.Random(f"things {number}")
    one, other = ("".join(chance.choices("bdfgkmprt", k=9)) for _ in range(2))
    return one, other


def write(path: Path, header: str, rows: Sequence[str]) -> None:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


def knowing(
    known: Callable[[int], Sequence[str]],
    *,
    filler: Sequence[str] = FILLER,
    words: int = WORDS_A_FIELD,
    repeated: str = "",
) -> Write:
    """Return a model's writing: filler by chance, with what it knows of each table among it."""

    def text(number: int, chance: random.Random) -> str:
        fields = [chance.sample(filler, words) for _ in DESCRIPTION_FIELDS]
        for place, word in enumerate(known(number)):
            fields[place].insert(1, word)
        texts = (" ".join([*field, *repeated.split()]) for field in fields)
        return json.dumps(dict(zip(DESCRIPTION_FIELDS, texts, strict=True)))

    return text


class WritingLLM(FakeLLM):
    """A ChatModel that writes about the table in the prompt what a test's function says."""

    def __init__(self, write: Write, adapter: str | None = None) -> None:
        super().__init__("base-8b", adapter)
        self._write = write

    async def chat(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        return reply(written_about(request.messages[-1].content, request.seed, self._write))


def written_about(prompt: str, seed: int, write: Write) -> str:
    """Return what is written about the table that a prompt shows."""
    number = int(re.search(r"name: tq ?(\d+)", prompt)[1])
    return write(number, random.Random(f"{number} {seed}"))


def one_thing(number: int) -> tuple[str, ...]:
    return things(number)[:1]


def no_thing(number: int) -> tuple[str, ...]:
    return ()


def things_of_another(number: int) -> tuple[str, ...]:
    return things(number + 1)
