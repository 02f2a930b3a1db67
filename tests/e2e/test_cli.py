"""Whole commands as a person runs them: a process, its output, its exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
N_DEMO = 36  # queries of examples/demo


@pytest.fixture
def polaris(tmp_path):
    """Run polaris-admin in a folder of its own, on an embedded store there."""

    def run(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "polaris_search.cli.main", *map(str, arguments)],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "COLUMNS": "200", **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def answer_of(finished, exit_code=0):
    assert finished.returncode == exit_code, finished.stderr
    return json.loads(finished.stdout)


def write_tables(folder, *rows):
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path = folder / "tables.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def ranked(polaris, query, *options):
    return [
        hit["table_id"] for hit in answer_of(polaris("search", query, "--json", *options))["hits"]
    ]


def test_tables_are_ingested_found_shown_and_deleted(polaris, tmp_path):
    source = write_tables(
        tmp_path,
        {"table_id": "hr/emp", "name": "ActEmployees", "columns": ["EID", "SAL"], "database": "hr"},
        {
            "table_id": "shop/ord",
            "name": "SalesOrders",
            "columns": ["ord_id", "qty"],
            "database": "shop",
        },
    )

    ingested = answer_of(polaris("ingest", source, "--json"))
    found = answer_of(polaris("search", "employees", "--json"))
    shown = answer_of(polaris("show", "hr/emp", "--json"))
    deleted = answer_of(polaris("delete", "hr/emp", "--json"))

    assert (ingested["seen"], ingested["stored"], ingested["rejected"]) == (2, 2, 0)
    assert found["hits"][0]["table_id"] == "hr/emp"
    assert set(found) == {"query_id", "took_ms", "total", "hits", "notices"}
    assert shown["raw"]["columns"][1]["name"] == "SAL"
    assert deleted == {"deleted": 1, "missing": []}
    assert "hr/emp" not in ranked(polaris, "employees")


def test_a_second_ingest_of_the_same_source_changes_nothing(polaris, tmp_path):
    source = write_tables(tmp_path, {"table_id": "t", "name": "n", "columns": ["c"]})
    polaris("ingest", source)

    again = answer_of(polaris("ingest", source, "--json"))

    assert (again["stored"], again["unchanged"]) == (0, 1)


def test_a_bad_row_is_reported_the_good_ones_are_stored_and_the_exit_code_is_1(polaris, tmp_path):
    source = tmp_path / "metadata.csv"
    source.write_text(
        'table_id,table_name,column_names\na,A,"[""x""]"\n,B,[]\na,C,[]\nd,D,not json\ne,E,[]\n'
    )

    finished = polaris("ingest", source, "--json")
    report = answer_of(finished, exit_code=1)

    assert (report["stored"], report["rejected"]) == (2, 3)
    assert [rejected["line"] for rejected in report["first_rejected"]] == [3, 4, 5]
    assert Path(tmp_path, report["dead_letters"]).read_text().count("\n") == 3


@pytest.mark.parametrize(
    ("arguments", "exit_code", "words"),
    [
        (("show", "absent"), 1, "No table 'absent'"),
        (("delete", "absent"), 1, ""),
        (("ingest", "absent.csv"), 1, "absent.csv"),
        (("search", "x", "--profile", "papre"), 2, "No query profile 'papre'"),
        (("search", "x", "--filter", "colour=red"), 2, "FIELD=VALUE"),
        (("search", "x", "--size", "0"), 2, "1 to 10000"),
        (("search",), 2, "Missing argument"),
        (("ingest", "x", "--partition", "3/2"), 2, "I/N"),
        (("evaluate", "absent"), 1, "absent"),
    ],
)
def test_what_is_refused_is_said_in_a_sentence_without_a_trace(
    polaris, arguments, exit_code, words
):
    finished = polaris(*arguments)

    assert finished.returncode == exit_code
    assert words in finished.stderr
    assert "Traceback" not in finished.stderr


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "https://127.0.0.1:1"])
def test_a_server_that_does_not_answer_is_exit_code_3(polaris, url):
    finished = polaris("search", "x", POLARIS_STORE=url)

    assert finished.returncode == 3
    assert "127.0.0.1:1" in finished.stderr
    assert "Traceback" not in finished.stderr


@pytest.mark.parametrize(
    "query", ["/foo", "a/b", "(", '"a*', "&", "AND OR", "foo:bar", "\\", "to be", "", "\udcff"]
)
@pytest.mark.parametrize("profile", ["default", "paper"])
def test_no_text_in_the_box_is_an_error(polaris, tmp_path, query, profile):
    polaris(
        "ingest", write_tables(tmp_path, {"table_id": "t", "name": "SalesRegion", "columns": []})
    )

    finished = polaris("search", query, "--profile", profile, "--json")

    assert finished.returncode == 0, finished.stderr


def test_every_hit_says_why_it_matched_and_explain_adds_up(polaris, tmp_path):
    polaris(
        "ingest",
        write_tables(tmp_path, {"table_id": "t", "name": "n", "columns": ["x_a", "x_b", "x_c"]}),
    )

    (hit,) = answer_of(polaris("search", "x", "--json", "--explain"))["hits"]

    assert hit["columns"] == {"total": 3, "names": ["x_a", "x_b", "x_c"]}
    assert hit["why"] == ["columns"]
    assert sum(part["score"] for part in hit["explanation"]) == pytest.approx(
        hit["score"], rel=1e-6
    )


def test_search_starts_without_the_client_the_training_stack_or_the_model_client(polaris, tmp_path):
    polaris("ingest", write_tables(tmp_path, {"table_id": "t", "name": "n", "columns": []}))
    code = (
        "import sys; from polaris_search.cli.main import app\n"
        "app(['search', 'n', '--json'], standalone_mode=False)\n"
        "heavy = ('torch', 'transformers', 'elasticsearch', 'huggingface_hub', 'sqlalchemy')\n"
        "print([name for name in heavy if name in sys.modules])"
    )

    finished = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    )

    assert finished.stdout.splitlines()[-1] == "[]"


def test_help_starts_without_numpy(tmp_path):
    code = (
        "import sys; from polaris_search.cli.main import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: print('numpy' in sys.modules, 'sqlalchemy' in sys.modules)"
    )

    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert finished.stdout.splitlines()[-1] == "False False"


def test_evaluate_prints_the_documented_shape_and_leaves_the_live_tables_alone(polaris, tmp_path):
    run, per_query = tmp_path / "out.run", tmp_path / "out.csv"

    report = answer_of(
        polaris(
            "evaluate",
            ROOT / "examples" / "demo",
            "--profile",
            "paper",
            "--expand",
            "none",
            "--describe",
            "none",
            "--measures",
            "nDCG@10 R@100",
            "--run",
            run,
            "--per-query",
            per_query,
            "--json",
        )
    )

    assert list(report["measures"]) == ["nDCG@10", "R@100"]
    assert (report["dataset"], report["profile"], report["queries"]) == ("demo", "paper", N_DEMO)
    assert all(len(line.split()) == 6 for line in run.read_text().splitlines())
    assert len(per_query.read_text().splitlines()) == N_DEMO + 1
    assert ranked(polaris, "police expenditures") == []


def test_evaluate_expansion_prints_the_documented_shape(polaris, tmp_path):
    gold = tmp_path / "shop.csv"
    gold.write_text(
        "table_name,column_name,expansion\nSalesOrder,order_id,order id\nSalesOrder,qty,quantity\n"
    )

    report = answer_of(polaris("evaluate-expansion", gold, "--expand", "none", "--json"))

    assert list(report) == ["set", "columns", "exact_match", "f1", "names_per_second"]
    assert (report["set"], report["columns"], report["exact_match"]) == ("shop", 2, 1 / 2)


def test_doctor_says_what_is_in_force_and_where_it_comes_from(polaris):
    report = answer_of(polaris("doctor", "--json", POLARIS_PROFILE="paper"))
    origins = {
        setting["name"]: (setting["value"], setting["origin"]) for setting in report["settings"]
    }

    assert report["ok"]
    assert origins["POLARIS_PROFILE"] == ("paper", "environment")
    assert origins["POLARIS_STORE"] == ("file:./polaris-data", "default")


def test_doctor_exits_3_when_the_store_does_not_answer(polaris):
    report = answer_of(polaris("doctor", "--json", POLARIS_STORE="http://127.0.0.1:1"), exit_code=3)

    assert [check["name"] for check in report["checks"] if not check["ok"]] == ["store"]


def test_sync_removes_what_the_source_lost_and_asks_before_it_removes_much(polaris, tmp_path):
    rows = [{"table_id": f"t{n}", "name": f"n{n}", "columns": []} for n in range(10)]
    polaris("ingest", write_tables(tmp_path, *rows))

    one_gone = answer_of(polaris("ingest", write_tables(tmp_path, *rows[1:]), "--sync", "--json"))
    many_gone = polaris("ingest", write_tables(tmp_path, *rows[5:]), "--sync")

    assert one_gone["removed"] == 1
    assert many_gone.returncode == 1
    assert "--yes" in many_gone.stderr


def test_a_refused_sync_comes_after_the_report_of_everything_else(polaris, tmp_path):
    source = write_tables(tmp_path, {"table_id": "t", "name": "n", "columns": []}, {"name": "lost"})

    finished = polaris("ingest", source, "--sync", "--json")

    assert answer_of(finished, exit_code=1)["stored"] == 1
    assert "--sync again" in finished.stderr


def test_explain_of_a_search_without_hits_is_an_empty_answer(polaris):
    assert answer_of(polaris("search", "zzqx", "--explain", "--json"))["hits"] == []


def test_an_empty_store_is_told_from_a_search_without_hits(polaris):
    assert "holds no tables yet" in polaris("search", "x").stderr


@pytest.mark.parametrize(
    "outputs", [("--run", "out", "--per-query", "out"), ("--run", "data/qrels.csv")]
)
def test_evaluate_refuses_an_output_that_would_overwrite_another_file_of_its_own(
    polaris, tmp_path, outputs
):
    (tmp_path / "data").mkdir()

    finished = polaris("evaluate", "data", *outputs)

    assert finished.returncode == 2
    assert "Name another" in finished.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_said_in_a_sentence(polaris, tmp_path):
    with open("/dev/full", "w") as full:
        finished = subprocess.run(
            [sys.executable, "-m", "polaris_search.cli.main", "search", "x", "--json"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert finished.returncode == 1
    assert "cannot be written" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_names_with_control_characters_do_nothing_to_the_terminal(polaris, tmp_path):
    polaris(
        "ingest", write_tables(tmp_path, {"table_id": "t", "name": "red\x1b[31m", "columns": []})
    )

    assert "\x1b" not in polaris("search", "red").stdout
    assert "\\x1b" in polaris("show", "t").stdout


def test_any_name_can_be_printed_whatever_the_terminal_can_show(polaris, tmp_path):
    polaris(
        "ingest", write_tables(tmp_path, {"table_id": "日本/😀", "name": "設備", "columns": []})
    )

    finished = polaris("show", "日本/😀", PYTHONIOENCODING="latin-1", PYTHONUTF8="0")

    assert finished.returncode == 0, finished.stderr


def test_a_terminated_evaluate_tidies_up_and_exits_143(polaris, tmp_path):
    code = (
        "import os, signal, sys; from polaris_search.cli import main\n"
        "sys.argv = ['polaris-admin', '--help']\n"
        "main.app = lambda **_: os.kill(os.getpid(), signal.SIGTERM)\n"
        "try: main.main()\n"
        "finally: print('tidied up')"
    )

    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert (finished.returncode, finished.stdout) == (143, "tidied up\n")


def test_tables_are_stored_where_the_model_server_does_not_answer_and_the_exit_code_is_3(
    polaris, tmp_path
):
    source = write_tables(tmp_path, {"table_id": "t", "name": "SalesRegion", "columns": []})

    finished = polaris("ingest", source, "--json", POLARIS_LLM_URL="http://127.0.0.1:1")

    assert answer_of(finished, exit_code=3)["stored"] == 1
    assert "127.0.0.1:1" in finished.stderr
    assert ranked(polaris, "region") == ["t"]


def test_descriptions_asked_for_without_a_model_are_refused(polaris, tmp_path):
    source = write_tables(tmp_path, {"table_id": "t", "name": "n", "columns": []})

    finished = polaris("ingest", source, "--describe", "llm")

    assert finished.returncode == 2
    assert "POLARIS_LLM_URL" in finished.stderr


def test_doctor_says_what_the_local_kind_lacks(polaris):
    report = answer_of(
        polaris(
            "doctor", "--json", POLARIS_LLM_KIND="local", POLARIS_LOCAL_MODEL="/absent/model.gguf"
        ),
        exit_code=2,
    )

    (failed,) = [check for check in report["checks"] if not check["ok"]]
    assert (failed["name"], "/absent/model.gguf" in failed["found"]) == ("model server", True)
