"""Parts of a JSON document that others designed, as the types that they should have. Pure.

What is missing or null is empty; what has another type is refused by name, so that one odd member
costs one table.
"""

from collections.abc import Mapping

from ingest.readers.values import context_text
from polaris_search.errors import TableInvalid


def object_of(value: object, where: str) -> Mapping[str, object]:
    """Return an object; null and nothing are an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TableInvalid(f"{where} is not an object", "Write it as the format has it.")
    return value


def list_of(value: object, where: str) -> list[object]:
    """Return a list; null is an empty one, a single text is a list of it."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value] if value else []
    if not isinstance(value, list):
        raise TableInvalid(f"{where} is not a list", "Write it as the format has it.")
    return value


def readable_text(value: object, where: str) -> str:
    """Return any value as the text of a context, stripped; "" for none."""
    return context_text(value, where).strip()


def first_text(record: Mapping[str, object], *keys: str) -> str:
    """Return the text at the first of the keys that has one."""
    for key in keys:
        text = readable_text(record.get(key), key)
        if text:
            return text
    return ""


def joined(values: list[object], where: str, *keys: str) -> str:
    """Return the texts of a list of texts, or of objects that hold theirs at the first of `keys`.

    Each once, in order, joined by "; ".
    """
    texts = (
        first_text(value, *keys) if isinstance(value, dict) else readable_text(value, where)
        for value in values
    )
    return "; ".join(dict.fromkeys(filter(None, texts)))
