from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.records import (
    Column,
    ColumnMatch,
    Description,
    EnrichedTable,
    Expansion,
    Provenance,
    RawTable,
)
from polaris_search.search.why import why_matched


def table(name, columns=(), context=None, expansion=None, description=None):
    raw = RawTable("t", name, tuple(map(Column, columns)), context or {})
    return EnrichedTable(raw, Provenance("h"), expansion, description)


def why(query, found, profile="default"):
    return why_matched(plan_query(profile_named(profile), query), found)


def test_the_answer_counts_every_column_that_matched():
    found = why("x", table("t", ["x_a", "x_b", "x_c", "other"]))

    assert found.parts == ("columns",)
    assert found.columns == ColumnMatch(3, ("x_a", "x_b", "x_c"))


def test_a_column_matches_by_its_expansion_too():
    expanded = Expansion("employees", ("daytime phone", "salary"))

    found = why("phone", table("Emp", ["DTPh", "SAL"], expansion=expanded))

    assert found.columns == ColumnMatch(1, ("DTPh",))


def test_abbreviations_are_looked_for_in_names_as_given_only():
    given = table("t", ["phn"])
    expanded = table("t", ["x_a"], expansion=Expansion("t", ("phone",)))

    assert why("phantom", given).parts == ("columns (abbreviation)",)
    assert why("phantom", expanded).parts == ("columns (fragments)",)


def test_whole_words_are_named_before_weaker_evidence():
    found = why("location", table("shop_location", ["lctn"]))

    assert found.parts == ("name", "columns (abbreviation)")
    assert found.columns == ColumnMatch(1, ("lctn",))


def test_a_part_of_a_run_together_word_is_called_a_fragment():
    found = why("license", table("driverlicense", ["x"]))

    assert found.parts == ("name (fragments)",)


def test_context_and_description_are_told_apart():
    text = Description("Salaries of staff.", "pay", "", "", "", "")

    assert why("payroll", table("t", [], {"c": "Payroll run"})).parts == ("context",)
    assert why("salary", table("t", [], description=text)).parts == ("description",)
    assert why("salary", table("t", [], description=text), "paper").parts == ("description",)


def test_nothing_matched_is_said_with_empty_parts():
    found = why("zebra", table("orders", ["qty"]))

    assert (found.parts, found.columns.total) == ((), 0)
