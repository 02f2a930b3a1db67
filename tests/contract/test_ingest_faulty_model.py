"""Ingest with a chat server that fails at a third of the requests: nothing is lost, mixed or half.

Every text of the scripted server shows which table it was written for and by which model, so that
a description that strayed would be seen.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from asking_llm import HELLO, ask, served_model
from faulty_server import MENDABLE, Faulty, faulty_server
from scripted_llm import ADAPTER, BASE, ScriptedLlm, mark_of, sign_of

from ingest.describe.describer import LlmDescriber
from ingest.pipeline import ingest
from ingest.report import IngestReport
from ingest.steps import NoExpander
from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.identity import Identity
from polaris_search.llm.model import ChatReply
from polaris_search.llm.traffic.circuit import LIMIT
from polaris_search.llm.traffic.retries import RetryPolicy
from polaris_search.records import Column, RawTable
from polaris_search.store.embedded.store import EmbeddedStore

N_TABLES = 80
CONCURRENCY = 8
ATTEMPTS = RetryPolicy().attempts
HANG_S = 0.5
MOST_TRIES = 8
"""Of an open breaker in one ingest: its pauses double up to a minute."""
LOST_SHARE = 0.02
"""Of requests may be lost where three attempts in ten fail; eight fail on end once in 15,000."""
IDENTITY = Identity(BASE, ADAPTER, ADAPTER, 8192)
TABLES = [
    RawTable(f"t{n:03}", f"{mark_of(n)} log", (Column("day"), Column(f"reading {n}")))
    for n in range(N_TABLES)
]
SIGNS = {table.table_id: sign_of(mark_of(n)) for n, table in enumerate(TABLES)}


@pytest.fixture
def scripted() -> ScriptedLlm:
    return ScriptedLlm()


@pytest.fixture
def store(tmp_path) -> Iterator[EmbeddedStore]:
    with closing(EmbeddedStore(tmp_path / "store")) as opened:
        yield opened


def ingested(store: EmbeddedStore, faulty: Faulty, **client) -> IngestReport:
    """Ingest all tables, their descriptions written through `faulty`."""
    with faulty_server(faulty) as server:
        told = {"concurrency": CONCURRENCY, "attempts": ATTEMPTS, "timeout_s": HANG_S}
        model = served_model(server.address, identity=IDENTITY, **(told | client))
        describer = LlmDescriber(model)
        return ingest(TABLES, store, NoExpander(), describer, concurrency=CONCURRENCY)


def check_that_nothing_is_lost_or_mixed(store: EmbeddedStore, report: IngestReport) -> None:
    tables = list(store.tables())
    statuses = Counter(table.provenance.status for table in tables)

    assert [table.table_id for table in tables] == [table.table_id for table in TABLES]
    assert [table.raw for table in tables] == TABLES
    assert statuses == +Counter(described=report.described, failed=report.failed)
    assert report.described + report.failed == N_TABLES
    assert sum(count for _, count in report.reasons) == report.failed
    for table in tables:
        assert (table.description is None) == (table.provenance.status == "failed")
        for text in table.description.values() if table.description else ():
            assert SIGNS[table.table_id] in text


@pytest.mark.parametrize("seed", range(3))
def test_a_third_of_faults_costs_no_table_and_mixes_none(store, scripted, seed):
    faulty = Faulty(scripted, seed=seed)

    report = ingested(store, faulty)

    check_that_nothing_is_lost_or_mixed(store, report)
    assert set(faulty.met) == set(MENDABLE)
    assert report.failed <= N_TABLES * LOST_SHARE


@pytest.mark.parametrize("fault", MENDABLE)
def test_a_fault_that_stays_marks_every_table_with_its_reason(store, scripted, fault):
    report = ingested(store, Faulty(scripted, seed=0, share=1.0, faults=[fault]), timeout_s=0.05)

    check_that_nothing_is_lost_or_mixed(store, report)
    assert report.failed == N_TABLES
    assert scripted.written == [] or fault in ("half_reply", "half_text", "no_json")


def test_what_failed_is_all_that_the_next_run_asks_for(store, scripted):
    first = ingested(store, Faulty(scripted, seed=1, share=0.9, faults=["busy", "error"]))
    failed = {t.table_id for t in store.tables() if t.provenance.status == "failed"}
    scripted.written.clear()

    second = ingested(store, Faulty(scripted, seed=1, share=0.0))

    assert first.failed == len(failed) > 0
    assert second.described == len(failed)
    assert second.reused == N_TABLES - len(failed)
    assert sorted(map(sign_of, scripted.written)) == sorted(SIGNS[key] for key in failed)
    check_that_nothing_is_lost_or_mixed(store, replace(second, described=N_TABLES))


def test_a_server_that_fails_for_good_is_asked_no_more_and_the_rest_is_marked(store, scripted):
    n_sound = 20
    faulty = Faulty(scripted, seed=0, share=1.0, faults=["error"], sound=n_sound)

    report = ingested(store, faulty)

    check_that_nothing_is_lost_or_mixed(store, report)
    assert report.described == n_sound
    # The failures that open the breaker, what was under way then, and one at a time that tries it.
    assert faulty.calls <= n_sound + LIMIT + CONCURRENCY + MOST_TRIES
    assert any("asked no more" in reason for reason, _ in report.reasons)


def test_after_the_breaker_has_opened_not_one_request_is_sent(scripted):
    faulty = Faulty(scripted, seed=0, share=1.0, faults=["error"])
    with faulty_server(faulty) as server:
        model = served_model(server.address, concurrency=CONCURRENCY)

        async def run():
            await asyncio.gather(*asked(50), return_exceptions=True)
            calls_when_open = faulty.calls
            late = await asyncio.gather(*asked(50), return_exceptions=True)
            await model.close()
            return calls_when_open, late

        def asked(times):
            return (model.chat(HELLO) for _ in range(times))

        calls_when_open, late = asyncio.run(run())

    assert faulty.calls == calls_when_open
    assert {type(error) for error in late} == {ServiceUnreachable}


def test_no_text_of_another_model_is_kept_as_the_adapters(store, scripted):
    faulty = Faulty(scripted, seed=0, faults=["other_model"])

    report = ingested(store, faulty, answers_as=ADAPTER)

    check_that_nothing_is_lost_or_mixed(store, report)
    assert faulty.met["other_model"] > 0
    for table in store.tables():
        assert table.provenance.adapter == ADAPTER or not table.description
        for text in table.description.values() if table.description else ():
            assert sign_of(ADAPTER) in text


def test_a_burst_of_five_hundred_gets_through_a_server_that_is_often_full(scripted):
    faulty = Faulty(scripted, seed=4, faults=["busy", "busy_with_wait"])

    with faulty_server(faulty) as server:
        replies = ask(server.address, *[HELLO] * 500, concurrency=32, attempts=ATTEMPTS)

    lost = [reply for reply in replies if not isinstance(reply, ChatReply)]
    assert len(lost) <= 500 * LOST_SHARE
    assert all("is busy (HTTP 429): Model is overloaded." in str(error) for error in lost)
