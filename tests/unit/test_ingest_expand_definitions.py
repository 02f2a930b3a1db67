"""Short forms that a text explains are found, and nothing that it does not explain."""

import time

import pytest

from ingest.expand.definitions import definitions, spoken_by


@pytest.mark.parametrize(
    ("text", "short", "words"),
    [
        ("We took the volumetric water content (VWC) daily.", "vwc", "volumetric water content"),
        ("VWC: volumetric water content of the soil", "vwc", "volumetric water content"),
        ("LAI = leaf area index; SLA means specific leaf area", "lai", "leaf area index"),
        ("LAI = leaf area index; SLA means specific leaf area", "sla", "specific leaf area"),
        ("the date of birth [DOB]", "dob", "date of birth"),
        ("catch per unit effort (CPUE)", "cpue", "catch per unit effort"),
    ],
)
def test_explained_initials_are_found(text: str, short: str, words: str) -> None:
    assert definitions(text)[short] == tuple(words.split())


@pytest.mark.parametrize(
    "text", ["", "total number (count)", "the mean (of all) of it", "a (b) c", "see (VWC)", "(((("]
)
def test_brackets_that_explain_nothing_are_left(text: str) -> None:
    assert definitions(text) == {}


def test_comment_speaks_for_the_initials_of_its_words() -> None:
    assert spoken_by("vwc", "Mean volumetric water content") == ("volumetric", "water", "content")
    assert spoken_by("vwc", "Content of water") is None


@pytest.mark.parametrize("text", ["a" * 100_000, "a " * 50_000, "ab: " * 25_000, "(ab) " * 20_000])
def test_long_text_takes_no_longer_than_it_is(text: str) -> None:
    started = time.perf_counter()

    definitions(text)

    assert time.perf_counter() - started < 2
