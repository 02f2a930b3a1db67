"""What only one process may do at a time, on a real server; machines and clocks are made up."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack

import pytest
from elasticsearch_places import Machine, place_at
from generations import unheard
from servers import wait_until

from polaris_search.errors import AlreadyHeld, HolderLost
from polaris_search.store.elasticsearch.generations.leases import Leases, LeaseTimes

pytestmark = pytest.mark.es

NAME, TASK = "nightly", "the nightly run"

HOLD = """
import sys, time
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.generations.leases import Leases

leases = Leases(connect(read_settings({"POLARIS_STORE": sys.argv[1]})), sys.argv[2])
with leases.lease("nightly", "the nightly run", print):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def place(es_url, es_alias):
    with place_at(es_url, es_alias) as opened:
        yield opened


@pytest.fixture
def index(es_alias):
    return f"{es_alias}-leases"


def document(place, index):
    return place.connection.client.options(ignore_status=404).get(index=index, id=NAME).body


def holding(es_url, index):
    """A process that holds the lease until its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, es_url, index],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lease_is_there_while_its_block_runs_and_gone_afterwards(place, index):
    leases = Leases(place.connection, index)

    with leases.lease(NAME, TASK, unheard) as lease:
        lease.confirm()
        assert document(place, index)["_source"]["holder"]["pid"] == os.getpid()

    assert not document(place, index)["found"]


def test_leases_of_different_names_do_not_meet(place, index):
    leases = Leases(place.connection, index)

    with leases.lease(NAME, TASK, unheard), leases.lease("other", "another task", unheard):
        pass


def test_a_living_holder_of_this_machine_is_named_at_once(es_url, place, index):
    process = holding(es_url, index)
    leases = Leases(place.connection, index)

    with (
        pytest.raises(AlreadyHeld, match=rf"for {TASK}: process {process.pid} on .*, since 20"),
        leases.lease(NAME, TASK, unheard),
    ):
        pass

    process.communicate("")
    with leases.lease(NAME, TASK, unheard):
        pass


def test_a_killed_holder_of_this_machine_is_replaced_at_once(es_url, place, index):
    process = holding(es_url, index)
    process.send_signal(signal.SIGKILL)
    process.communicate()

    with Leases(place.connection, index).lease(NAME, TASK, unheard) as lease:
        lease.renew()

    assert not document(place, index)["found"]


def test_a_lease_is_renewed_while_its_block_runs(place, index):
    machine = Machine("a")
    leases = machine.leases(place.connection, index, LeaseTimes(renew_s=0.01))

    with leases.lease(NAME, TASK, unheard):
        wait_until(lambda: document(place, index)["_source"]["renewals"] > 2, 30, "it is renewed")


def test_a_silent_holder_elsewhere_is_replaced_after_thirty_seconds_of_our_own(place, index):
    far, near = Machine("far", seconds=1e9), Machine("near")

    with far.leases(place.connection, index).lease(NAME, TASK, far.heard.append):
        leases = near.leases(place.connection, index)
        with leases.lease(NAME, TASK, near.heard.append) as lease:
            lease.confirm()
            assert document(place, index)["_source"]["holder"]["host"] == "near"

    assert 30 <= near.seconds < 32
    assert near.heard[0].startswith("process 7 on far, since 2026-11-30T02:00:00Z holds the lease")
    assert "Waiting 30 s for a sign of life." in near.heard[0]


def test_one_sign_of_life_from_elsewhere_is_enough(place, index):
    far, near = Machine("far"), Machine("near")

    with far.leases(place.connection, index).lease(NAME, TASK, unheard) as held:
        near.meanwhile = lambda: held.renew() if near.seconds == 29 else None
        with (
            pytest.raises(AlreadyHeld, match="process 7 on far"),
            near.leases(place.connection, index).lease(NAME, TASK, near.heard.append),
        ):
            pass

        held.renew()
    assert near.seconds == 29


def test_a_lease_given_back_while_it_is_waited_for_is_taken(place, index):
    far, near = Machine("far"), Machine("near")

    with ExitStack() as stack:
        stack.enter_context(far.leases(place.connection, index).lease(NAME, TASK, unheard))
        near.meanwhile = stack.close
        with near.leases(place.connection, index).lease(NAME, TASK, near.heard.append):
            assert document(place, index)["_source"]["holder"]["host"] == "near"

    assert near.seconds == 1


def test_of_two_that_wait_for_a_silent_holder_one_gets_its_lease(place, index):
    far, first, second = Machine("far"), Machine("first"), Machine("second")
    taken = ExitStack()

    def overtaken():
        if second.seconds == 29:
            leases = first.leases(place.connection, index)
            taken.enter_context(leases.lease(NAME, TASK, first.heard.append))

    with taken:
        taken.enter_context(far.leases(place.connection, index).lease(NAME, TASK, unheard))
        second.meanwhile = overtaken
        with (
            pytest.raises(AlreadyHeld, match="process 7 on first"),
            second.leases(place.connection, index).lease(NAME, TASK, second.heard.append),
        ):
            pass


def test_who_was_replaced_is_told_by_whom_and_leaves_the_lease_alone(place, index):
    far, near = Machine("far"), Machine("near")

    with ExitStack() as stack:
        lost = stack.enter_context(
            far.leases(place.connection, index).lease(NAME, TASK, far.heard.append)
        )
        with near.leases(place.connection, index).lease(NAME, TASK, near.heard.append) as lease:
            far.seconds += 21  # so long that it asks before it believes that it holds the lease
            with pytest.raises(HolderLost, match=f"process 7 on near, .* took over {TASK}"):
                lost.confirm()
            with pytest.raises(HolderLost):
                lost.renew()
            stack.close()
            lease.renew()


def test_a_holder_that_renewed_lately_asks_nobody(place, index):
    machine = Machine("a")

    with machine.leases(place.connection, index).lease(NAME, TASK, unheard) as lease:
        before = document(place, index)["_source"]["renewals"]
        machine.seconds += 19
        lease.confirm()
        unasked = document(place, index)["_source"]["renewals"]
        machine.seconds += 2
        lease.confirm()

        assert (before, unasked, document(place, index)["_source"]["renewals"]) == (0, 0, 1)


def test_a_renewal_whose_answer_was_lost_is_recognised(place, index):
    leases = Leases(place.connection, index)

    with leases.lease(NAME, TASK, unheard) as lease:
        renewed = dict(document(place, index)["_source"], renewals=1)
        place.connection.client.index(index=index, id=NAME, document=renewed)

        lease.renew()
        lease.renew()


def test_a_lease_deleted_by_hand_is_lost(place, index):
    with Leases(place.connection, index).lease(NAME, TASK, unheard) as lease:
        place.connection.client.delete(index=index, id=NAME)

        with pytest.raises(HolderLost):
            lease.renew()


def test_a_lease_that_could_not_be_given_back_is_in_nobodys_way(place, index):
    leases = Leases(place.connection, index)
    with leases.lease(NAME, TASK, unheard):
        left = document(place, index)["_source"]  # as where the server is away at the end
    place.connection.client.index(index=index, id=NAME, document=left)

    with leases.lease(NAME, TASK, unheard) as lease:
        lease.renew()
        with pytest.raises(AlreadyHeld), leases.lease(NAME, TASK, unheard):
            pass
