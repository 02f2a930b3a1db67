"""Database addresses as they may be shown and stored: without user, password and options.

Everything up to the last @ counts as secret, for a password may hold an @ that nobody escaped, and
so does everything behind the ?, for options may hold a password too. Pure.
"""

import re

# Also of an address with a slash too few; a letter before a slash is a drive.
_SCHEME = re.compile(r"(?![A-Za-z]:[\\/])[^/@:]+:/*")
_QUESTION_MARK = re.compile(r"\?")
_OPTIONS = re.compile("[?&;]")  # where an @ in one option hides where they begin
_USER_AND_PASSWORD = re.compile(r"[^:/]*(?::[^@]*)?@")
_SECRET_IN_TEXT = re.compile(r"(?<=://)\S*@")


def is_address(source: str) -> bool:
    """Return whether a source is meant as the address of a database, not as a path."""
    return "://" in source


def is_web_address(source: str) -> bool:
    """Return whether a source is the address of something on the web, such as a CKAN portal."""
    return source.partition("://")[0].lower() in ("http", "https")


def shown_address(source: str) -> str:
    """Return what of a source may be shown; of a path that is no address, all of it."""
    if not is_address(source):
        scheme = _SCHEME.match(source)
        return scheme.group() + source[scheme.end() :].rpartition("@")[2] if scheme else source
    scheme_name, _, rest = source.partition("://")
    hidden, _, visible = ("", "", rest) if _names_file(source) else rest.rpartition("@")
    ends = _OPTIONS if "?" in hidden else _QUESTION_MARK
    return f"{scheme_name}://{ends.split(visible, maxsplit=1)[0]}"


def has_stray_at(address: str) -> bool:
    """Return whether an @ stands behind the one that ends user and password.

    A part of the password would then be taken for the host, and be shown by whatever fails next.
    """
    rest = address.partition("://")[2]
    secret = _USER_AND_PASSWORD.match(rest)
    return "@" in rest[secret.end() if secret else 0 :] and not _names_file(address)


def storable(name: str) -> str:
    """Return a name as UTF-8 can hold it: the names of files may be any bytes."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def without_secrets(text: str) -> str:
    """Return the text of an error with user and password cut from the addresses in it."""
    return _SECRET_IN_TEXT.sub("", text)


def _names_file(address: str) -> bool:
    """Return whether it names a path, which has no user and may hold an @."""
    scheme, _, rest = address.partition("://")
    return scheme.partition("+")[0] in ("sqlite", "duckdb") and rest.startswith("/")
