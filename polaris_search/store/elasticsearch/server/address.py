"""An Elasticsearch address taken apart: where the server is, and who asks.

Comes in as the text of a setting, goes out checked; a password never appears in `url`, in a message
or in a repr.
"""

import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from polaris_search.errors import UsageError

EXAMPLE = (
    "Write it as https://user:password@host:9200, with a port, and special characters in user and "
    "password percent-encoded (%40 for '@', %2F for '/')."
)

_END_OF_HOST = re.compile("[/?#]")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is (`url`, without credentials), and as whom to ask it where that is given."""

    url: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)


def parse_address(text: str) -> Address:
    """Return the address that an http(s) URL names; user and password may be percent-encoded.

    Raises:
        UsageError: no host or port, or more than an address.
    """
    parts = _split(text.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"The store's address names no http(s) server. {EXAMPLE}")
    if not _can_be_a_host(parts.hostname):
        raise UsageError(f"The store's address has a host that none can have. {EXAMPLE}")
    if parts.query or parts.fragment:
        raise UsageError(
            f"The store's address on {parts.hostname} goes on after its path. {EXAMPLE}"
        )
    if _port(parts) is None:
        raise UsageError(f"The store's address on {parts.hostname} names no port. {EXAMPLE}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return Address(
        url=f"{parts.scheme}://{host}:{parts.port}{parts.path.rstrip('/')}",
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password is not None else None,
    )


def _split(text: str) -> SplitResult:
    """Return the parts of an address whose host is the one meant, so that it may be shown."""
    _, _, rest = text.partition("//")
    end = _END_OF_HOST.search(rest)
    if end and "@" in rest[end.end() :]:  # what is taken for the host is the password's beginning
        raise UsageError(f"The store's address has an '@' after a '/', '?' or '#'. {EXAMPLE}")
    try:
        return urlsplit(text)
    except ValueError:  # for instance a bracket left open; the reason may quote the password
        raise UsageError(f"The store's address cannot be read. {EXAMPLE}") from None


def _can_be_a_host(name: str) -> bool:
    """Return whether the name could be looked up: no part of it is empty or over 63 characters."""
    try:
        name.encode("idna")
    except UnicodeError:
        return False
    return True


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError:  # the reason would quote what follows the colon, perhaps a password
        raise UsageError(
            f"The store's address has a port that is no number from 0 to 65535. {EXAMPLE}"
        ) from None
