"""`reindex`, `index`, `export` and `import` as a person runs them, on both stores."""

import json
import signal
from contextlib import closing
from pathlib import Path

import pytest
from commands import Commands
from fakes_llm import CANARY, Answer, chat_server, completion

from polaris_search.records import DESCRIPTION_FIELDS
from polaris_search.settings import read_settings
from polaris_search.store.opening import open_store

TEN = [(f"t{number}", f"SalesRegion{number}") for number in range(10)]


@pytest.fixture
def polaris(tmp_path: Path, store_url: str) -> Commands:
    commands = Commands(tmp_path, store_url)
    commands.answer("ingest", commands.tables(*TEN), "--describe", "none")
    return commands


@pytest.fixture
def embedded(tmp_path: Path) -> Commands:
    return Commands(tmp_path, f"file:{tmp_path / 'store'}")


def generations(polaris):
    return polaris.answer("index", "list")["generations"]


def live(polaris):
    (name,) = [one["name"] for one in generations(polaris) if one["state"] == "live"]
    return name


def totals(polaris, *words):
    return [polaris.answer("search", word, "--profile", "paper")["total"] for word in words]


def said(finished):
    assert b"Traceback" not in finished.stderr
    return finished.stdout.decode() + finished.stderr.decode()


# reindex, index list, rollback and prune


def test_a_reindex_is_listed_rolled_back_and_pruned(polaris):
    first = live(polaris)

    report = polaris.answer("reindex", "--expand", "none")
    listed = generations(polaris)
    back = polaris.answer("index", "rollback")
    pruned = polaris.answer("index", "prune", "--keep", "0")

    assert (report["generation"], report["replaced"]) == (listed[0]["name"], first)
    assert [(one["state"], one["tables"]) for one in listed] == [("live", 10), ("kept", 10)]
    assert all(one["current"] and one["settled"] and one["live_at"] for one in listed)
    assert (back["generation"], back["live"], back["brought_over"]) == (first, True, 0)
    assert pruned == {"removed": [report["generation"]]}
    assert [one["state"] for one in generations(polaris)] == ["live"]
    assert totals(polaris, "sales", "region") == [10, 10]


def test_the_json_of_a_reindex_has_the_documented_shape(polaris):
    report = polaris.answer("reindex")

    page = (Path(__file__).parents[2] / "docs" / "reindexing.md").read_text()
    keys = [*report, *report["counts"]]
    assert [key for key in keys if f"`{key}`" not in page] == []
    assert report["counts"]["kept"] == report["tables"] == 10
    assert (report["sources"], report["problem"]) == (None, None)


def test_what_a_person_reads_says_what_is_live_and_what_is_kept(polaris):
    first = live(polaris)

    reindexed = said(polaris("reindex"))
    listed = said(polaris("index", "list"))
    back = said(polaris("index", "rollback"))
    pruned = said(polaris("index", "prune"))

    assert "is live: 10 tables" in reindexed
    assert f"{first} is kept; `polaris-admin index rollback` goes back to it." in reindexed
    assert "10 kept; 10 tables searched for and found" in reindexed
    assert first in listed
    assert f"{first} is live: 10 tables" in back
    assert pruned == "There was nothing to remove.\n"


def test_a_dry_run_says_what_would_change_and_changes_nothing(polaris):
    before = generations(polaris)

    would = polaris.answer("reindex", "--expand", "none", "--dry-run")
    text = said(polaris("reindex", "--expand", "none", "--dry-run"))

    assert would["replaces"] == before[0]["name"]
    assert (would["counts"]["expanded"], would["to_describe"], would["current"]) == (10, 0, True)
    assert "10 expanded anew" in text
    assert generations(polaris) == before


def test_a_rollback_to_a_name_nobody_keeps_is_refused(polaris):
    finished = polaris("index", "rollback", "no-such")

    assert finished.returncode == 1
    assert "No kept generation 'no-such'" in said(finished)


def test_a_second_run_at_once_is_refused_and_told_who_holds_the_lease(polaris):
    settings = read_settings({"POLARIS_STORE": polaris.store_url})
    with closing(open_store(settings)) as store, store.generations.stage("held", print):
        refused = polaris("reindex")
        dry = polaris("reindex", "--dry-run")

    assert refused.returncode == 1
    assert "Another process holds the lease" in said(refused)
    assert "process " in said(refused)
    assert "Stopped" not in said(refused)  # it had not begun
    assert (dry.returncode, "Unfinished: " in said(dry)) == (0, True)


@pytest.mark.es
def test_an_index_of_other_analyzers_is_answered_with_reindex_and_is_well_after_it(
    tmp_path, own_es
):
    polaris = Commands(tmp_path, own_es.url)
    polaris.answer("ingest", polaris.tables(*TEN), "--describe", "none")
    with own_es.client() as client:
        index = live(polaris)
        meta = client.indices.get_mapping(index=index)[index]["mappings"]["_meta"]
        client.indices.put_mapping(index=index, meta={**meta, "definition": "of another version"})

        refused = polaris("search", "region")
        ill = polaris.answer("doctor", exit_code=1)
        would = polaris.answer("reindex", "--dry-run")
        done = polaris.answer("reindex")
        well = polaris.answer("doctor")
        for leftover in client.indices.get(index="polaris-*", expand_wildcards="all"):
            client.indices.delete(index=leftover)

    assert (refused.returncode, "polaris-admin reindex" in said(refused)) == (1, True)
    (failed,) = [check for check in ill["checks"] if not check["ok"]]
    assert (failed["name"], "polaris-admin reindex" in failed["found"]) == ("index", True)
    assert (would["current"], done["live"], done["counts"]["kept"]) == (False, True, 10)
    assert well["ok"]


# From sources


def test_sources_replace_the_live_tables_but_not_a_fifth_of_them_by_mistake(polaris):
    nine = polaris.tables(*TEN[1:])
    confirmed = polaris.answer("reindex", nine)
    three = polaris.tables(*TEN[:3])

    refused = polaris.answer("reindex", three, exit_code=1)
    text = polaris("reindex", three)
    done = polaris.answer("reindex", three, "--yes")

    assert (confirmed["live"], confirmed["missing"], confirmed["tables"]) == (True, 1, 9)
    assert (refused["live"], refused["tables"]) == (False, 9)
    assert text.returncode == 1
    assert "live tables that no source has: 7 of 9" in said(text)
    assert "is not live" in said(text)
    assert (done["live"], done["resumed"], done["tables"]) == (True, True, 3)
    assert totals(polaris, "sales") == [3]


def test_a_rejected_row_keeps_the_old_tables_live_and_is_kept_itself(polaris, tmp_path):
    source = polaris.tables(*TEN)
    source.write_text(source.read_text() + '{"name": "lost"}\n')

    report = polaris.answer("reindex", source, exit_code=1)

    assert (report["live"], report["sources"]["rejected"]) == (False, 1)
    letters = Path(tmp_path, report["sources"]["dead_letters"])
    assert json.loads(letters.read_text())["line"] == 11


# Descriptions, and what is not there


OTHER_WORDS = (
    "turnover, offices and districts",
    "planning of staff and stock for each branch",
    "revenue, income, takings, branch, region",
    "trade, commerce, quarter, growth",
    "one row for an office in each quarter",
)


def description(words):
    """A reply whose first field is these words, and whose others say other things."""
    return completion(json.dumps(dict(zip(DESCRIPTION_FIELDS, (words, *OTHER_WORDS), strict=True))))


def test_stale_descriptions_are_made_anew_by_the_model(polaris):
    with chat_server() as server:
        server.gets["/v1/models"] = Answer(body='{"data": [{"id": "served-model"}]}')
        words = "Regional sales with quarterly revenue figures for every district office"
        server.enqueue(CANARY, *[description(words)] * 10)

        report = polaris.answer("reindex", "--describe", "stale", POLARIS_LLM_URL=server.url)

    assert (report["live"], report["counts"]["described"]) == (True, 10)
    assert totals(polaris, "quarterly") == [10]


def test_a_model_server_that_fails_leaves_tables_marked_and_the_exit_code_is_1(polaris):
    with chat_server() as server:
        server.gets["/v1/models"] = Answer(body='{"data": [{"id": "served-model"}]}')
        server.enqueue(CANARY, *[Answer(400, "no")] * 10)

        finished = polaris("reindex", "--describe", "all", POLARIS_LLM_URL=server.url)

    assert finished.returncode == 1
    assert "is live: 10 tables" in said(finished)
    assert "Descriptions: 0 new, 10 failed" in said(finished)


@pytest.mark.parametrize(
    ("arguments", "environment", "exit_code", "words"),
    [
        (("--describe", "stale"), {}, 2, "--describe stale needs a model"),
        (("--describe", "all"), {"POLARIS_LLM_URL": "http://127.0.0.1:1"}, 3, "127.0.0.1:1"),
        ((), {"POLARIS_STORE": "http://127.0.0.1:1"}, 3, "127.0.0.1:1"),
        (("absent.csv",), {}, 1, "absent.csv"),
        (("--format", "csv"), {}, 2, "--format says what a SOURCE is"),
        (("--describe", "some"), {}, 2, "some"),
    ],
)
def test_what_cannot_be_begun_is_refused_before_anything_is_done(
    embedded, arguments, environment, exit_code, words
):
    embedded.answer("ingest", embedded.tables(*TEN), "--describe", "none")
    before = generations(embedded)

    finished = embedded("reindex", *arguments, **environment)

    assert (finished.returncode, words in said(finished)) == (exit_code, True)
    assert generations(embedded) == before


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_run_that_is_stopped_says_how_to_go_on_and_holds_nothing(polaris, number, exit_code):
    before = live(polaris)
    with chat_server() as server:
        server.gets["/v1/models"] = Answer(body='{"data": [{"id": "served-model"}]}')
        words = "Regional sales with quarterly revenue of offices"
        server.enqueue(CANARY, *[description(words)] * 3)
        server.enqueue(*[Answer(hangs=True)] * 10)
        running = polaris.start(
            "reindex", "--describe", "all", POLARIS_LLM_URL=server.url, POLARIS_LLM_CONCURRENCY="1"
        )
        with running:
            server.wait_until_asked(1 + 4)
            running.send_signal(number)
            told = running.stderr.read()

    assert running.returncode == exit_code, told
    assert "Run the same command again to go on" in told
    assert "Traceback" not in told
    assert live(polaris) == before
    listed = {one["state"]: one["tables"] for one in generations(polaris)}
    assert listed.keys() == {"live", "staged"}
    assert 1 <= listed["staged"] <= 3  # the last are being written
    assert polaris.answer("reindex")["live"]


# export and import


def exported(polaris):
    finished = polaris("export")
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_an_export_is_read_back_byte_for_byte(polaris, tmp_path):
    target = tmp_path / "tables.jsonl"

    report = polaris.answer("export", target)
    whole = target.read_bytes()
    polaris("delete", "t3", "t4")
    back = polaris.answer("import", target)
    again = polaris("import", "-", given=whole)

    assert (report["tables"], whole.count(b"\n")) == (10, 10)
    assert (back["imported"], back["unchanged"], back["rejected"]) == (2, 8, 0)
    assert again.stdout == b"Imported 0 tables, 10 were there already, 0 lines rejected.\n"
    assert exported(polaris) == whole
    assert totals(polaris, "sales") == [10]


def test_an_export_of_one_store_is_the_same_in_another(polaris, tmp_path):
    other = Commands(tmp_path, f"file:{tmp_path / 'other'}")
    whole = exported(polaris)

    other("import", "-", given=whole)

    assert exported(other) == whole


def test_bad_lines_are_named_and_the_others_imported(embedded, tmp_path):
    embedded.answer("ingest", embedded.tables(*TEN[:2]), "--describe", "none")
    good = exported(embedded).splitlines()
    source = tmp_path / "back.jsonl"
    source.write_bytes(b"\n".join([good[0], b"{", b"", good[1].replace(b'"access"', b'"x"')]))
    embedded("delete", "t0", "t1")

    finished = embedded("import", source)
    report = embedded.answer("import", source, exit_code=1)

    assert finished.returncode == 1
    assert f"{source}:2: It is not JSON" in said(finished)
    assert f"{source}:4: " in said(finished)
    assert (report["imported"], report["unchanged"], report["rejected"]) == (0, 1, 2)
    assert exported(embedded).splitlines() == good[:1]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "words"),
    [
        (("export", "--json"), 2, "Name a FILE"),
        (("export", "no/such/folder/x.jsonl"), 1, "no/such/folder/x.jsonl cannot be written"),
        (("import", "absent.jsonl"), 1, "absent.jsonl: It cannot be read"),
        (("import",), 2, "Missing argument"),
        (("index", "prune", "--keep", "-1"), 2, "--keep"),
        (("index", "rollback"), 1, "No generation is kept"),
    ],
)
def test_what_is_refused_is_said_in_a_sentence(embedded, arguments, exit_code, words):
    finished = embedded(*arguments)

    assert (finished.returncode, words in said(finished)) == (exit_code, True)


def test_an_export_to_a_link_or_a_pipe_replaces_neither(embedded, tmp_path):
    embedded.answer("ingest", embedded.tables(*TEN), "--describe", "none")
    (tmp_path / "real.jsonl").write_text("old")
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")

    embedded.answer("export", "link.jsonl")
    embedded.answer("export", "/dev/null")

    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").read_bytes() == exported(embedded)
    assert Path("/dev/null").is_char_device()
    assert list(tmp_path.glob(".*.part")) == []
