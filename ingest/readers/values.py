"""What the JSON values of a source mean as parts of a RawTable. Pure.

Texts of a context: a string stays as it is; a number or boolean becomes its JSON text; a list of
these is joined by "; "; an object of these becomes "key: value" joined by "; "; what is nested
deeper becomes compact JSON. Null and the empty string are no value and leave no key behind.
"""

import json

from polaris_search.errors import TableInvalid
from polaris_search.records import Column

_WRITE_LIST = 'Write a JSON list, such as ["id", "name"].'


def parse_json(text: str, where: str) -> object:
    """Return the JSON value in `text`.

    Raises:
        TableInvalid: it is none, or nested too deep to be read; `where` names its place.
    """
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise TableInvalid(
            f"{where} is not valid JSON ({error.msg.removesuffix(' at')} at {error.pos + 1})",
            "Correct it there; the number counts characters.",
        ) from None
    except (ValueError, RecursionError):  # a number of thousands of digits, lists in lists in lists
        raise TableInvalid(f"{where} is JSON beyond reading", "Simplify it.") from None
    return value


def columns_of(value: object, where: str) -> tuple[Column, ...]:
    """Return the columns of a JSON list of names or of {name, type, comment} objects.

    Null is no column at all; a null in the list is a column without a name.
    """
    if value is None:
        return ()
    if not isinstance(value, list):
        raise TableInvalid(f"{where} is not a list", _WRITE_LIST)
    if all(isinstance(item, str) for item in value):  # nearly every table
        return tuple(map(Column, value))
    return tuple(_column(item, f"{where}, item {n},") for n, item in enumerate(value, start=1))


def context_of(value: object, where: str) -> dict[str, str]:
    """Return a context from its JSON value; a value that is no object becomes {"context": text}."""
    if not isinstance(value, dict):
        value = {"context": value}
    texts = {key: context_text(part, f"{where}, key {key!r},") for key, part in value.items()}
    return {key: text for key, text in texts.items() if text}


def context_text(value: object, where: str) -> str:
    """Return one context value as text, "" for none."""
    if isinstance(value, list) and all(map(_is_scalar, value)):
        return "; ".join(filter(None, map(_scalar_text, value)))
    if isinstance(value, dict) and all(map(_is_scalar, value.values())):
        return "; ".join(f"{key}: {_scalar_text(part)}" for key, part in value.items())
    if _is_scalar(value):
        return _scalar_text(value)
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise TableInvalid(f"{where} is nested too deep", "Flatten it to texts.") from None


def text_of(value: object, where: str) -> str:
    """Return a name, an id or a facet as text, "" for null."""
    if not _is_scalar(value):
        raise TableInvalid(f"{where} is not a text", "Write a single text.")
    return _scalar_text(value)


def known_id(value: object) -> str | None:
    """Return the whole id that a row names, though its table could not be taken; None if none."""
    text = _scalar_text(value) if _is_scalar(value) else ""
    return text if text.strip() else None


def groups_of(value: object, where: str) -> tuple[str, ...]:
    """Return the groups of a JSON list of texts; null means everyone.

    Anything else is refused: a table whose access is misread must not become public.
    """
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value):
        return tuple(value)
    raise TableInvalid(
        f"{where} is not a list of groups", 'Write a JSON list of texts, such as ["hr"].'
    )


def _column(item: object, where: str) -> Column:
    if not isinstance(item, dict):
        return Column(text_of(item, where))
    if "name" not in item:
        raise TableInvalid(f"{where} has no name", 'Write {"name": ..., "type": ...}.')
    name, kind, comment = (
        text_of(item.get(key), f"{where} {key}") for key in ("name", "type", "comment")
    )
    return Column(name, kind or None, comment or None)


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def _scalar_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
