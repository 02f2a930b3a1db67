"""How a server that went away is waited for; clock and answers are made up."""

import pytest

from polaris_search.errors import ServiceUnreachable, StoreProblem
from polaris_search.store.elasticsearch.server.patience import PAUSE_S, Patience


class Server:
    """Answers with what was enqueued, one by one, and moves its clock on where it is slept."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.seconds = 0.0

    def clock(self):
        return self.seconds

    def sleep(self, seconds):
        self.seconds += seconds

    def ask(self):
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def patient(self, seconds):
        return Patience(seconds, self.clock, self.sleep).persist(self.ask)


AWAY, ODD = ServiceUnreachable("away"), StoreProblem("knows no user yet")


def test_what_a_server_says_at_once_is_believed():
    assert Server("answer").patient(10) == "answer"
    with pytest.raises(StoreProblem):
        Server(ODD, "answer").patient(10)


def test_a_server_that_comes_back_is_asked_again_whatever_it_says_while_it_starts():
    server = Server(AWAY, AWAY, ODD, "answer")

    assert server.patient(10) == "answer"
    assert server.seconds == 3 * PAUSE_S


def test_a_server_that_stays_away_is_given_up_once_the_time_is_over():
    server = Server(*[AWAY] * 50)

    with pytest.raises(ServiceUnreachable, match="away"):
        server.patient(10)

    assert 10 <= server.seconds < 10 + PAUSE_S


def test_nobody_waits_without_patience():
    server = Server(AWAY, "answer")

    with pytest.raises(ServiceUnreachable):
        server.patient(0)

    assert server.seconds == 0
