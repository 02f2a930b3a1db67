"""A JSON schema as a llama.cpp grammar (GBNF) that leaves no room for white space. Pure.

The server's own conversion allows blanks and line ends between the parts of an object; a small
model loops in them until its tokens are spent. Only what the product asks for is converted: an
object of strings, each with a pattern made of character classes, groups, alternatives and counts.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

_OBJECT_KEYS = {"type", "properties", "required", "additionalProperties"}
_STRING_KEYS = {"type", "pattern"}
# These mean the same in a regular expression and in GBNF; anything else is not converted.
_SHARED_SYNTAX = re.compile(r"(?:\[[^\[\]\\^\"]+\]|[()|?*+]|\{\d+(?:,\d*)?\})+")


def gbnf(schema: Mapping[str, Any]) -> str | None:
    """Return the grammar of the compact JSON that obeys `schema`, keys in its order.

    None where the schema holds more than this conversion knows.
    """
    fields = _fields(schema)
    if not fields:
        return None
    # Equal patterns are one rule: the server has less to keep.
    rules = {pattern: f"text-{n}" for n, pattern in enumerate(dict.fromkeys(fields.values()))}
    pairs = [f"{_literal(name)} {rules[pattern]} {_QUOTE}" for name, pattern in fields.items()]
    root = 'root ::= "{" ' + ' "," '.join(pairs) + ' "}"'
    return "\n".join([root, *(f"{rule} ::= {pattern}" for pattern, rule in rules.items())])


_QUOTE = '"\\""'


def _literal(name: str) -> str:
    return json.dumps(json.dumps(name) + ':"')


def _fields(schema: Mapping[str, Any]) -> dict[str, str]:
    properties = schema.get("properties", {})
    closed = schema.get("additionalProperties") is False
    if schema.get("type") != "object" or set(schema) - _OBJECT_KEYS or not closed:
        return {}
    if list(schema.get("required", ())) != list(properties):
        return {}
    fields = {name: _text_rule(value) for name, value in properties.items()}
    return {name: rule for name, rule in fields.items() if rule} if all(fields.values()) else {}


def _text_rule(value: Mapping[str, Any]) -> str | None:
    pattern = value.get("pattern", "")
    if set(value) != _STRING_KEYS or value["type"] != "string":
        return None
    if not (pattern.startswith("^") and pattern.endswith("$")):
        return None
    body: str = pattern[1:-1]
    return body if _SHARED_SYNTAX.fullmatch(body) else None
