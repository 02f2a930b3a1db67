"""Several replies to one prompt, asked for at once, as far as the server gives them.

Comes in: a request and how many replies are wanted. Goes out: those that came; none where they have
to be asked for one by one. A server that refuses so many, or gives fewer, is asked for fewer from
then on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingest.describe.reply import Accepted, read_reply
from polaris_search.llm.failures import ChatRefused, PromptTooLong
from polaris_search.llm.model import ChatModel, ChatReply, ChatRequest
from polaris_search.records import Description

MOST_REPLIES = 128
"""What OpenAI's API allows in one request."""
REQUEST_REFUSED = frozenset({400, 422})
"""Statuses that may mean the wish for several replies; others meet every request."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A description, and the decoding that it can be traced by.

    Attributes:
        description: what was written.
        seed: the one it was sampled with: its own, or where that is not known its request's.
        temperature: it was sampled at.
        request_seed: the seed that was sent.
        reply: which of the replies to its request it is, from 0.
        n_replies: how many came of it.
    """

    description: Description
    seed: int
    temperature: float
    request_seed: int
    reply: int = 0
    n_replies: int = 1


class Several:
    """Asks one chat model for several replies, and remembers how many it gives."""

    def __init__(self, chat_model: ChatModel) -> None:
        self._chat_model = chat_model
        self._most = MOST_REPLIES

    async def replies(self, request: ChatRequest, wanted: int) -> tuple[ChatReply, ...]:
        """Return up to `wanted` replies, none where the server gives but one to a request.

        Raises:
            ChatFailed: the model fails at it for another reason than the number of replies.
            ServiceUnreachable: its server is not there, or is asked no more.
        """
        while (n_replies := min(wanted, self._most)) > 1:
            try:
                reply = await self._chat_model.chat(replace(request, n_replies=n_replies))
            except PromptTooLong:
                raise
            except ChatRefused as refusal:
                if refusal.status not in REQUEST_REFUSED:
                    raise
                self._most = min(self._most, n_replies // 2)
                continue
            if len(reply.all_replies) < n_replies:
                self._most = min(self._most, len(reply.all_replies))
            return reply.all_replies
        return ()


def samples_among(replies: Sequence[ChatReply], request: ChatRequest) -> tuple[Sample, ...]:
    """Return the replies that are descriptions, of a request for several."""
    return tuple(
        Sample(
            description=read.description,
            seed=request.seed if reply.seed is None else reply.seed,
            temperature=request.temperature,
            request_seed=request.seed,
            reply=place,
            n_replies=len(replies),
        )
        for place, reply in enumerate(replies)
        if isinstance(read := read_reply(reply), Accepted)
    )
