"""Ids in TREC files, whose columns are split at white space: percent-encoded, and back, exactly."""

import re
from urllib.parse import unquote_to_bytes

_SPACE_OR_PERCENT = re.compile(r"[\s%]")


def encoded_id(text: str) -> str:
    """Return the id with white space and '%' percent-encoded; everything else stays as it is."""
    return _SPACE_OR_PERCENT.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text
    )


def decoded_id(text: str) -> str:
    """Return the id that `encoded_id` encoded.

    An id of another program that only looks encoded in part ("100%", "5%ff") stays as it is.
    """
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return text
