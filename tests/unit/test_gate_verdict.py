"""The pure gate: each condition on numbers small enough to work by hand, the report, the page."""

import json
from dataclasses import replace

import pytest

from polaris_search.evaluate.gate.description_findings import description_findings
from polaris_search.evaluate.gate.descriptions import Written, compare_descriptions
from polaris_search.evaluate.gate.page import page_lines
from polaris_search.evaluate.gate.report import report_document, report_json
from polaris_search.evaluate.gate.retrieval import Asked, Searched
from polaris_search.evaluate.gate.thresholds import Thresholds
from polaris_search.evaluate.gate.verdict import Trial, gate_report
from polaris_search.evaluate.intervals import NothingToCompare

N = 100
LIMITS = Thresholds()
TEXTS = ("river ferry", "boat toll", "crossing", "water", "bridge", "bank")


def side(texts=TEXTS, valid=True, cut=False, replies=1):
    """Return what is written of N tables, each text with a word of its table's own."""
    return {
        f"t{n}": Written("name: river", valid, cut, replies, (f"table{n} {texts[0]}", *texts[1:]))
        for n in range(N)
    }


def values(ndcg, recall=1.0):
    """Return the measures of N queries, nDCG@10 given by a function of the query's number."""
    return {f"q{n}": {"nDCG@10": ndcg(n), "R@100": recall} for n in range(N)}


def trial(candidate, reference=lambda n: 0.5, *, groups=None, written=None, **more):
    searched = [Searched("default", values(candidate), values(reference))]
    asked = Asked({f"q{n}": f"t{n}" for n in range(N)}, groups or {})
    both = written or (side((*TEXTS[:5], "shore")), side())
    return Trial("new", more.pop("against", "old"), "data", both, searched, asked, **more)


def report(*args, limits=LIMITS, **more):
    return gate_report(trial(*args, **more), limits)


def failed(*args, **more):
    return [one.says for one in report(*args, **more).findings if not one.holds]


def test_all_conditions_held_promotes_and_says_each():
    found = report(lambda n: 0.6)

    assert (found.verdict, found.exit_code) == ("promote", 0)
    assert len(found.reasons) == len(found.findings) >= 12
    assert "100 queries are held out; at least 50 are needed." in found.reasons


def test_the_same_values_do_not_fall():
    assert failed(lambda n: 0.5) == []


def test_a_fall_of_every_query_alike_is_refused_from_half_a_hundredth_on():
    assert failed(lambda n: 0.496) == []
    assert "falls by more than 0.005" in failed(lambda n: 0.494)[0]


def test_a_fall_that_is_not_excluded_is_refused_with_the_queries_it_takes():
    # Half rise by .2 and half fall by .2: the mean stays, its standard error is .2 / 10 = .02, and
    # 1.645 of these are .033: to exclude .02 takes (.033 / .02) ** 2 = 2.7 times the queries.
    (says,) = failed(lambda n: 0.5 + (0.2 if n % 2 else -0.2))

    needed = int(says.rpartition("about ")[2].partition(" ")[0])
    assert 250 <= needed <= 300


def test_a_rise_that_is_wide_enough_excludes_a_fall():
    # The same spread around a mean that rises by .05: .05 - .033 lies above -.02.
    assert failed(lambda n: 0.55 + (0.2 if n % 2 else -0.2)) == []


def test_queries_of_one_table_count_as_one():
    # A hundred queries for ten tables: half of these rise and half fall.
    one = trial(lambda n: 0.5 + (0.2 if n // 10 % 2 else -0.2))
    grouped = replace(one, asked=Asked({f"q{n}": f"t{n // 10}" for n in range(N)}, {}))

    alone, together = (gate_report(each, LIMITS).retrieval[0] for each in (one, grouped))

    assert together.difference.low < 2 * alone.difference.low < 0
    assert "Too few tables: 10" in gate_report(grouped, LIMITS).reasons[0]


def test_queries_that_find_nothing_on_either_side_measure_nothing_and_refuse():
    nothing = Searched("default", *(values(lambda n: 0.0, recall=0.0) for _ in range(2)))

    (says,) = gate_report(replace(trial(lambda n: 0.0), searched=[nothing]), LIMITS).reasons

    assert says.startswith("No held-out query finds its table on either side")


def test_recall_is_held_as_well():
    one = trial(lambda n: 0.9)
    searched = replace(one.searched[0], candidate=values(lambda n: 0.9, recall=0.9))

    (says,) = gate_report(replace(one, searched=[searched]), LIMITS).reasons

    assert says.startswith("R@100, default: 0.9000 against 1.0000")


def test_every_profile_has_to_hold():
    one = trial(lambda n: 0.9)
    worse = Searched("paper-single", values(lambda n: 0.1), values(lambda n: 0.5))

    (says,) = gate_report(replace(one, searched=[*one.searched, worse]), LIMITS).reasons

    assert says.startswith("nDCG@10, paper-single: 0.1000 against 0.5000")


def test_a_group_that_surely_loses_refuses_a_mean_that_rises():
    rare = {"rare": [f"q{n}" for n in range(20)]}

    (says,) = failed(lambda n: 0.3 if n < 20 else 0.8, groups=rare)

    assert says.startswith("nDCG@10, default, rare: 0.3000 against 0.5000")
    assert says.endswith("falls for sure, for 20 of the queries.")


def test_a_group_that_may_have_lost_by_chance_refuses_nothing():
    rare = {"rare": [f"q{n}" for n in range(20)]}

    # Of twenty queries one falls by .5: its interval reaches 0.
    assert failed(lambda n: 0.0 if n == 0 else 0.5 if n < 20 else 0.6, groups=rare) == []


def test_a_group_too_small_to_tell_is_not_judged():
    assert (
        failed(lambda n: 0.0 if n < 5 else 0.9, groups={"rare": [f"q{n}" for n in range(5)]}) == []
    )


@pytest.mark.parametrize(
    ("wrote", "says"),
    [
        (side(valid=False), "First replies that are JSON of six texts: 0.000 against 1.000"),
        (side(cut=True), "First replies cut at the token limit: 1.000 against 0.000"),
        (side(replies=2), "Replies a table: 2.0 against 1.0"),
        (side(tuple(f"{text} {text}" for text in TEXTS)), "Descriptions have 17.0 words against 9"),
        (side(("r", "", "", "", "", "")), "Descriptions have 2.0 words against 9"),
        (side(("river",) * 6), "Distinct stems among all: "),
        (
            side(("see the old river crossing", *TEXTS[1:4], "see the old river crossing", "bank")),
            "Words of the longest repeated phrase: 5.0 against 0.0",
        ),
        (
            side(("river", "rivers a", "river b", "river c", "river d", "river e")),
            "Distinct stems among all",
        ),
    ],
)
def test_texts_that_are_not_sane_are_refused_though_they_are_found_better(wrote, says):
    found = failed(lambda n: 0.9, written=(wrote, side()))

    assert any(one.startswith(says) for one in found), found


def test_unknown_words_that_take_over_are_refused():
    near = side(("river", "rivers", "river", "river", "river", "river"))

    found = failed(lambda n: 0.9, written=(side(), near))

    # River alone is known: of table and river one of two is not, with all of TEXTS eight of nine.
    assert any("prompt does not hold: 0.889 against 0.500" in one for one in found), found


def test_one_text_for_all_tables_is_refused():
    same = {table: replace(one, texts=TEXTS) for table, one in side().items()}

    found = failed(lambda n: 0.9, written=(same, side()))

    assert any(one.startswith("Texts that no other table has: 0.000") for one in found)


def shares_refused(n_tables, n_worse, attribute, value):
    """Return what refuses a candidate of whose first tables so many are worse in one thing."""
    good = dict(list(side().items())[:n_tables])
    worse = {
        table: replace(one, **{attribute: value}) if place < n_worse else one
        for place, (table, one) in enumerate(good.items())
    }
    numbers = compare_descriptions(worse, good, LIMITS.confidence)
    found = description_findings(numbers, LIMITS, against_base=False)
    return [one.says.partition(":")[0] for one in found if not one.holds]


VALID = "First replies that are JSON of six texts"
CUT = "First replies cut at the token limit"


@pytest.mark.parametrize(
    ("attribute", "value", "says"), [("valid", False, VALID), ("cut", True, CUT)]
)
def test_a_share_is_refused_for_a_large_change_or_for_a_sure_one(attribute, value, says):
    # One of a hundred is .01, and chance: three in eight draws of a hundred do not hold it.
    assert shares_refused(100, 1, attribute, value) == []
    # Four of a hundred are less than .05, and sure: .96 ** 100 of the draws do not hold one.
    assert shares_refused(100, 4, attribute, value) == [says]
    # One of ten is chance, as .9 ** 10 = .35 of the draws do not hold it, and more than .05.
    assert shares_refused(10, 1, attribute, value) == [says]


def test_tables_that_only_one_side_describes_do_not_count_for_length():
    short = {t: replace(one, texts=()) if t in ("t1", "t2") else one for t, one in side().items()}

    found = report(lambda n: 0.6, written=(short, side()))

    words = next(one for one in found.descriptions if one.name == "words")
    assert (words.n, words.candidate, words.reference) == (98, 9, 9)


def test_texts_equal_to_another_adapters_pass_with_a_word_and_to_the_bases_are_refused():
    both = (side(), side())

    against_adapter = report(lambda n: 0.5, written=both)
    against_base = report(lambda n: 0.5, written=both, against="base")

    assert against_adapter.verdict == "promote"
    assert "change nothing" in against_adapter.notices[0]
    assert against_base.reasons == (
        "100% of the descriptions are the base's, letter by letter; from 98% on the adapter is not "
        "in use, or does nothing.",
    )


def test_nothing_described_is_refused_and_nothing_to_compare_is_an_error():
    nothing = {table: replace(one, texts=()) for table, one in side().items()}

    found = report(lambda n: 0.5, written=(nothing, nothing))

    assert found.reasons == (
        "The candidate describes 0% of 100 tables; at least 50% are needed to judge it.",
    )
    assert found.same is None
    with pytest.raises(NothingToCompare):
        report(lambda n: 0.5, written=({}, {}))


def test_the_report_is_json_with_verdict_and_reasons_first():
    found = report(lambda n: 0.1, made_with={"seed": 42}, notices=("A notice.",))

    document = json.loads(report_json(found))

    assert list(document)[:2] == ["verdict", "reasons"]
    assert document["verdict"] == "refuse"
    assert document["reasons"] == list(found.reasons)
    assert document["retrieval"][0]["difference"]["mean"] == pytest.approx(-0.4)
    assert document["limits"]["margin"] == 0.02
    assert document == json.loads(json.dumps(report_document(found)))


def test_the_page_says_verdict_reasons_and_numbers():
    made_with = {"profiles": ["default", "paper"], "seed": 42}
    found = report(lambda n: 0.1, notices=("A notice.",), made_with=made_with)

    page = "\n".join(page_lines(found))

    assert page.startswith("# new: refuse\n")
    assert "- nDCG@10, default: 0.1000 against 0.5000, -0.4000" in page
    assert "| R@100, default | 1.0000 | 1.0000 | +0.0000 [+0.0000, +0.0000] | 100 |" in page
    assert "- A notice." in page
    assert "| profiles | default, paper |\n| seed | 42 |" in page


def test_the_same_values_give_the_same_report():
    assert report(lambda n: n / N) == report(lambda n: n / N)
