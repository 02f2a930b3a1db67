"""Wide tables: their columns are shown in groups within the budget, and every one is counted."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.describe.column_groups import Entry, columns_within
from ingest.describe.tokens import estimated_tokens

ROOMY = 1e6
NAMES = st.lists(
    st.one_of(
        st.text("abAB1_ ", max_size=12),
        st.builds("{} {}".format, st.sampled_from(["min", "max", "q"]), st.integers(0, 99)),
        st.text(max_size=20),
    ),
    max_size=60,
)


def test_columns_that_have_room_are_shown_as_they_are():
    names = ["q1", "q2", "q3", "order id"]

    shown = columns_within(names, ROOMY)

    assert shown.text == "q1, q2, q3, order id"
    assert (shown.grouped, shown.left_out) == (0, 0)


def test_numbered_series_is_one_entry_with_its_first_last_and_count():
    names = ["id", *(f"q{n}" for n in range(1, 41)), *(f"temp_{y}" for y in range(2020, 2000, -1))]

    shown = columns_within(names, 40)

    assert shown.text == "id, q1 to q40 (40 columns), temp_2001 to temp_2020 (20 columns)"
    assert (shown.grouped, shown.left_out) == (60, 0)


def test_numbers_in_several_places_are_one_series():
    names = [f"lab {lab} day {day}" for lab in range(1, 11) for day in range(1, 31)]

    assert columns_within(names, 40).text == "lab 1 day 1 to lab 10 day 30 (300 columns)"


def test_series_with_gaps_says_how_many_columns_it_has():
    names = [f"year {n}" for n in (1, 2, 5, 7, 90)]

    assert columns_within(names, 14).text == "year 1 to year 90 (5 columns)"


def test_digits_beyond_what_python_reads_as_a_number_are_no_error():
    names = [f"x{'9' * 5_000}{n}" for n in range(5)]

    assert columns_within(names, 20).entries == ()
    assert columns_within(names, 1e5).left_out == 0


def test_shared_beginning_is_one_entry_with_count_and_samples():
    endings = ("city", "street", "zip", "land", "door", "floor")
    names = ["id", *(f"customer address {ending}" for ending in endings), "total"]

    shown = columns_within(names, 35)

    assert shown.text == "id, customer address ... (6 columns, such as city, zip, door), total"


def test_shared_beginnings_are_found_in_names_that_are_not_expanded():
    names = [f"custAddr{part}" for part in ("City", "Zip", "Street", "Land", "Door", "Box")]

    (entry,) = columns_within(names, 19).entries

    assert entry == Entry("custAddr ... (6 columns)", 6, 0)


def test_largest_group_comes_apart_as_far_as_there_is_room():
    names = [f"{place} {thing}" for place in ("north", "south") for thing in "abcdefghij"]
    names += [f"west {n} {thing}" for n in ("low", "high") for thing in "abcdefghijklmnopqrst"]

    narrow, wide = columns_within(names, 50), columns_within(names, 70)

    assert "west ... (40 columns, such as" in narrow.text
    assert "west low ... (20 columns" in wide.text
    assert "west high ... (20 columns" in wide.text


def test_names_that_share_nothing_are_taken_from_all_over_and_the_rest_is_counted():
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = sorted(f"{a}{b}{c}" for a in letters for b in letters for c in letters)[:10_000]

    shown = columns_within(names, 300)

    places = [entry.place for entry in shown.entries]
    assert len(places) > 100
    assert max(places) > 9_000
    assert shown.text.endswith(f" and {10_000 - len(places):,} more columns")


def test_where_there_is_no_room_at_all_the_columns_are_counted():
    assert columns_within(["alpha", "beta"], 0).text == "2 more columns"


@pytest.mark.parametrize("n", [3_000, 10_000])
def test_wide_tables_of_long_names_stay_within_the_budget(n):
    names = [f"measurement_{n % 7}_of_{n:05d}" for n in range(n)]

    shown = columns_within(names, 200)

    assert estimated_tokens(shown.text) <= 200
    assert sum(entry.columns for entry in shown.entries) + shown.left_out == n


@given(names=NAMES, max_tokens=st.integers(15, 120))
def test_every_column_is_shown_in_a_group_or_counted_and_all_fits(names, max_tokens):
    shown = columns_within(names, max_tokens)

    assert sum(entry.columns for entry in shown.entries) + shown.left_out == len(names)
    assert [entry.place for entry in shown.entries] == sorted({e.place for e in shown.entries})
    assert estimated_tokens(shown.text) <= max_tokens
    said = [int(count.replace(",", "")) for count in re.findall(r"\(([\d,]+) columns", shown.text)]
    assert sum(said) >= shown.grouped
