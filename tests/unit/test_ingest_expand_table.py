"""The names of a table are read by each other: agreement, opposites, initials, doubt."""

import pytest

from ingest.expand.lexical import LexicalExpander
from ingest.expand.name_reading import MAX_CHOICES
from ingest.expand.opposites import opposites
from ingest.expand.tokens import split_name
from polaris_search.records import Column, RawTable


@pytest.fixture(scope="module")
def expander() -> LexicalExpander:
    return LexicalExpander()


def columns(expander: LexicalExpander, name: str, *names: str, **context: str) -> list[str]:
    table = RawTable("t1", name, tuple(map(Column, names)), context)
    return list(expander.expand(table).columns)


def test_prefixes_with_the_same_names_behind_them_are_opposites() -> None:
    names = [
        split_name(f"{prefix}_{rest}") for prefix in ("w", "ls") for rest in ("id", "nm", "ag")
    ]

    assert opposites(names) == {"ls": "loser", "w": "winner"}
    assert opposites(names[:4]) == {}


def test_opposites_are_read_so_in_every_name(expander: LexicalExpander) -> None:
    read = columns(expander, "", "h_gls", "a_gls", "h_fls", "a_fls", "h_crd", "a_crd")

    assert [text.split()[0] for text in read] == ["home", "away"] * 3


def test_piece_means_the_same_in_all_names_of_a_table(expander: LexicalExpander) -> None:
    read = columns(expander, "", "prp_addr", "prp_zip", "prp_nm", "prp_sqft")

    assert len({text.split()[0] for text in read}) == 1


def test_name_of_the_table_is_read_for_its_initial(expander: LexicalExpander) -> None:
    assert columns(expander, "Museum", "M_ID", "m_nm", "opn_yr")[:2] == ["museum id", "museum name"]


def test_lone_letter_is_read_by_its_neighbour_in_an_abbreviated_table(
    expander: LexicalExpander,
) -> None:
    read = columns(expander, "", "f_nm", "l_nm", "b_dt", "ph_no")

    assert read[:3] == ["first name", "last name", "birth date"]


def test_letters_and_codes_are_left_alone_in_a_table_written_out(expander: LexicalExpander) -> None:
    names = ["player name", "team_name", "home_city", "birth_year", "sv", "k", "height_m"]

    read = columns(expander, "", *names)

    assert read[4:] == ["sv", "k", "height m"]


def test_initials_that_a_text_of_the_table_explains_are_read(expander: LexicalExpander) -> None:
    text = "Plots with their ellenberg indicator value (EIV) and cover."

    assert columns(expander, "plots", "EIV", "cover", notes=text)[0] == "ellenberg indicator value"


def test_initials_that_the_comment_of_the_column_spells_out_are_read(
    expander: LexicalExpander,
) -> None:
    column = Column("vwc", comment="Volumetric water content at 10 cm")

    table = RawTable("t1", "soil", (column, Column("year")))

    assert expander.expand(table).columns[0] == "volumetric water content"


def test_sign_before_a_name_counts(expander: LexicalExpander) -> None:
    assert columns(expander, "", "#_Orders", "# of orders", "#")[:2] == ["number of orders"] * 2


@pytest.mark.parametrize(
    "word", ["population", "phragmites", "lighthouse", "stadium", "temperature", "Washington"]
)
def test_long_word_stays_whatever_stands_beside_it(expander: LexicalExpander, word: str) -> None:
    assert columns(expander, "tbl_x", word, "cst_nm", "ord_dt", "q_ty")[0] == word.lower()


def test_order_of_tables_and_what_was_read_before_change_nothing() -> None:
    tables = [
        RawTable(str(number), name, tuple(map(Column, names)))
        for number, (name, *names) in enumerate(
            (["tbl_cust", "cst_nm", "c_id"], ["crs", "c_id", "crs_nm"], ["", "w_id", "wgt"])
        )
    ]
    one, other = LexicalExpander(), LexicalExpander()

    forwards = [one.read(table) for table in tables]
    backwards = [other.read(table) for table in reversed(tables)]

    assert forwards == backwards[::-1]


def test_reading_holds_its_choices_and_is_surer_of_plain_names(expander: LexicalExpander) -> None:
    table = RawTable("t1", "", (Column("order_date"), Column("x_zq"), Column("c_id")))

    _, plain, odd, letter = expander.read(table)

    assert plain.choices == (("order", "date"),)
    assert all(1 <= len(read.choices) <= MAX_CHOICES for read in (plain, odd, letter))
    assert all(read.words == read.choices[0] for read in (plain, odd, letter))
    assert 0 <= odd.confidence < plain.confidence <= 1
    assert letter.confidence < plain.confidence


def test_name_without_letters_has_one_empty_reading(expander: LexicalExpander) -> None:
    (named,) = expander.read(RawTable("t1", "___", ()))

    assert (named.words, named.choices) == ((), ((),))
