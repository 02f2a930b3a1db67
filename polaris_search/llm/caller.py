"""One chat request to one server, once: the huggingface_hub client, its errors made ours.

Knows nothing of waiting and asking again. What the client gives is checked and typed here; its
exceptions go no further.
"""

import asyncio
from typing import Any

import httpx2
from huggingface_hub import ChatCompletionOutput
from huggingface_hub.errors import HfHubHTTPError, InferenceTimeoutError

from polaris_search.llm.failures import ChatFailed, ChatTroubled
from polaris_search.llm.identity import plain_name
from polaris_search.llm.kinds import extra_body
from polaris_search.llm.model import ChatReply, ChatRequest
from polaris_search.llm.refusals import failure_of_status
from polaris_search.llm.retries import retry_after_s
from polaris_search.llm.transport import inference_client
from polaris_search.settings import LlmKind

# What huggingface_hub raises where a reply is not what its own types expect.
_GARBAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError)


class Caller:
    """Asks one server.

    Args:
        url: the server's address, with or without /v1.
        kind: what serves it.
        asked_as: the model name to send.
        api_key: its key, None for none.
        timeout_s: longest wait for one reply.
    """

    def __init__(
        self, url: str, kind: LlmKind, *, asked_as: str, api_key: str | None, timeout_s: float
    ) -> None:
        self.url = url
        self._kind = kind
        self._asked_as = asked_as
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._client = inference_client(url, api_key, timeout_s)

    async def ask(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one attempt.

        Raises:
            ChatRefused: the server does not serve this request.
            ChatTroubled: the server is not there, late, busy, failing or talking nonsense.
        """
        try:
            # Silence has its limit in the client; this ends a reply that only drips.
            async with asyncio.timeout(self._timeout_s):
                return _reply(await self._post(request), self._asked_as)
        except HfHubHTTPError as error:
            raise self._failure(error) from None
        except (InferenceTimeoutError, TimeoutError):
            raise ChatTroubled(
                "timeout",
                f"{self.url} gave no reply in {self._timeout_s:g} s. "
                "Raise POLARIS_LLM_TIMEOUT_S, or lower POLARIS_LLM_CONCURRENCY.",
            ) from None
        except httpx2.TransportError as error:
            raise ChatTroubled(
                "unreachable",
                f"No connection to the chat server at {self.url}: {error or type(error).__name__}.",
            ) from None
        except _GARBAGE as error:
            raise ChatTroubled(
                "garbage", f"{self.url} answered with something that is no chat reply: {error}"
            ) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()  # type: ignore[no-untyped-call]

    async def _post(self, request: ChatRequest) -> ChatCompletionOutput:
        messages = [{"role": turn.role, "content": turn.content} for turn in request.messages]
        body: dict[str, Any] = extra_body(self._kind, request.schema, request.top_k)
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

    def _failure(self, error: HfHubHTTPError) -> ChatFailed:
        response = error.response
        return failure_of_status(
            response.status_code,
            response.text,
            url=self.url,
            secret=self._api_key,
            retry_after_s=retry_after_s(response.headers.get("Retry-After")),
        )


def _reply(output: ChatCompletionOutput, asked_as: str) -> ChatReply:
    choice = output.choices[0]
    text = choice.message.content
    if text is not None and not isinstance(text, str):
        raise TypeError("its content is not text")
    return ChatReply(
        text=text or "",
        finish_reason="length" if choice.finish_reason == "length" else "stop",
        prompt_tokens=_count(output, "prompt_tokens"),
        completion_tokens=_count(output, "completion_tokens"),
        model=plain_name(output.model) if isinstance(output.model, str) else asked_as,
    )


def _count(output: ChatCompletionOutput, name: str) -> int:
    # A server may leave usage out; the client then has no such object.
    usage = output.usage
    value = getattr(usage, name, 0) if usage is not None else 0
    return value if isinstance(value, int) else 0
