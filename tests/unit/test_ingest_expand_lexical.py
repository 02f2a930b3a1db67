"""The lexical expander: plain names stay, the table decides on short forms, odd input survives."""

import time

import pytest

from ingest.expand.glossary import Glossary
from ingest.expand.lexical import LexicalExpander
from polaris_search.records import Column, RawTable


@pytest.fixture(scope="module")
def expander() -> LexicalExpander:
    return LexicalExpander()


def table(name: str, *columns: str, **context: str) -> RawTable:
    return RawTable("t1", name, tuple(map(Column, columns)), context)


def expanded(expander: LexicalExpander, name: str, *columns: str, **context: str) -> list[str]:
    expansion = expander.expand(table(name, *columns, **context))
    return [expansion.name, *expansion.columns]


def test_names_come_back_in_words_parallel_to_the_columns(expander: LexicalExpander) -> None:
    assert expanded(expander, "tbl_cust", "cust_nm", "acct_bal", "ord_dt") == [
        "table customer",
        "customer name",
        "account balance",
        "order date",
    ]


PLAIN_NAMES = [
    "name", "id", "firstName", "order_date", "Home Town", "address", "country", "total_price",
    "season", "winner", "population", "maximum_speed", "Washington", "perpetrator", "salinity",
    "add", "cat", "mark", "map", "sector", "hectare", "Record Company", "wifi", "email", "website",
    "sex", "art", "bar", "notes", "is_active", "start_from", "ethnicity", "sphagnum", "stadium",
]  # fmt: skip


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_plain_name_is_never_broken(expander: LexicalExpander, name: str) -> None:
    split = {"firstName": "first name"}.get(name, name.replace("_", " ").lower())

    assert expanded(expander, "", "year", name, "title")[2] == split


def test_run_together_name_is_cut(expander: LexicalExpander) -> None:
    assert expanded(expander, "driverlicense", "EMPLOYEENAME") == [
        "driver license",
        "employee name",
    ]


def test_short_form_that_is_a_word_waits_for_the_table_to_speak(expander: LexicalExpander) -> None:
    assert expanded(expander, "pets", "cat", "dog", "age")[1] == "cat"
    assert expanded(expander, "ProductCategory", "cat", "name", "title")[1] == "category"


def test_table_name_decides_between_meanings(expander: LexicalExpander) -> None:
    assert expanded(expander, "Stadium", "st_id", "name", "capacity")[1] == "stadium id"
    assert expanded(expander, "Station", "st_id", "name", "latitude")[1] == "station id"


def test_words_of_the_context_are_taken_for_short_forms_of_them(expander: LexicalExpander) -> None:
    without = expanded(expander, "site_list", "phrgm", "year")
    with_text = expanded(expander, "site_list", "phrgm", "year", caption="Reeds: Phragmites")

    assert without[1] == "phrgm"
    assert with_text[1] == "phragmites"


def test_comment_of_the_column_decides_for_that_column(expander: LexicalExpander) -> None:
    columns = (Column("rsv", comment="volume of the reservoir"), Column("year"))

    assert expander.expand(RawTable("t1", "dams", columns)).columns[0] == "reservoir"


def test_initials_of_the_table_name_are_read(expander: LexicalExpander) -> None:
    columns = expanded(expander, "SpecialOfferProduct", "SOPId", "PName", "Price")[1:]

    assert columns == ["special offer product id", "product name", "price"]


def test_neighbours_that_are_a_phrase_decide(expander: LexicalExpander) -> None:
    assert expanded(expander, "", "sr_no", "lst_nm", "fst_nm")[2:] == ["last name", "first name"]


def test_plural_of_a_short_form_is_a_plural(expander: LexicalExpander) -> None:
    assert expanded(expander, "", "dept_nm", "comptrs", "empls")[3] == "employees"


def test_glossary_always_wins() -> None:
    glossary = Glossary({"name": ("customer", "number"), "custno": ("client", "reference")})
    expander = LexicalExpander(glossary)

    assert expanded(expander, "name", "CUST_NO", "CustNo", "custno") == [
        "customer number",
        "client reference",
        "client reference",
        "client reference",
    ]


def test_glossary_changes_the_version() -> None:
    plain = LexicalExpander()
    with_glossary = LexicalExpander(Glossary({"zz": ("sleep",)}))

    assert plain.version == LexicalExpander().version
    assert plain.version != with_glossary.version


def test_expansion_does_not_depend_on_what_was_expanded_before(expander: LexicalExpander) -> None:
    asked = table("tbl_emp", "emp_nm", "sal_amt", "dept", "xyzzy", "hirdt")
    expander.expand(table("Salamander", "sal", "employer", "depth"))

    assert expander.expand(asked) == LexicalExpander().expand(asked)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", ""),
        ("   ", ""),
        ("\N{GRINNING FACE}", ""),
        ("12345", "12345"),
        ("设备维修信息表", "设备维修信息表"),
        ("Área_Región", "área región"),
        ("a", "a"),
        ("line\nbreak", "line break"),
    ],
)
def test_odd_names_survive(expander: LexicalExpander, name: str, expected: str) -> None:
    assert expanded(expander, "", name)[1] == expected


@pytest.mark.parametrize("name", ["a" * 70_000, "A" * 70_000, "ab_" * 23_333, "维" * 70_000])
def test_name_of_seventy_thousand_characters_survives(expander: LexicalExpander, name: str) -> None:
    letters = expanded(expander, "", name)[1].replace(" ", "")

    assert len(letters) >= len(name.replace("_", ""))


def test_five_thousand_columns_take_seconds_at_most(expander: LexicalExpander) -> None:
    columns = [f"cust_amt_{number}" for number in range(5000)]
    started = time.perf_counter()

    expansion = expander.expand(table("wide_tbl", *columns))

    assert time.perf_counter() - started < 10
    assert expansion.columns[4999] == "customer amount 4999"
