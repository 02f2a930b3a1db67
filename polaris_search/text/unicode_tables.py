"""What Elasticsearch knows of each character beyond ASCII, read when first needed.

The tables are probed from a real server by tables/build.py, so they depend neither on this Python's
Unicode version nor on a library. ASCII text never loads them.
"""

import json
import os
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache

_FOLDER = os.path.join(os.path.dirname(__file__), "tables")


class RangeTable(dict[int, str]):
    """Code point to a one-letter class; the ranges are searched once for each that is met."""

    def __init__(self, ranges: list[tuple[int, int, str]], otherwise: str) -> None:
        self._starts = [start for start, _, _ in ranges]
        self._ends = [end for _, end, _ in ranges]
        self._letters = [letter for _, _, letter in ranges]
        self._otherwise = otherwise

    def __missing__(self, code_point: int) -> str:
        """Return and remember the class of a code point met for the first time."""
        place = bisect_right(self._starts, code_point) - 1
        inside = place >= 0 and code_point <= self._ends[place]
        letter = self[code_point] = self._letters[place] if inside else self._otherwise
        return letter


@cache
def word_break_classes() -> RangeTable:
    """Return the class letter of every code point for the standard tokenizer, see `standard`."""
    return _range_table("word_break.json", otherwise="o")


@cache
def delimiter_types() -> RangeTable:
    """Return the type letter of every code point for word_delimiter_graph, see `delimiters`.

    A code point beyond the basic plane is "*": Java sees two surrogates there, which go with
    everything.
    """
    return _range_table("delimiter_types.json", otherwise="-")


@cache
def lower_case_map() -> Mapping[int, str]:
    """Return Java's Character.toLowerCase for the code points that it changes."""
    pairs = _read("lower_case.json")["pairs"]
    return {ord(upper): lower for upper, lower in zip(pairs[::2], pairs[1::2], strict=True)}


@cache
def ascii_map() -> Mapping[int, str]:
    """Return Lucene's asciifolding for the code points that it changes."""
    folded = _read("ascii.json")
    return {
        ord(character): ascii for ascii, characters in folded.items() for character in characters
    }


def _range_table(name: str, otherwise: str) -> RangeTable:
    ranges: list[tuple[int, int, str]] = []
    for letter, bounds in _read(name).items():
        numbers = [int(bound, 16) for bound in bounds.split()]
        ranges += zip(numbers[::2], numbers[1::2], [letter] * (len(numbers) // 2), strict=True)
    return RangeTable(sorted(ranges), otherwise)


def _read(name: str) -> dict[str, str]:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        table: dict[str, str] = json.load(file)
    return table
