"""What a chat server is asked before it writes: does it do what the settings say, and is it known?

Three things go wrong without an error: a schema that is not obeyed, an adapter that does not write,
and a context that nobody knows. Each is a `Finding`; what cannot be found out is said, not claimed.
"""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from polaris_search.llm.failures import ChatRefused
from polaris_search.llm.identity import Identity
from polaris_search.llm.model import ChatMessage, ChatReply, ChatRequest
from polaris_search.setting_table import LlmKind

About = Literal["structured output", "adapter", "context length"]
Verdict = Literal["seen", "told", "unknown", "weak", "wrong"]
Ask = Callable[[ChatRequest], Awaitable[ChatReply]]

WORD = "^[a-z]{3,9}$"
SCHEMA = {
    "type": "object",
    "properties": {"canary": {"type": "string", "pattern": WORD}},
    "required": ["canary"],
    "additionalProperties": False,
}
# A server that ignores the schema does what it is told, and writes a sentence.
SENTENCE = (ChatMessage("user", "Write one sentence about the sea. No JSON."),)
SCHEMA_TOKENS = 40

PROMPTS = (
    "Describe a table with the columns order_id, customer_id, ship_date and freight.",
    "Write down what a table of river gauge readings may be used for.",
    "Explain the column names emp_no, dept, hire_dt and sal_amt.",
)
ADAPTER_TOKENS = 48


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look showed, `says` in a sentence.

    `verdict` is "seen" where a request showed it, "told" where the server's word is taken,
    "unknown" where nothing shows it, "weak" where writing works less well, "wrong" where what would
    be written is not what was asked for.
    """

    about: About
    verdict: Verdict
    says: str


async def schema_finding(ask: Ask, kind: LlmKind) -> Finding:
    """Return whether a reply is held to a schema, by a request that asks for something else.

    Raises:
        ChatFailed: the server does not answer, or refuses more than the schema.
        ServiceUnreachable: it is not there.
    """
    try:
        reply = await ask(ChatRequest(SENTENCE, SCHEMA_TOKENS, SCHEMA))
    except ChatRefused as refusal:
        if refusal.status not in (400, 422):
            raise
        return Finding(
            "structured output",
            "wrong",
            f"A schema in the shape of {kind} is refused: {refusal} "
            "See docs/models.md for the kinds of servers.",
        )
    if _obeys(reply.text, WORD):
        return Finding("structured output", "seen", "Replies are held to a schema.")
    if _obeys(reply.text, ""):
        return Finding(
            "structured output",
            "weak",
            "Replies are held to a schema's fields but not to its patterns: texts may hold what "
            "descriptions should not, and are checked one by one. "
            f"See that it is {kind} (POLARIS_LLM_KIND).",
        )
    return Finding(
        "structured output",
        "weak",
        "Replies are not held to a schema: those that are no JSON of the right shape are given up, "
        f"one by one. Set POLARIS_LLM_KIND to what serves the model; it is {kind} now.",
    )


async def adapter_finding(
    ask: Ask, ask_base: Ask | None, kind: LlmKind, identity: Identity
) -> Finding | None:
    """Return whether the adapter asked for writes; None where none is.

    Only a server that neither lists adapters nor refuses an unknown one is tried: each of some
    fixed prompts is answered greedily by base and adapter, which must differ for one of them.

    Args:
        ask: asks with the adapter.
        ask_base: asks the base model; None where the server's list of adapters is believed.
        kind: what serves them.
        identity: the model and adapter.

    Raises:
        ChatFailed: the server does not answer.
        ServiceUnreachable: it is not there.
    """
    adapter = identity.adapter
    if adapter is None:
        if kind == "openai":
            return Finding(
                "adapter",
                "unknown",
                f"{identity.model!r} is the name asked for; whether an adapter is on it is not "
                "told by a server of kind openai.",
            )
        return None
    if ask_base is None:
        return Finding("adapter", "told", f"The server lists the adapter {adapter!r}.")
    for prompt in PROMPTS:
        request = ChatRequest((ChatMessage("user", prompt),), ADAPTER_TOKENS, temperature=0.0)
        base, written = await ask_base(request), await ask(request)
        if base.text == written.text:
            continue
        if (await ask_base(request)).text != base.text:
            return Finding(
                "adapter",
                "unknown",
                f"Whether {adapter!r} writes cannot be found out: the base model answers the same "
                "prompt differently each time, also where it is to choose the likeliest words.",
            )
        return Finding("adapter", "seen", f"{adapter!r} writes differently from the base model.")
    return Finding(
        "adapter",
        "wrong",
        f"Asked for {adapter!r}, the server answers {len(PROMPTS)} fixed prompts word for word as "
        "its base model does: it knows no such adapter, or one that changes nothing. Correct "
        "POLARIS_LLM_MODEL, or start the server with that adapter.",
    )


def context_finding(identity: Identity) -> Finding:
    """Return whether it is known how long a prompt may be."""
    if identity.context_tokens is not None:
        return Finding(
            "context length",
            "told",
            f"{identity.context_tokens:,} tokens for a prompt and its reply, as the server says.",
        )
    return Finding(
        "context length",
        "unknown",
        "The server does not say how long a prompt may be. Tables are kept to a moderate length, "
        "and shortened where the server refuses a prompt as too long.",
    )


def _obeys(text: str, pattern: str) -> bool:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(document, dict) or list(document) != ["canary"]:
        return False
    word = document["canary"]
    return isinstance(word, str) and re.search(pattern, word) is not None
