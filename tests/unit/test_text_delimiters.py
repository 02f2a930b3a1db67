"""Identifiers come apart as word_delimiter_graph takes them apart."""

import pytest

from polaris_search.text.delimiters import holds_digit, holds_only_letters, identifier_parts


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("SalesRegion", ("Sales", "Region")),
        ("customerID", ("customer", "ID")),
        ("DTPh", ("DTPh",)),
        ("HTTPServer", ("HTTPServer",)),
        ("std_labs_albumin_urine_mgl", ("std", "labs", "albumin", "urine", "mgl")),
        ("x2y10", ("x", "2", "y", "10")),
        ("__a__", ("a",)),
        ("___", ()),
        ("customer's", ("customer",)),
        ("customer's_name", ("customer", "name")),
        ("customer'sName", ("customer", "s", "Name")),
        ("a's's", ("a", "s")),
        ("7's", ("7", "s")),
        ("GrößeÄndern", ("Größe", "Ändern")),
        ("é's", ("é",)),
        ("\u01c5b", ("\u01c5b",)),
        ("☎", ()),
        ("a😀1", ("a😀1",)),
    ],
)
def test_parts_of_an_identifier(identifier: str, parts: tuple[str, ...]) -> None:
    assert identifier_parts(identifier) == parts


def test_digits_of_every_script_are_digits() -> None:
    assert [holds_digit(word) for word in ("a1", "\u0661", "ab", "é", "😀")] == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_letters_are_letters_with_their_marks() -> None:
    words = ("ab", "größe", "हिन्दी", "a1", "ab-c", "é2", "😀")

    assert [word for word in words if holds_only_letters(word)] == ["ab", "größe", "हिन्दी"]
