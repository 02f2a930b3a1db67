"""Identifiers are cut by case, digits and separators, in any script, and lose no letter."""

import pytest

from ingest.expand.compounds import join_compounds
from ingest.expand.tokens import split_name
from ingest.expand.vocabulary import vocabulary


def texts(name: str) -> list[str]:
    return [token.text for token in split_name(name)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("first_name", ["first", "name"]),
        ("firstName", ["first", "name"]),
        ("FIRST-NAME", ["first", "name"]),
        ("HTTPServer", ["http", "server"]),
        ("DTPh", ["dt", "ph"]),
        ("Address2", ["address", "2"]),
        ("sales2024Q3", ["sales", "2024", "q", "3"]),
        ("userIDs", ["user", "ids"]),
        ("Won/Lost (%)", ["won", "lost"]),
        ("driver's license", ["driver's", "license"]),
        ("datasets/gov/acts", ["datasets", "gov", "acts"]),
    ],
)
def test_identifier_is_cut_where_a_person_would(name: str, expected: list[str]) -> None:
    assert texts(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RegiónAño", ["región", "año"]),
        ("e\N{COMBINING ACUTE ACCENT}tat_civil", ["état", "civil"]),
        ("ÑANDÚ_id", ["ñandú", "id"]),
        ("设备维修_信息", ["设备维修", "信息"]),
        ("हिन्दी नाम", ["हिन्दी", "नाम"]),
        ("таблицаКлиентов", ["таблица", "клиентов"]),
        ("\N{GRINNING FACE}sales\N{GRINNING FACE}", ["sales"]),
    ],
)
def test_other_scripts_are_cut_by_their_own_case_and_marks(name: str, expected: list[str]) -> None:
    assert texts(name) == expected


@pytest.mark.parametrize("name", ["", "   ", "___", "\N{GRINNING FACE}", "(%)"])
def test_name_without_letters_and_digits_has_no_tokens(name: str) -> None:
    assert split_name(name) == ()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("WiFi", ["wifi"]),
        ("eMail", ["email"]),
        ("FName", ["fname"]),
        ("CO2", ["co2"]),
        ("LastName", ["last", "name"]),
        ("mID", ["m", "id"]),
        ("Line2", ["line", "2"]),
        ("wi_fi", ["wi", "fi"]),
    ],
)
def test_neighbours_are_joined_only_where_only_the_whole_is_a_word(
    name: str, expected: list[str]
) -> None:
    joined = join_compounds(split_name(name), vocabulary())

    assert [token.text for token in joined] == expected
