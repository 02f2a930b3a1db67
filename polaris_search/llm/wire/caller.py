"""One chat request to one server, once: the huggingface_hub client, its errors made ours.

Knows nothing of waiting and asking again. What the client gives is checked and typed here; its
exceptions go no further.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx2
from huggingface_hub import ChatCompletionOutput
from huggingface_hub.errors import HfHubHTTPError, InferenceTimeoutError

from polaris_search.llm.failures import ChatFailed, ChatTroubled
from polaris_search.llm.model import ChatReply, ChatRequest
from polaris_search.llm.traffic.retries import retry_after_s
from polaris_search.llm.wire.access import chat_access
from polaris_search.llm.wire.broken import broken_connection
from polaris_search.llm.wire.kinds import KINDS, extra_body
from polaris_search.llm.wire.refusals import failure_of_status
from polaris_search.llm.wire.replies import reply_of
from polaris_search.llm.wire.transport import inference_client
from polaris_search.setting_table import LlmKind

# What huggingface_hub raises where a reply is not what its own types expect.
_GARBAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)


class Caller:
    """Asks one server.

    Args:
        url: the server's address, with or without /v1.
        kind: what serves it.
        asked_as: the model name to send.
        answers_as: the name that each reply has to carry, None where the kind tells none that
            could be relied on. A server that lost an adapter may answer from its base.
        loras: number and scale of each adapter of a llama.cpp server.
        api_key: its key, None for none.
        timeout_s: longest wait for one reply.

    Raises:
        UsageError: `url` is no http(s) address.
    """

    def __init__(
        self,
        url: str,
        kind: LlmKind,
        *,
        asked_as: str,
        api_key: str | None,
        timeout_s: float,
        answers_as: str | None = None,
        loras: Sequence[tuple[int, float]] = (),
    ) -> None:
        self._access = chat_access(url, api_key)
        self._kind = kind
        self._asked_as = asked_as
        self._answers_as = answers_as
        self._loras = [{"id": number, "scale": scale} for number, scale in loras]
        self._timeout_s = timeout_s
        self._client = inference_client(self._access, timeout_s)

    async def ask(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one attempt.

        Raises:
            ChatRefused: the server does not serve this request.
            ChatTroubled: the server is not there, late, busy, failing or talking nonsense.
        """
        try:
            # Silence has its limit in the client; this ends a reply that only drips.
            async with asyncio.timeout(self._timeout_s):
                reply = self._reply(await self._post(request), request)
        except (HfHubHTTPError, httpx2.HTTPStatusError) as error:
            raise self._failure(error.response) from None
        except (InferenceTimeoutError, TimeoutError):
            raise ChatTroubled(
                "timeout",
                f"{self._access.shown} gave no reply in {self._timeout_s:g} s. "
                "Raise POLARIS_LLM_TIMEOUT_S, or lower POLARIS_LLM_CONCURRENCY.",
            ) from None
        except httpx2.TransportError as error:
            raise ChatTroubled("unreachable", broken_connection(error, self._access)) from None
        except _GARBAGE:
            raise ChatTroubled(
                "garbage",
                f"{self._access.shown} answered with something that is no chat reply. "
                "Check POLARIS_LLM_URL and POLARIS_LLM_KIND.",
            ) from None
        self._require_model(reply)
        return reply

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()  # type: ignore[no-untyped-call]

    def _require_model(self, reply: ChatReply) -> None:
        if self._answers_as and reply.model != self._answers_as:
            raise ChatTroubled(
                "other_model",
                f"{self._access.shown} answered as {reply.model!r}, not as {self._answers_as!r}; "
                "its text is not kept. See that it serves what POLARIS_LLM_MODEL names.",
            )

    async def _post(self, request: ChatRequest) -> ChatCompletionOutput:
        messages = [{"role": turn.role, "content": turn.content} for turn in request.messages]
        body: dict[str, Any] = extra_body(self._kind, request)
        if self._loras:
            body["lora"] = self._loras
        output = await self._client.chat_completion(
            messages,
            model=self._asked_as,
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            top_p=request.top_p,
            seed=request.seed,
            extra_body=body,
        )
        if not isinstance(output, ChatCompletionOutput):
            raise TypeError("a stream, which was not asked for")
        return output

    def _reply(self, output: ChatCompletionOutput, request: ChatRequest) -> ChatReply:
        kind = KINDS[self._kind]
        return reply_of(output, request, kind=kind, asked_as=self._asked_as, access=self._access)

    def _failure(self, response: httpx2.Response) -> ChatFailed:
        return failure_of_status(
            response.status_code,
            response.text,
            access=self._access,
            retry_after_s=retry_after_s(response.headers.get("Retry-After")),
        )
