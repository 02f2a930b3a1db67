"""What a broken connection means, in words: the HTTP library's own are for its developers. Pure."""

import httpx2

from polaris_search.llm.wire.access import Access

_SAYS_NOTHING = ("", "All connection attempts failed")


def broken_connection(error: httpx2.TransportError, access: Access) -> str:
    """Return what happened between us and the server, a sentence without credentials."""
    if isinstance(error, httpx2.TimeoutException):
        return f"The chat server at {access.shown} did not answer in time."
    if isinstance(error, httpx2.ConnectError):
        # The system's words, where it has some, tell of names and certificates.
        why = access.concealed(str(error)).strip().rstrip(".")
        more = f": {why}." if why not in _SAYS_NOTHING else "."
        return f"No connection to the chat server at {access.shown}{more}"
    if isinstance(error, httpx2.ProxyError):
        return f"The proxy does not let requests through to the chat server at {access.shown}."
    if isinstance(error, httpx2.ReadError | httpx2.WriteError | httpx2.RemoteProtocolError):
        return f"The connection to the chat server at {access.shown} broke off."
    return f"No request could be sent to the chat server at {access.shown}."
