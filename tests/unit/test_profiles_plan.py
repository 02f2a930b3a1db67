import pytest

from polaris_search.errors import ProfileUnknown
from polaris_search.profiles.model import profile_from_json, profile_named, shipped_profiles
from polaris_search.profiles.plan import MAX_TERMS_PER_CLAUSE, ExactClause, TermsClause, plan_query
from polaris_search.text.schema import table_schema


def clause(plan, field):
    (found,) = [clause for clause in plan.should if clause.field == field]
    return found


def test_every_shipped_profile_reads_only_fields_that_the_mapping_has():
    known = table_schema().fields

    for profile in shipped_profiles().values():
        assert [field for field in profile.fields if field not in known] == []


def test_an_unknown_profile_is_refused_with_the_names_there_are():
    with pytest.raises(ProfileUnknown, match="default, paper, paper-single"):
        profile_named("papre")


def test_the_paper_profile_asks_the_text_itself_of_three_fields():
    plan = plan_query(profile_named("paper"), "to be paid")

    assert plan.best_fields.fields == ("description", "expansion", "context")
    assert plan.best_fields.tie_breaker == 0.1
    assert plan.text == "to be paid"


def test_the_default_profile_leaves_stop_words_out_where_another_word_remains():
    plan = plan_query(profile_named("default"), "show me the salaries")

    assert clause(plan, "all") == TermsClause("all", ("salari",), 0.5)


def test_a_query_of_stop_words_alone_asks_names_and_columns_alone_and_says_so():
    plan = plan_query(profile_named("default"), "no")

    assert {clause.field for clause in plan.should} == {"name.exact", "names.parts"}
    assert "only common words" in plan.notices[0]


def test_the_whole_query_is_compared_with_whole_names_whatever_the_separators():
    plan = plan_query(profile_named("default"), "House-Prices nominal")

    assert clause(plan, "name.exact") == ExactClause("name.exact", "housepricesnominal", 1000.5)


@pytest.mark.parametrize("text", ["", "  ", "\t\n"])
@pytest.mark.parametrize("name", ["default", "paper"])
def test_an_empty_query_asks_nothing(name, text):
    assert plan_query(profile_named(name), text).asks_nothing


@pytest.mark.parametrize("text", ["(", "&", '"', "\\", "///"])
def test_a_query_of_punctuation_asks_nothing_in_the_default_profile(text):
    assert plan_query(profile_named("default"), text).asks_nothing


def test_a_long_query_is_cut_with_a_notice_and_keeps_the_plan_small():
    plan = plan_query(profile_named("default"), " ".join(f"extraordinary{n}x" for n in range(5000)))

    assert plan.notices[0].startswith("Only the first 128 words of the query were searched")
    assert all(len(clause.terms) <= MAX_TERMS_PER_CLAUSE for clause in plan.should)


def test_a_profile_with_a_boost_of_exactly_one_is_refused():
    document = {
        "name": "p",
        "help": "h",
        "should": [{"match": {"field": "all", "terms": "words", "boost": 1}}],
    }

    with pytest.raises(ValueError, match="boost of exactly 1"):
        profile_from_json(document)


@pytest.mark.parametrize("name", ["default", "paper"])
def test_half_a_surrogate_pair_in_a_query_becomes_a_question_mark(name):
    assert plan_query(profile_named(name), "pay\udcff roll").text == "pay? roll"
