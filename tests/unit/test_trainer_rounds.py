"""Rounds of ranking: winners move into the corpus until nothing changes or a reason ends it."""

import numpy as np
import pytest

from trainer.ranking.rounds import ranked, winners_of

FIRST = np.array([0, 2, 4])
GOLD = np.array([0, 1])
AT_FIRST = np.array([0, 2])


def means_by_members(table):
    """Return a means function that looks up the means of two tables by the members of C0."""
    return lambda members: tuple(table[tuple(members.tolist())])


SAME = [(2.0, 1.0), (3.0, 1.0)]


def test_one_round_ranks_by_the_given_members():
    ranking = ranked(lambda members: tuple(SAME), AT_FIRST, FIRST, GOLD)

    assert ranking.ended == "one round"
    assert [(one.best, one.worst, one.margin) for one in ranking.last.winners] == [
        (0, 1, 1.0),
        (0, 1, 2.0),
    ]
    assert ranking.mean_margins == (1.5,)


def test_rounds_end_when_no_winner_changes():
    second = [(1.0, 2.0), (3.0, 1.0)]
    means = means_by_members({(0, 2): second, (1, 2): second})

    ranking = ranked(means, AT_FIRST, FIRST, GOLD, most_rounds=10)

    assert ranking.ended == "converged"
    assert ranking.changed == (2, 0)
    assert ranking.members.tolist() == [1, 2]


def test_rounds_that_come_back_to_earlier_members_end_as_a_cycle():
    other = [(1.0, 2.0), (1.0, 3.0)]
    means = means_by_members({(0, 2): other, (1, 3): SAME})

    ranking = ranked(means, AT_FIRST, FIRST, GOLD, most_rounds=100)

    assert ranking.ended == "cycle"
    assert len(ranking.changed) == 2


def test_the_most_rounds_bound_what_neither_converges_nor_comes_back():
    first, gold = np.array([0, 4]), np.array([0])

    def ever_further(members):
        best = (members[0] + 1) % 4
        return (tuple(1.0 if place == best else 0.0 for place in range(4)),)

    ranking = ranked(ever_further, np.array([0]), first, gold, most_rounds=3)

    assert (ranking.ended, ranking.changed) == ("rounds", (1, 1, 1))


@pytest.mark.parametrize(
    ("means", "best", "worst"),
    [((1.0,), 0, 0), ((1.0, 1.0, 1.0), 0, 2), ((0.0, 2.0, 2.0), 1, 0), ((3.0, 1.0, 1.0), 0, 2)],
)
def test_of_equal_means_the_first_is_best_and_the_last_is_worst(means, best, worst):
    found = winners_of(means)

    assert (found.best, found.worst) == (best, worst)
