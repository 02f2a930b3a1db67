"""The shipped word lists are consistent, and shortening and segmentation follow their rules."""

from importlib.resources import files

import pytest

from ingest.expand.name_model import NameModel
from ingest.expand.reading import Reading
from ingest.expand.segment import segment
from ingest.expand.shortening import shortening_cost, skeleton
from ingest.expand.vocabulary import vocabulary
from ingest.expand.weights import fitted_weights


def listed_lines() -> list[str]:
    text = files("ingest.expand.data").joinpath("abbreviations.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def cuts(token: str) -> list[Reading]:
    words = vocabulary()
    names = NameModel(words.names, words.listed_cost, words.rarity, fitted_weights())
    return segment(token, words, names, fitted_weights())


def test_no_short_form_stands_twice() -> None:
    shorts = [line.partition(":")[0].rstrip("?$") for line in listed_lines()]

    assert len(shorts) == len(set(shorts))
    assert len(shorts) > 1000


def test_every_short_form_has_meanings_that_are_not_itself() -> None:
    for short, abbreviation in vocabulary().abbreviations.items():
        assert abbreviation.meanings, short
        assert all(abbreviation.meanings), short
        assert (short,) not in abbreviation.meanings, short


def test_every_meaning_is_made_of_lower_case_words() -> None:
    for line in listed_lines():
        assert line == line.lower(), line


@pytest.mark.parametrize("word", ["name", "customer", "color", "catalog", "email", "latitude"])
def test_words_of_tables_are_plain(word: str) -> None:
    assert vocabulary().is_plain(word)


@pytest.mark.parametrize("short", ["cust", "qty", "dept", "xqzt"])
def test_short_forms_and_nonsense_are_not_plain(short: str) -> None:
    assert not vocabulary().is_plain(short)


def test_skeleton_keeps_first_letter_and_consonants_once() -> None:
    assert skeleton("address") == "adrs"
    assert skeleton("ear") == "er"


@pytest.mark.parametrize(
    ("short", "word"),
    [("emp", "customer"), ("nme", "names_"[:3]), ("customer", "customer"), ("mn", "name")],
)
def test_what_is_no_ordered_part_stands_for_nothing(short: str, word: str) -> None:
    assert shortening_cost(short, word) is None


def test_skeleton_is_likelier_than_a_part_of_it_and_that_than_other_letters() -> None:
    costs = [shortening_cost(short, "customer") for short in ("cstmr", "cstr", "cuer")]

    assert None not in costs
    assert costs == sorted(costs, key=lambda cost: cost or 0.0)
    assert len(set(costs)) == 3


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("driverlicense", ("driver", "license")),
        ("employeename", ("employee", "name")),
        ("custaddr", ("customer", "address")),
        ("custid", ("customer", "id")),
    ],
)
def test_run_together_token_is_cut_into_words_and_short_forms(
    token: str, expected: tuple[str, ...]
) -> None:
    assert cuts(token)[0].words == expected


@pytest.mark.parametrize("token", ["", "ab", "qqqqqqqq", "x" * 70_000])
def test_token_without_pieces_is_not_cut(token: str) -> None:
    assert cuts(token) == []
