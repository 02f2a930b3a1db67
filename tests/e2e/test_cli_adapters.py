"""`polaris-admin adapters` as a person runs it, without any server."""

import json
from pathlib import Path

import pytest
from commands import Commands
from peft_folder import peft_folder

NAMES = ("night-1", "night-2")


@pytest.fixture
def polaris(tmp_path: Path) -> Commands:
    """A home with two candidates."""
    commands = Commands(tmp_path, f"file:{tmp_path / 'store'}")
    for seed, name in enumerate(NAMES):
        folder = peft_folder(tmp_path / name, seed=seed, name=name)
        assert commands.answer("adapters", "add", folder)["state"] == "candidate"
    return commands


def judge(polaris: Commands, name: str, verdict: str) -> None:
    report = {"verdict": verdict, "reasons": ["nDCG@10 is 0.61, it was 0.60."]}
    path = polaris.folder / "polaris-data" / "adapters" / name / "gate.json"
    path.write_text(json.dumps(report))


def listed(polaris: Commands) -> dict[str, str]:
    return {one["name"]: one["state"] for one in polaris.answer("adapters", "list")["adapters"]}


def said(finished) -> str:
    assert b"Traceback" not in finished.stderr
    return " ".join((finished.stdout + finished.stderr).decode().split())


def test_from_candidate_to_in_use_and_back(polaris):
    judge(polaris, "night-1", "promote")
    judge(polaris, "night-2", "promote")

    first = polaris.answer("adapters", "promote", "night-1")
    second = polaris.answer("adapters", "promote", "night-2")
    in_use = polaris.answer("adapters", "list")["current"]
    back = polaris.answer("adapters", "rollback")

    assert (first["adapter"], first["was"]) == ("night-1", None)
    assert (second["adapter"], second["was"]) == ("night-2", "night-1")
    assert in_use == "night-2"
    assert (back["adapter"], back["how"]) == ("night-1", "rolled back")
    assert listed(polaris) == {"night-1": "promoted", "night-2": "retired"}


def test_a_refused_adapter_exits_1_with_the_reason_and_needs_one_to_be_forced(polaris):
    judge(polaris, "night-1", "refuse")

    refused = polaris("adapters", "promote", "night-1")
    forced = polaris("adapters", "promote", "night-1", "--force", "checked by hand")

    assert refused.returncode == 1
    assert "refused 'night-1': nDCG@10 is 0.61, it was 0.60." in said(refused)
    assert forced.returncode == 0
    assert "night-1 is in use; before it was the base model." in said(forced)
    assert "forced: checked by hand" in said(polaris("adapters", "show", "night-1"))


def test_of_two_commands_that_are_started_at_once_one_wins_and_the_other_gets_a_sentence(polaris):
    for name in NAMES:
        judge(polaris, name, "promote")

    processes = {name: polaris.start("adapters", "promote", name) for name in NAMES}
    told = {name: process.communicate()[1] for name, process in processes.items()}

    (won,) = [name for name, process in processes.items() if process.returncode == 0]
    (lost,) = [name for name, process in processes.items() if process.returncode == 1]
    assert polaris.answer("adapters", "list")["current"] == won
    assert "another process" in told[lost].lower()


def test_a_list_and_a_page_show_where_an_adapter_came_from(polaris):
    table = said(polaris("adapters", "list"))
    page = said(polaris("adapters", "show", "night-1"))
    document = polaris.answer("adapters", "show", "night-1")

    assert "night-1 candidate - toy-llama base 24 1.250" in table
    assert "In use: none, the base model writes." in table
    assert "rank 4, alpha 8" in page
    assert "reference the base model" in page
    assert document["record"]["packages"] == {"trl": "1.16.0"}
    assert document["history"] == []


def test_an_adapter_that_began_from_another_shows_what_it_was_measured_against(polaris, tmp_path):
    from peft_folder import record

    from trainer.adapters.record import write_record

    folder = peft_folder(tmp_path / "later")
    write_record(folder, record("night-3", parent="night-2", reference="night-2"))
    polaris.answer("adapters", "add", folder)

    page = said(polaris("adapters", "show", "night-3"))

    assert "began from night-2" in page
    assert "reference night-2: preferences were measured against that adapter" in page


def test_the_saved_folder_with_a_reference_copy_never_gets_in(polaris, tmp_path):
    folder = peft_folder(tmp_path / "double", name="night-3")
    peft_folder(folder / "ref")

    refused = polaris("adapters", "add", folder)

    assert refused.returncode == 1
    assert "it has a second adapter in it, 'ref'" in said(refused)
    assert set(listed(polaris)) == set(NAMES)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "sentence"),
    [
        (["show", "night-9"], 2, "No adapter 'night-9' in the registry. The last ones: night-1"),
        (["promote", "night-1"], 1, "No gate has judged 'night-1'."),
        (["rollback"], 1, "No adapter is in use"),
        (["publish"], 2, "No adapter is in use. Name the one to publish"),
        (["publish", "night-1"], 2, "A server of kind openai cannot be given adapters."),
        (["add", "nowhere"], 1, "there is no adapter_config.json"),
        (["add", "night-1"], 2, "A name is never used twice"),
        (["add", "night-1", "--name", ""], 2, "'' cannot name an adapter."),
        (["add", "night-1", "--name", "current.json"], 2, "'current.json' cannot name an adapter."),
        (["promote", "night-1", "--force", " "], 2, "--force needs a reason"),
        (["publish", "night-1", "--force", ""], 2, "--force needs a reason"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(polaris, arguments, exit_code, sentence):
    judge(polaris, "night-2", "promote")
    more = ["--force", "a test"] if arguments == ["publish", "night-1"] else []

    finished = polaris("adapters", *arguments, *more)

    assert finished.returncode == exit_code
    assert sentence in said(finished)


def test_an_empty_registry_says_how_to_fill_it(tmp_path):
    empty = Commands(tmp_path, f"file:{tmp_path / 'store'}")

    assert "No adapters yet." in said(empty("adapters", "list"))
    assert empty.answer("adapters", "list") == {"current": None, "adapters": []}


def test_doctor_says_which_adapter_writes(polaris):
    judge(polaris, "night-1", "promote")

    before = adapter_check(polaris.answer("doctor"))
    polaris.answer("adapters", "promote", "night-1")
    after = adapter_check(polaris.answer("doctor", POLARIS_LLM_KIND="vllm"))
    named = adapter_check(
        polaris.answer("doctor", POLARIS_ADAPTER="night-2", POLARIS_LLM_KIND="tgi")
    )

    assert before["found"] == "none; the base model writes"
    assert after["found"].startswith("night-1, in use since 20")
    assert named["found"] == "night-2, as POLARIS_ADAPTER names it"


def test_an_adapter_that_is_not_there_is_told_once_and_where_to_look(polaris):
    local = {"POLARIS_LLM_KIND": "local", "POLARIS_ADAPTER": "nosuch"}

    report = polaris.answer("doctor", exit_code=2, **local)

    (told,) = [one for one in report["checks"] if "nosuch" in one["found"]]
    assert told["name"] == "adapter"
    assert "`polaris-admin adapters list` shows those that it has" in told["found"]
    assert [one["name"] for one in report["checks"] if not one["ok"]] == ["model server", "adapter"]


def test_a_registry_file_whose_parts_disagree_is_refused_by_list_and_doctor_alike(polaris):
    path = polaris.folder / "polaris-data" / "adapters" / "current.json"
    path.write_text('{"current": "night-1", "history": []}')

    listing = polaris("adapters", "list")
    check = adapter_check(polaris.answer("doctor", exit_code=1))

    assert listing.returncode == 1
    assert not check["ok"]
    assert said(listing) == f"Error: {check['found']}"


def test_gone_back_to_from_the_base_model_an_adapter_is_in_use_again(polaris):
    judge(polaris, "night-1", "promote")
    for command in (["promote", "night-1"], ["rollback"]):
        assert polaris("adapters", *command).returncode == 0

    back = said(polaris("adapters", "rollback", "night-1"))

    assert "night-1 is in use again; it was the base model." in back


def adapter_check(report: dict) -> dict:
    (check,) = [one for one in report["checks"] if one["name"] == "adapter"]
    return check
