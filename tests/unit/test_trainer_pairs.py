"""Which ranked candidates become preference pairs, and which never do."""

import pytest

from trainer.candidates import candidate_of
from trainer.pairs import RankedTable, pair_record, pairs_of
from trainer.text_shape import text_shape


def ranked_table(*candidates, table_id="t"):
    """Return a table ranked by (text, mean) pairs."""
    texts = tuple(candidate_of(text, {"seed": seed}) for seed, (text, _) in enumerate(candidates))
    means = tuple(mean for _, mean in candidates)
    return RankedTable(
        table_id, texts, means, best=means.index(max(means)), worst=means.index(min(means))
    )


def texts_of(pairs):
    return [
        (pair.table.candidates[pair.chosen].text, pair.table.candidates[pair.rejected].text)
        for pair in pairs
    ]


def test_the_best_is_preferred_to_the_worst():
    pairs, report = pairs_of([ranked_table(("lion", 1.0), ("zebra", 3.0), ("yak", 2.0))])

    assert texts_of(pairs) == [("zebra", "lion")]
    assert (pairs[0].margin, report.pairs) == (2.0, 1)


@pytest.mark.parametrize(
    ("candidates", "counted"),
    [
        ([("zebra", 1.0), ("zebra", 1.0)], "same_text"),
        ([("zebra", 2.0), ("zebra", 1.0)], "same_text"),
        ([("zebra", 1.0), ("lion", 1.0)], "small_margin"),
        ([("zebra", 1.0 + 1e-6), ("lion", 1.0)], "small_margin"),
        ([("zebra", 1.0)], "one_candidate"),
        ([("zebra", 1.0), (" ", 0.0)], "one_candidate"),
    ],
    ids=["equal", "same text", "exact tie", "near tie", "one candidate", "an empty text"],
)
def test_what_a_learner_cannot_tell_apart_makes_no_pair_and_is_counted(candidates, counted):  # T3
    pairs, report = pairs_of([ranked_table(*candidates)])

    assert pairs == ()
    assert getattr(report, counted) == 1


def test_duplicates_make_one_pair_where_all_pairs_are_asked_for():  # T3
    table = ranked_table(("zebra", 3.0), ("zebra", 3.0), ("lion", 1.0), ("lion", 1.0))

    pairs, _ = pairs_of([table], every=True)

    assert texts_of(pairs) == [("zebra", "lion")]


def test_all_pairs_are_those_whose_margin_passes():
    table = ranked_table(("a", 3.0), ("b", 2.0), ("c", 0.5))

    pairs, _ = pairs_of([table], min_margin=1.2, every=True)

    assert texts_of(pairs) == [("a", "c"), ("b", "c")]


def test_the_report_shows_whether_winners_repeat_themselves():
    table = ranked_table(("bank bank bank banks", 3.0), ("bank city", 1.0))

    _, report = pairs_of([table])

    assert (report.chosen.distinct_share, report.chosen.stems) == (1 / 4, 4.0)
    assert (report.rejected.distinct_share, report.rejected.stems) == (1.0, 2.0)


def test_texts_without_words_have_no_shape():
    assert text_shape([]) == text_shape([[""]])


def test_a_pair_is_written_as_trl_reads_it():
    (pair,), _ = pairs_of([ranked_table(("lion", 1.0), ("zebra", 3.0))])

    record = pair_record(pair, [{"role": "user", "content": "Describe."}])

    assert record == {
        "prompt": [{"role": "user", "content": "Describe."}],
        "chosen": [{"role": "assistant", "content": "zebra"}],
        "rejected": [{"role": "assistant", "content": "lion"}],
    }
