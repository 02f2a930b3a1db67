"""Where a chat server is and how it lets us in, with the credentials kept apart from the address.

An address that no longer holds them can stand in any message, and in the logs of the libraries
below. What a server says is quoted only where it repeats none of them.
"""

import base64
import json
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import httpx2

from polaris_search.addresses import without_credentials
from polaris_search.errors import UsageError

HIDDEN = "(set)"


@dataclass(frozen=True, slots=True)
class Access:
    """A chat server's address and the header that it wants.

    `url` is what to connect to, `shown` what to tell people. `authorization` is None where neither
    a key nor credentials are set. `secrets` are all spellings that must not be repeated.
    """

    url: str
    shown: str
    authorization: str | None = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that let a request in."""
        return {"authorization": self.authorization} if self.authorization else {}

    def repeats_secret(self, text: str) -> bool:
        """Whether the text holds a credential in any spelling."""
        return any(secret in text for secret in self.secrets)

    def concealed(self, text: str) -> str:
        """Return the text with "(set)" for each credential in it."""
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        return text


def chat_access(url: str, api_key: str | None) -> Access:
    """Return the access to the chat server at `url`; credentials in it come before the key.

    Raises:
        UsageError: `url` is no http(s) address.
    """
    parsed = _parsed(url)
    bare = str(parsed.copy_with(username=None, password=None))
    basic = _basic(parsed.userinfo.decode())
    bearer = f"Bearer {api_key}" if api_key else None
    secrets = [api_key or "", *_spellings(parsed.userinfo.decode()), *(basic or "").split()[1:]]
    return Access(
        url=bare,
        shown=without_credentials(bare).split("?")[0].split("#")[0],
        authorization=basic or bearer,
        secrets=_escaped(secrets),
    )


def _parsed(url: str) -> httpx2.URL:
    try:
        _ = urlsplit(url).port  # also checks the port's range, which httpx2 does not
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError):
        raise _no_address(url) from None
    blank = any(char.isspace() for char in url)
    if parsed.scheme not in ("http", "https") or not parsed.host or blank:
        raise _no_address(url)
    return parsed


def _no_address(url: str) -> UsageError:
    shown = without_credentials(url).split("?")[0]
    return UsageError(
        f"POLARIS_LLM_URL is {shown!r}; an http(s) address was expected. "
        "Special characters in a password are written with % and two digits."
    )


def _basic(userinfo: str) -> str | None:
    if not userinfo.strip(":"):
        return None
    user, _, password = userinfo.partition(":")
    pair = f"{unquote(user)}:{unquote(password)}"
    return "Basic " + base64.b64encode(pair.encode()).decode()


def _spellings(userinfo: str) -> list[str]:
    user, _, password = userinfo.partition(":")
    # A lone name is a token; beside a password a name is no secret, and may be a common word.
    hidden = password or user
    return [userinfo, unquote(userinfo), hidden, unquote(hidden)]


def _escaped(secrets: list[str]) -> tuple[str, ...]:
    """Return each secret as it is, and as JSON and Python write it; the longest first."""
    spelled = {
        spelling
        for secret in secrets
        if secret.strip(":")
        for spelling in (secret, json.dumps(secret)[1:-1], repr(secret)[1:-1])
    }
    return tuple(sorted(spelled, key=len, reverse=True))
