"""Addresses of servers in a setting: several in one, and fit to be shown. Pure.

A password may hold any character, so that what cannot be told apart for sure is not shown.
"""

import re
from urllib.parse import urlsplit

_BETWEEN = re.compile(r",(?=\s*https?://)|,\s*$", re.IGNORECASE)
"""A comma in a password is not one: what follows a separating one is the next http(s) address."""

_FOLDER_HERE = re.compile(r"file:(?!//)|file://(localhost)?/", re.IGNORECASE)
"""An address without credentials: an '@' in it belongs to a folder's name."""


def addresses_of(text: str) -> tuple[str, ...]:
    """Return the addresses of a list that is separated by commas, each once, in its order."""
    parts = [part.strip() for part in _BETWEEN.split(text)]
    return tuple(dict.fromkeys(part for part in parts if part))


def shown_addresses(text: str) -> str:
    """Return a list of addresses fit to be shown, each `without_credentials`.

    Where a part is no whole address the list may be one address with a strange password: then all
    up to its last '@' is hidden.
    """
    parts = addresses_of(text)
    if all(_is_whole(part) for part in parts):
        return ",".join(map(without_credentials, parts))
    return without_credentials(text.strip())


def without_credentials(url: str) -> str:
    """Return the URL fit to be shown: "(set)" for all up to its last '@'."""
    before, at, host = url.rpartition("@")
    if not at or _FOLDER_HERE.match(url):
        return url
    scheme, separator, _ = before.partition("://")
    return f"{scheme}://(set)@{host}" if separator and scheme.isalnum() else f"(set)@{host}"


def _is_whole(url: str) -> bool:
    """Whether its host and port are what they should be, so that it was cut at the right places."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
