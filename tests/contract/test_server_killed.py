"""Elasticsearch killed without warning (SIGKILL) and started again while a command runs.

Real processes on both sides. The command goes on if the server is back in time, else it says so
(exit code 3) and the next one finishes; nothing is lost, nothing doubled, the alias leads to one
whole index. So too where the command is what is killed.
"""

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from commands import Commands
from http_server import CUT_OFF, Asked, Reply, http_server, passed_on
from servers import OwnServer, wait_until
from tables import table

from polaris_search.settings import read_settings
from polaris_search.store.opening import open_store

pytestmark = pytest.mark.es

ALIAS = "polaris-tables"
IDS = [f"t{number:05}" for number in range(20_000)]
A_FEW = IDS[:300]
LONG_ENOUGH = {"POLARIS_ES_TIMEOUT_S": "120"}
TOO_SHORT = {"POLARIS_ES_TIMEOUT_S": "1"}


@pytest.fixture
def server(own_es: OwnServer) -> Iterator[OwnServer]:
    """A server that holds nothing under the names that commands use."""
    yield own_es
    own_es.start()
    with closing(own_es.client()) as client:
        for index in client.indices.get(index=f"{ALIAS}*", expand_wildcards="all"):
            client.options(request_timeout=60).indices.delete(index=index)


@pytest.fixture
def commands(tmp_path: Path, server: OwnServer) -> Commands:
    return Commands(tmp_path, server.store)


def source(commands: Commands, ids: list[str]) -> Path:
    return commands.tables(*[(one, f"zebra {one}") for one in ids])


def fill(server: OwnServer, ids: list[str]) -> str:
    """Store the tables, and return the live index."""
    with closing(open_store(read_settings({"POLARIS_STORE": server.store}))) as store:
        assert store.put(table(one, f"zebra {one}") for one in ids).stored == len(ids)
        store.refresh()
        return store.status().generation


def wait_for_writes(server: OwnServer, writes: int) -> None:
    """Return once so many more documents were written to generations."""
    with closing(server.client()) as client:
        asked = client.options(request_timeout=30)

        def written() -> int:
            stats = asked.indices.stats(index=f"{ALIAS}-v*", metric="indexing")
            return stats["_all"]["primaries"].get("indexing", {}).get("index_total", 0)

        until = written() + writes
        wait_until(lambda: written() >= until, 120, "the server was written to")


def kill_after(server: OwnServer, writes: int) -> None:
    wait_for_writes(server, writes)
    server.kill()


def whole(server: OwnServer) -> tuple[str, list[str]]:
    """Return the one index that the alias leads to, and the ids of all tables in it."""
    with closing(server.client()) as client:
        found = client.options(request_timeout=60).indices.get_alias(name=ALIAS).body
    ((index, body),) = found.items()
    assert body["aliases"][ALIAS] == {"is_write_index": True}
    with closing(open_store(read_settings({"POLARIS_STORE": server.store}))) as store:
        return index, list(store.table_ids())


def ended(process) -> tuple[int, list[str]]:
    """Wait for a command's end; return its exit code and what it told the person."""
    _, told = process.communicate(timeout=300)
    return process.returncode, told.splitlines()


def last_sentence(lines: list[str]) -> str:
    assert not any("Traceback" in line for line in lines), lines
    return lines[-1]


def test_an_ingest_goes_on_when_its_server_is_back_in_time(server, commands):
    process = commands.start("ingest", source(commands, IDS), "--expand", "none", **LONG_ENOUGH)

    kill_after(server, 4_000)
    assert process.poll() is None
    server.start()

    exit_code, told = ended(process)
    assert exit_code == 0, told
    _, ids = whole(server)
    assert ids == IDS


def test_an_ingest_whose_server_stays_away_says_so_and_the_next_one_finishes(server, commands):
    path = source(commands, IDS)
    process = commands.start("ingest", path, "--expand", "none", **TOO_SHORT)

    kill_after(server, 4_000)
    exit_code, told = ended(process)
    server.start()
    before = len(whole(server)[1])
    again = commands.answer("ingest", path, "--expand", "none")

    assert exit_code == 3
    assert re.fullmatch(
        rf"Error: Elasticsearch at {server.url}: .*(then run the command again|Start it, or .*)\.",
        last_sentence(told),
    )
    assert 4_000 <= before < len(IDS)
    assert (again["seen"], again["stored"]) == (len(IDS), len(IDS) - before)
    assert whole(server)[1] == IDS


def test_an_ingest_that_is_killed_itself_leaves_whole_tables_and_the_next_one_finishes(
    server, commands
):
    path = source(commands, IDS)
    process = commands.start("ingest", path, "--expand", "none")

    wait_for_writes(server, 4_000)
    process.kill()
    ended(process)
    _, before = whole(server)
    again = commands.answer("ingest", path, "--expand", "none")

    assert process.returncode == -signal.SIGKILL
    assert 4_000 <= len(before) < len(IDS)
    assert again["stored"] == len(IDS) - len(before)
    assert whole(server)[1] == IDS


def test_a_reindex_goes_on_when_its_server_is_back_in_time(server, commands):
    old = fill(server, IDS)
    process = commands.start("reindex", **LONG_ENOUGH)

    kill_after(server, 4_000)
    assert process.poll() is None
    server.start()

    exit_code, told = ended(process)
    assert exit_code == 0, told
    index, ids = whole(server)
    assert index != old
    assert ids == IDS


def test_a_reindex_whose_server_stays_away_leaves_the_old_tables_and_the_next_one_finishes(
    server, commands
):
    old = fill(server, IDS)
    process = commands.start("reindex", **TOO_SHORT)

    kill_after(server, 4_000)
    exit_code, told = ended(process)
    server.start()
    meanwhile = whole(server)
    again = commands.answer("reindex")

    assert exit_code == 3
    assert last_sentence(told).startswith(f"Error: Elasticsearch at {server.url}: ")
    assert meanwhile == (old, IDS)
    assert (again["resumed"], again["live"]) == (True, True)
    assert whole(server) == (again["generation"], IDS)
    assert commands.answer("index", "prune", "--keep", "0")["removed"] == [old]


STEPS = {
    "the lease is taken": r"PUT /polaris-tables-leases/_create/",
    "the new index is made": r"PUT /polaris-tables-v1-[\w-]+$",
    "the tables are copied": r"PUT /polaris-tables-next-\w+/_bulk",
    "it is set up to be searched": r"PUT /polaris-tables-v1-[\w-]+/_settings",
    "it is marked as about to go live": r"PUT /polaris-tables-v1-[\w-]+/_mapping",
    "it goes live": r"POST /_aliases",
    "the old one takes no more writes": r"PUT /polaris-tables-v1-[\w-]+/_block/write",
    "the lease is given back": r"DELETE /polaris-tables-leases/_doc/",
}
GOES_LIVE = "it goes live"


@contextmanager
def dies_once(server: OwnServer, step: str, *, done: bool) -> Iterator[tuple[str, list[str]]]:
    """Give the address of a server that dies at a request, and is started again at once.

    It never answers that request: it dies before it does what it is asked, or after it did it.
    Also gives a list that tells of the death.
    """
    real = passed_on(server.url)
    lock = threading.Lock()
    deaths: list[str] = []

    def answer(asked: Asked) -> Reply:
        request = f"{asked.method} {asked.path.partition('?')[0]}"
        with lock:
            dies = not deaths and re.match(STEPS[step], request)
            if dies:
                deaths.append(request)
        if not dies:
            return real(asked)
        if done:
            assert real(asked).status < 300
        server.kill()
        restart.start()
        return CUT_OFF

    restart = threading.Thread(target=server.start)
    with http_server(answer) as proxy:
        yield proxy.address, deaths
        if deaths:
            restart.join()


@pytest.mark.parametrize("done", [False, True], ids=["undone", "done"])
@pytest.mark.parametrize(
    "step",
    [one if one == GOES_LIVE else pytest.param(one, marks=pytest.mark.slow) for one in STEPS],
)
def test_a_reindex_whose_server_dies_at_a_step_without_an_answer_finds_out_and_goes_on(
    server, tmp_path, step, done
):
    old = fill(server, A_FEW)

    with dies_once(server, step, done=done) as (address, deaths):
        report = Commands(tmp_path, address).answer("reindex", **LONG_ENOUGH)

    assert len(deaths) == 1
    assert (report["live"], report["replaced"], report["tables"]) == (True, old, len(A_FEW))
    assert whole(server) == (report["generation"], A_FEW)
    assert Commands(tmp_path, server.store).answer("index", "prune", "--keep", "0")["removed"] == [
        old
    ]
