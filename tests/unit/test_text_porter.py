"""Stems as Lucene's porter_stem gives them."""

import pytest

from polaris_search.text.porter import porter_stem


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("motoring", "motor"),
        ("sing", "sing"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("conditional", "condit"),
        ("hopefulness", "hope"),
        ("electrical", "electr"),
        ("replacement", "replac"),
        ("adoption", "adopt"),
        ("probate", "probat"),
        ("rate", "rate"),
        ("controll", "control"),
        ("roll", "roll"),
    ],
)
def test_stems_of_the_published_examples(word: str, stem: str) -> None:
    assert porter_stem(word) == stem


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("is", "is"),
        ("as", "as"),
        ("s", "s"),
        ("possibly", "possibl"),
        ("archaeology", "archaeolog"),
        ("", ""),
    ],
)
def test_stems_that_lucene_makes_its_own_way(word: str, stem: str) -> None:
    assert porter_stem(word) == stem


def test_lengths_count_utf16_units() -> None:
    assert porter_stem("\U00020000s") == "\U00020000"  # three units
    assert porter_stem("\u6f22s") == "\u6f22s"  # two
