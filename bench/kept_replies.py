"""A chat model whose replies are kept in a file, so that a bench that is run again asks nothing."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from polaris_search.llm.model import ChatMessage, ChatModel, ChatReply, ChatRequest, Usage
from polaris_search.records import content_hash


class KeptReplies:
    """A ChatModel that asks another only for what the file does not hold; see ChatModel.

    Equal requests have one reply for ever: remove the file to have the model write anew.
    """

    def __init__(self, model: ChatModel, path: Path) -> None:
        self._model = model
        self._path = path
        self._beginning: Sequence[ChatMessage] = ()
        self._begun = False
        self._beginning_now = asyncio.Lock()
        self._replies = dict(_read(path)) if path.exists() else {}
        self.asked = 0
        self.answered = 0

    @property
    def model(self) -> str:
        return self._model.model

    @property
    def adapter(self) -> str | None:
        return self._model.adapter

    @property
    def context_tokens(self) -> int | None:
        return self._model.context_tokens

    async def begin_with(self, messages: Sequence[ChatMessage]) -> None:
        self._beginning = messages

    async def chat(self, request: ChatRequest) -> ChatReply:
        if request.n_replies > 1:  # the benches ask for one; several are not kept
            return await self._model.chat(request)
        self.asked += 1
        asked = asdict(request)
        del asked["n_replies"]
        key = content_hash(self.model, self.adapter or "", json.dumps(asked))
        if key not in self._replies:
            self.answered += 1
            await self._begin()
            self._keep(key, await self._model.chat(request))
        return self._replies[key]

    def usage(self) -> Usage:
        return self._model.usage()

    async def close(self) -> None:
        await self._model.close()

    async def _begin(self) -> None:
        async with self._beginning_now:
            if not self._begun and self._beginning:
                await self._model.begin_with(self._beginning)
            self._begun = True

    def _keep(self, key: str, reply: ChatReply) -> None:
        self._replies[key] = reply
        line = {"request": key, **asdict(reply)}
        del line["others"]
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _read(path: Path) -> list[tuple[str, ChatReply]]:
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(line.pop("request"), ChatReply(**line)) for line in lines]
