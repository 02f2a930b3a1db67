"""The standard tokenizer: what is one word and what is not."""

import time
from itertools import pairwise

import pytest

from polaris_search.text.standard import standard_spans, standard_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Sales of 2024", ["Sales", "of", "2024"]),
        (
            "can't U.S foo:bar 1,000.5 a.1 1:2",
            ["can't", "U.S", "foo:bar", "1,000.5", "a", "1", "1", "2"],
        ),
        ("_id order_id _ __ a__", ["_id", "order_id", "a__"]),
        ("dbo.Sales/Order-Line", ["dbo.Sales", "Order", "Line"]),
        ("", []),
        ('(" "a* & \\', ["a"]),
    ],
)
def test_ascii_words_end_where_the_server_ends_them(text: str, tokens: list[str]) -> None:
    assert standard_tokens(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("设备维修", ["设", "备", "维", "修"]),
        ("ひら カタカナ", ["ひ", "ら", "カタカナ"]),
        ("한국어 русский", ["한국어", "русский"]),
        ("ประเทศไทย", ["ประเทศไทย"]),
        ("cafe\u0301s", ["cafe\u0301s"]),
        ("צה\u05f4ל צה\"ל ג'", ["צה\u05f4ל", 'צה"ל', "ג'"]),
        (
            "☎ 👍🏽👍 👩\u200d👧 🇩🇪🇫🇷 1\ufe0f\u20e3",
            ["☎", "👍🏽", "👍", "👩\u200d👧", "🇩🇪", "🇫🇷", "1\ufe0f\u20e3"],
        ),
        ("👍🏽\ufe0f!", ["👍🏽\ufe0f"]),
        ("a\u00a0b\u202fc", ["a", "b\u202fc"]),
    ],
)
def test_words_of_other_scripts_and_emoji(text: str, tokens: list[str]) -> None:
    assert standard_tokens(text) == tokens


def test_letters_newer_than_the_servers_tables_are_no_words() -> None:
    assert standard_tokens("\ua7ba") == ["\ua7ba"]  # Unicode 12
    assert standard_tokens("\ua7c7") == []  # Unicode 13


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("a" * 600, [255, 255, 90]),
        ("é" * 256, [255, 1]),
        ("\U0001d518" * 128, [127, 1]),  # two UTF-16 units each: 254 fit
        ("_" * 300 + "a", [255]),
        ("a" * 254 + "'b", [254, 1]),
        ("a" * 253 + "'b", [255]),
    ],
)
def test_words_are_cut_at_255_utf16_units(text: str, lengths: list[int]) -> None:
    assert [len(token) for token in standard_tokens(text)] == lengths


@pytest.mark.parametrize("text", ["a b_c", "é a_b 设备 x", "👍 ok", "a" * 300, "é" * 300])
def test_spans_are_the_places_of_the_tokens(text: str) -> None:
    spans = standard_spans(text)

    assert [text[start:end] for start, end in spans] == standard_tokens(text)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.parametrize(
    "piece", ["_", "_\u0301", "a'", "é'", "\u200d", "a", "é", 'א"', "_\U0001f3fd"]
)
def test_time_stays_linear_on_long_runs(piece: str) -> None:
    standard_tokens("é")  # reads the tables

    began = time.process_time()
    standard_tokens(piece * (70_000 // len(piece)) + "a")

    assert time.process_time() - began < 10
