"""Patterns mean in Python what they mean to the server's Java."""

import pytest

from polaris_search.text.java_pattern import PatternUnsupported, java_pattern, replacer, splitter


@pytest.mark.parametrize(
    ("pattern", "replacement", "text", "expected"),
    [
        ("(?<=.)[aeiouy]", "", "location", "lctn"),
        (r"(.)\1+", "$1", "bookkeeper", "bokeper"),
        ("^(.*)$", "_$1_", "id", "_id_"),
        ("^(.*)$", "_$1_", "", "__"),
        ("^(.*)$", "_$1_", "a\n", "_a_\n"),
        ("^(.*)$", "_$1_", "a\nb", "a\nb"),
        (".", "x", "a\u2028b\r", "x\u2028x\r"),
        ("(?=b)|b", "-", "ab", "a-b"),
        ("x*", "-", "abxd", "-a-b--d-"),
        ("(a)|(b)", "[$2]", "ab", "[][b]"),
        ("a", r"\$1", "a", "$1"),
        (r"\w", "x", "aé_1", "xéxx"),
    ],
)
def test_replacing_goes_javas_way(pattern: str, replacement: str, text: str, expected: str) -> None:
    assert replacer(pattern, replacement)(text) == expected


def test_splitting_leaves_empty_pieces_out() -> None:
    pieces = splitter("(?=[A-Z][a-z])|[^a-zA-Z0-9]+")

    assert pieces("SalesRegion--HTTPServer_x ") == ["Sales", "Region", "HTTP", "Server", "x"]
    assert pieces("--") == []


@pytest.mark.parametrize(
    "pattern", [r"\p{M}+", "(?i)a", "[a[b]]", "[a-z&&[^b]]", r"\Qa\E", r"\bword", r"a\Z", r"\h"]
)
def test_patterns_that_the_languages_read_differently_are_refused(pattern: str) -> None:
    with pytest.raises(PatternUnsupported, match="read differently"):
        java_pattern(pattern)


def test_replacement_with_a_named_group_is_refused() -> None:
    with pytest.raises(PatternUnsupported):
        replacer("a", "${name}")
