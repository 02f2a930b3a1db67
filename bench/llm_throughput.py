"""Does an ingest keep a chat server as busy as a bare load generator with the same prompts?

    python tests/llama_server.py --slots 4 --slot-tokens 2048      prints its address
    python bench/llm_throughput.py --llm URL --slots 4

Ours: an ingest of some tables into an empty embedded store, as `polaris-admin ingest` runs it, from
tables in memory until the last description is stored. Bare: the very requests that ours sent, those
for weak replies too, in the same order, their bodies ready before the clock starts, as many at a
time as the server has slots. Block by block in turn; tokens are those that the server counts.

The end of a block, when fewer tables are left than the server has slots, is counted on neither
side: it is as long as the last table's attempts, and is not met again in a million tables.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx2
from machine import load

from ingest.describe.describer import LlmDescriber
from ingest.describe.opening import SMALL_MODEL
from ingest.describe.prompt import fixed_part
from ingest.describe.table_text import OPEN
from ingest.expand.lexical import LexicalExpander
from ingest.pipeline import ingest
from ingest.readers.sources import read_sources
from polaris_search.llm.model import ChatMessage, ChatModel, ChatReply, ChatRequest
from polaris_search.llm.opening import open_chat_model
from polaris_search.llm.wire.kinds import extra_body
from polaris_search.records import RawTable
from polaris_search.settings import Settings, read_settings
from polaris_search.store.embedded.store import EmbeddedStore

SOURCE = Path(__file__).parent.parent / "examples" / "tables"
TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Answered:
    """One request: when it was sent and answered, and the tokens that the server counts."""

    began_s: float
    ended_s: float
    prompt_tokens: int
    tokens: int

    def tokens_until(self, end_s: float) -> float:
        """Return those written by then, as if each took as long as the next."""
        share = (min(end_s, self.ended_s) - self.began_s) / (self.ended_s - self.began_s)
        return self.tokens * max(0.0, share)


@dataclass(frozen=True)
class Written:
    """What a block took: seconds, requests, tokens read and written by the server."""

    s: float = 0.0
    replies: int = 0
    prompt_tokens: int = 0
    tokens: float = 0.0

    def __add__(self, other: "Written") -> "Written":
        return Written(
            self.s + other.s,
            self.replies + other.replies,
            self.prompt_tokens + other.prompt_tokens,
            self.tokens + other.tokens,
        )

    @property
    def rate(self) -> float:
        """Tokens written a second."""
        return self.tokens / self.s if self.s else 0.0


class Timed:
    """The chat model behind it, with the times of what it answers."""

    def __init__(self, model: ChatModel) -> None:
        self.answered: list[Answered] = []
        self.sent: list[ChatRequest] = []
        self._model = model
        self.model = model.model
        self.adapter = model.adapter
        self.context_tokens = model.context_tokens
        self.usage = model.usage
        self.begin_with = model.begin_with
        self.close = model.close

    async def chat(self, request: ChatRequest) -> ChatReply:
        self.sent.append(request)
        began_s = time.perf_counter()
        reply = await self._model.chat(request)
        ended_s = time.perf_counter()
        self.answered.append(
            Answered(began_s, ended_s, reply.prompt_tokens, reply.completion_tokens)
        )
        return reply


def main() -> None:
    asked = _arguments()
    settings = read_settings(
        {
            "POLARIS_LLM_KIND": "llamacpp",
            "POLARIS_LLM_URL": asked.llm,
            "POLARIS_LLM_TIMEOUT_S": str(TIMEOUT_S),
        }
    )
    expander = LexicalExpander()
    tables = [table for table in read_sources([str(SOURCE)]) if isinstance(table, RawTable)]
    # Before each side's clock starts, each slot reads what all prompts begin with: a look at the
    # server, which ours takes once a run, leaves something else there.
    begun = ChatRequest((*fixed_part(), ChatMessage("user", OPEN)), max_tokens=1)
    warm = _bodies_of([begun] * asked.slots, settings)

    def warmed() -> None:
        _bare(warm, asked.llm, asked.slots)

    totals = {"ours": Written(), "bare": Written()}
    ratios = []
    print("| block | tables | ours: tokens a second | bare | ratio | load |\n" + "| --- " * 6 + "|")
    for n, block in enumerate(_blocks(tables, asked.tables, asked.blocks)):
        ours, sent = _ours(block, settings, expander, asked.slots, warmed)
        warmed()
        bare = _bare(_bodies_of(sent, settings), asked.llm, asked.slots)
        found = {"ours": ours, "bare": bare}
        totals = {side: totals[side] + found[side] for side in totals}
        ratios.append(found["ours"].rate / found["bare"].rate)
        rates = " | ".join(f"{found[side].rate:.1f}" for side in totals)
        print(f"| {n + 1} | {len(block)} | {rates} | {ratios[-1]:.3f} | {load()} |", flush=True)
    ours, bare = totals["ours"], totals["bare"]
    print(
        f"all: ours {ours.rate:.1f}, bare {bare.rate:.1f} tokens a second, ratio "
        f"{ours.rate / bare.rate:.3f} (median of blocks {median(ratios):.3f}); replies "
        f"{ours.replies} and {bare.replies}, prompt tokens {ours.prompt_tokens:,} and "
        f"{bare.prompt_tokens:,}, tokens written {ours.tokens:,.0f} and {bare.tokens:,.0f}."
    )


def _blocks(tables: Sequence[RawTable], size: int, number: int) -> Iterator[list[RawTable]]:
    for n in range(number):
        yield [tables[(n * size + k) % len(tables)] for k in range(size)]


def _ours(
    block: Sequence[RawTable],
    settings: Settings,
    expander: LexicalExpander,
    slots: int,
    warmed: Callable[[], None],
) -> tuple[Written, list[ChatRequest]]:
    """Ingest the block; how many requests at a time the server gets is found out anew."""
    model = open_chat_model(settings)
    assert model is not None
    timed = Timed(model)
    with tempfile.TemporaryDirectory() as folder:
        store = EmbeddedStore(Path(folder) / "store")
        warmed()
        start_s = time.perf_counter()
        describer = LlmDescriber(timed, SMALL_MODEL)
        ingest(block, store, expander, describer, concurrency=settings.tables_at_a_time)
        store.close()
    return _while_busy(timed.answered, start_s, slots), timed.sent


def _while_busy(answered: Sequence[Answered], start_s: float, slots: int) -> Written:
    """Return what was written until fewer than `slots` requests were under way for good."""
    full_until = [
        one.ended_s
        for one in answered
        if sum(other.began_s < one.ended_s <= other.ended_s for other in answered) >= slots
    ]
    end_s = max(full_until)
    return Written(
        end_s - start_s,
        len(answered),
        sum(one.prompt_tokens for one in answered),
        sum(one.tokens_until(end_s) for one in answered if one.began_s < end_s),
    )


def _bodies_of(requests: Sequence[ChatRequest], settings: Settings) -> list[dict[str, Any]]:
    return [
        {
            "model": "bare",
            "messages": [{"role": turn.role, "content": turn.content} for turn in request.messages],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "seed": request.seed,
            "stream": False,
            **extra_body(settings.llm_kind, request),
        }
        for request in requests
    ]


def _bare(bodies: Sequence[dict[str, Any]], url: str, slots: int) -> Written:
    async def run() -> Written:
        places = asyncio.Semaphore(slots)
        async with httpx2.AsyncClient(base_url=url, timeout=TIMEOUT_S, trust_env=False) as client:

            async def post(body: dict[str, Any]) -> Answered:
                async with places:
                    began_s = time.perf_counter()
                    answer = await client.post("/v1/chat/completions", json=body)
                usage = answer.raise_for_status().json()["usage"]
                ended_s = time.perf_counter()
                return Answered(
                    began_s, ended_s, usage["prompt_tokens"], usage["completion_tokens"]
                )

            start_s = time.perf_counter()
            answered = await asyncio.gather(*map(post, bodies))
            return _while_busy(answered, start_s, slots)

    return asyncio.run(run())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--llm", required=True, help="address of a llama.cpp server")
    parser.add_argument("--slots", type=int, default=4, help="requests that it takes at a time")
    parser.add_argument("--tables", type=int, default=24, help="tables in a block")
    parser.add_argument("--blocks", type=int, default=6)
    return parser.parse_args()


if __name__ == "__main__":
    main()
