"""One question to a CKAN portal: asked again where it may help, its `result` or a sentence."""

import json
from collections.abc import Callable, Mapping

import httpx2

from polaris_search.llm.traffic.retries import RetryPolicy, retry_after_s

RETRIES = RetryPolicy(attempts=4, first_wait_s=1.0, longest_wait_s=4.0, longest_retry_after_s=60.0)
MAX_REPLY_BYTES = 256 * 2**20


class PortalFailed(Exception):
    """No result. `problem` is a clause, `remedy` a sentence; `is_refusal`: asking again is vain."""

    def __init__(self, problem: str, remedy: str, *, is_refusal: bool = True) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        self.is_refusal = is_refusal
        self.retry_after_s: float | None = None


class PortalRequest:
    """Asks a portal.

    Args:
        client: whoever gives it closes it.
        sleep: waits so many seconds.
        random: gives numbers from 0 to 1.
    """

    def __init__(
        self,
        client: httpx2.Client,
        sleep: Callable[[float], None],
        random: Callable[[], float],
    ) -> None:
        self._client = client
        self._sleep = sleep
        self._random = random

    def result(self, address: str, parameters: Mapping[str, str]) -> Mapping[str, object]:
        """Return the `result` of an action.

        Raises:
            PortalFailed: it was refused, is none, or failed RETRIES.attempts times.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                return _result(self._ask(address, parameters))
            except PortalFailed as failure:
                wait_s = RETRIES.wait_s(attempt, failure.retry_after_s, self._random)
                if failure.is_refusal or wait_s is None:
                    raise
                self._sleep(wait_s)

    def _ask(self, address: str, parameters: Mapping[str, str]) -> bytes:
        try:
            with self._client.stream("GET", address, params=parameters) as response:
                if response.status_code != httpx2.codes.OK:
                    raise _failure(response)
                return _bounded(response)
        except httpx2.TransportError as error:
            problem = f"It does not answer ({str(error) or type(error).__name__})"
            remedy = "Check the address and the network."
            raise PortalFailed(problem, remedy, is_refusal=False) from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:  # such as too many redirects
            raise PortalFailed(f"It cannot be asked ({error})", "Check the address.") from None


def _bounded(response: httpx2.Response) -> bytes:
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > MAX_REPLY_BYTES:
            megabytes = MAX_REPLY_BYTES // 2**20
            raise PortalFailed(
                f"An answer is longer than {megabytes} MiB", "Save it as a file, and name that."
            )
    return bytes(body)


def _failure(response: httpx2.Response) -> PortalFailed:
    status = response.status_code
    problem = f"It answers {status} {response.reason_phrase}".rstrip()
    if status in (401, 403):
        remedy = "Save the reply with your API key as a file, and name that."
        return PortalFailed(problem, remedy)
    if status != 429 and status < 500:
        return PortalFailed(problem, "Name the address of its package_search.")
    remedy = "Try again later, or save the reply as a file and name that."
    failure = PortalFailed(problem, remedy, is_refusal=False)
    failure.retry_after_s = retry_after_s(response.headers.get("Retry-After"))
    return failure


def _result(body: bytes) -> Mapping[str, object]:
    remedy = "Name the address of its package_search."
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        raise PortalFailed("It answers with something that is no JSON", remedy) from None
    result = reply.get("result") if isinstance(reply, dict) else None
    if not isinstance(result, dict) or reply.get("success") is False:
        raise PortalFailed("It answers with something that is no CKAN reply", remedy)
    return result
