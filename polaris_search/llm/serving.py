"""The servers that the settings name: what each serves, looked over, and one client for all.

Only servers that serve the same model under the same adapter are asked together, because a
description is traced by both. One that is down is left out, and that is said.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from polaris_search.addresses import addresses_of
from polaris_search.errors import PolarisError, ServiceUnreachable, UsageError
from polaris_search.llm.canary import Finding, adapter_finding, context_finding, schema_finding
from polaris_search.llm.failures import ChatFailed
from polaris_search.llm.identity import TGI_BASE, Identity, identify
from polaris_search.llm.promoted import with_chosen_adapter
from polaris_search.llm.traffic.client import Patience, ServedChatModel
from polaris_search.llm.wire.access import chat_access
from polaris_search.llm.wire.caller import Caller
from polaris_search.settings import Settings

T = TypeVar("T")

IDENTITY_S = 10.0
"""Longest wait for what a server says of itself."""
WAITS_S = 30.0
"""Of a request's time, that for the waits between its attempts."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Served:
    """One address, what it serves, and what a look at it showed; `url` may hold credentials."""

    url: str
    identity: Identity
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Unfit:
    """One address that is not to be asked, and why."""

    url: str
    error: PolarisError


def served_chat_model(settings: Settings) -> ServedChatModel:
    """Return the client of all servers at POLARIS_LLM_URL that are up, each looked over first.

    Raises:
        UsageError: a server serves no such model or another than the others, or a look at it showed
            that what it wrote would not be what was asked for.
        ServiceUnreachable: none of them answers.
    """
    settings = with_chosen_adapter(settings)
    looked_at = [_looked_at(url, settings) for url in addresses_of(settings.llm_url or "")]
    servers = [one for one in looked_at if isinstance(one, Served)]
    unfit = [one for one in looked_at if isinstance(one, Unfit)]
    _require_some(servers, unfit)
    require_same(servers)
    for one in unfit:
        logger.warning("%s It is left out of this run.", one.error)
    for weak in {
        f.says: None for server in servers for f in server.findings if f.verdict == "weak"
    }:
        logger.warning("%s", weak)
    return ServedChatModel(
        [_caller(server, settings) for server in servers],
        merged(servers),
        concurrency=settings.llm_concurrency,
        patience=patience_of(settings),
    )


def patience_of(settings: Settings) -> Patience:
    """Return how long a request is borne with under these settings."""
    derived_s = 2 * settings.llm_timeout_s + WAITS_S
    return Patience(deadline_s=settings.llm_deadline_s or derived_s)


def looked_over(url: str, settings: Settings, patience: Patience) -> Served:
    """Return what the server at `url` serves, and what asking it a few requests showed.

    Raises:
        UsageError: it serves no such model, or `url` is no address.
        ServiceUnreachable: it does not answer.
        ChatFailed: it answers, but not as it should.
    """
    identity = identify(
        url,
        settings.llm_kind,
        settings.llm_model,
        settings.llm_api_key,
        timeout_s=min(IDENTITY_S, settings.llm_timeout_s),
    )
    server = Served(url, identity)
    findings = _in_a_loop_of_its_own(lambda: _findings(server, settings, patience))
    return replace(server, findings=findings)


def require_same(servers: Sequence[Served]) -> None:
    """Check that all servers serve the same model and adapter.

    Raises:
        UsageError: they do not.
    """
    served = {name_of(server.identity): chat_access(server.url, None).shown for server in servers}
    if len(served) > 1:
        found = ", ".join(f"{name} at {shown}" for name, shown in sorted(served.items()))
        raise UsageError(
            f"The servers at POLARIS_LLM_URL do not serve the same: {found}. "
            "Have all serve the same model and adapter, or name only those that do."
        )


def merged(servers: Sequence[Served]) -> Identity:
    """Return the identity of servers that serve the same: the shortest context is that of all."""
    contexts = [server.identity.context_tokens for server in servers]
    known = [tokens for tokens in contexts if tokens is not None]
    return replace(servers[0].identity, context_tokens=min(known, default=None))


def name_of(identity: Identity) -> str:
    """Return the name of a model and its adapter for people."""
    adapter = identity.adapter
    return identity.model if adapter is None else f"{identity.model} with {adapter}"


def _looked_at(url: str, settings: Settings) -> Served | Unfit:
    shown = chat_access(url, None).shown
    patience = patience_of(settings)
    # One reply is waited for, not two: who started the command sees nothing meanwhile.
    brief_s = min(patience.deadline_s, settings.llm_timeout_s + WAITS_S)
    try:
        server = looked_over(url, settings, replace(patience, deadline_s=brief_s))
    except (ServiceUnreachable, ChatFailed) as error:
        return Unfit(url, error)
    except UsageError as error:
        raise UsageError(f"{shown}: {error}") from None
    for finding in server.findings:
        if finding.verdict == "wrong":
            raise UsageError(f"{shown}: {finding.says}")
    return server


def _require_some(servers: Sequence[Served], unfit: Sequence[Unfit]) -> None:
    if servers:
        return
    if not unfit:
        raise UsageError("POLARIS_LLM_URL names no server. Set it to an http(s) address.")
    reasons = " ".join(dict.fromkeys(str(one.error) for one in unfit))
    raise ServiceUnreachable(reasons)


async def _findings(server: Served, settings: Settings, patience: Patience) -> tuple[Finding, ...]:
    kind, identity = settings.llm_kind, server.identity
    model = _asked_alone(server, settings, patience)
    base = replace(identity, adapter=None, asked_as=TGI_BASE)
    lists_adapters = kind != "tgi" or identity.adapter is None
    base_model = (
        None if lists_adapters else _asked_alone(Served(server.url, base), settings, patience)
    )
    try:
        schema = await schema_finding(model.chat, kind)
        adapter = await adapter_finding(
            model.chat, base_model.chat if base_model else None, kind, identity
        )
    finally:
        await model.close()
        if base_model:
            await base_model.close()
    return tuple(one for one in (schema, adapter, context_finding(identity)) if one)


def _asked_alone(server: Served, settings: Settings, patience: Patience) -> ServedChatModel:
    return ServedChatModel(
        _caller(server, settings), server.identity, concurrency=1, patience=patience
    )


def _caller(server: Served, settings: Settings) -> Caller:
    identity = server.identity
    # vLLM's replies carry the name that was asked for; TGI's the base's, whatever wrote.
    says_adapter = settings.llm_kind == "vllm" and identity.adapter is not None
    return Caller(
        server.url,
        settings.llm_kind,
        asked_as=identity.asked_as,
        answers_as=identity.asked_as if says_adapter else None,
        api_key=settings.llm_api_key,
        timeout_s=settings.llm_timeout_s,
        loras=identity.loras,
    )


def _in_a_loop_of_its_own(coroutine: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return what the coroutine returns, also where the caller runs in an event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(coroutine())).result()
