"""How the chat servers of the settings are, for `polaris-admin doctor`; each is asked once."""

from dataclasses import dataclass, replace

from polaris_search.addresses import addresses_of
from polaris_search.errors import PolarisError, ServiceUnreachable, UsageError
from polaris_search.llm.canary import Finding
from polaris_search.llm.failures import ChatTroubled
from polaris_search.llm.promoted import with_chosen_adapter
from polaris_search.llm.serving import Served, looked_over, name_of, require_same
from polaris_search.llm.traffic.client import Patience
from polaris_search.llm.traffic.retries import RetryPolicy
from polaris_search.llm.wire.access import chat_access
from polaris_search.settings import Settings

PROBE_S = 10.0
"""Longest wait of a check for a server's reply."""
ONCE = Patience(RetryPolicy(attempts=1))


@dataclass(frozen=True, slots=True)
class ServerReport:
    """One server: its address without credentials, the model it serves, and what was found.

    Where it cannot be asked, `error` says why and there is no model.
    """

    shown: str
    model: str | None
    findings: tuple[Finding, ...] = ()
    error: PolarisError | None = None


def server_reports(settings: Settings) -> tuple[ServerReport, ...]:
    """Return how each server at POLARIS_LLM_URL is, in their order, waiting for each some 10 s.

    Where they do not serve the same, that is the error of the last.

    Raises:
        UsageError: an address is none.
    """
    settings = with_chosen_adapter(settings)
    brief = replace(settings, llm_timeout_s=min(PROBE_S, settings.llm_timeout_s))
    urls = addresses_of(settings.llm_url or "")
    looks = [_look(url, brief) for url in urls]
    reports = [_report(url, look) for url, look in zip(urls, looks, strict=True)]
    try:
        require_same([look for look in looks if isinstance(look, Served)])
    except UsageError as error:
        reports[-1] = replace(reports[-1], error=error)
    return tuple(reports)


def _look(url: str, settings: Settings) -> Served | PolarisError:
    try:
        return looked_over(url, settings, ONCE)
    except ChatTroubled as trouble:
        return _silent() if trouble.trouble == "timeout" else trouble
    except PolarisError as error:
        return error


def _report(url: str, look: Served | PolarisError) -> ServerReport:
    shown = chat_access(url, None).shown
    if isinstance(look, PolarisError):
        return ServerReport(shown, None, error=look)
    return ServerReport(shown, name_of(look.identity), look.findings)


def _silent() -> ServiceUnreachable:
    return ServiceUnreachable(
        "The chat server wrote nothing while it was waited for. It may be busy, or still be "
        "loading its model: look at its log, and try again."
    )
