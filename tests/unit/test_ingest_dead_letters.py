"""Dead letters: every rejected row as one line of JSON, in a file made only when needed."""

import json

import pytest
from fakes import FakeClock

from ingest.dead_letters import DeadLetters
from ingest.rejected import MAX_EXCERPT_CHARS, Rejected, excerpt_of


def test_a_letter_says_where_what_and_what_to_do(tmp_path):
    letters = DeadLetters(tmp_path / "home" / "letters", FakeClock())

    letters.add([Rejected("x.csv", 3, "The table_id is empty", "Give it one.", None, ",é")])
    letters.add([Rejected("x.db", None, "It cannot be read", "Check it.", "a/b")])

    assert letters.path.name == "ingest-2026-11-30t020000z.jsonl"
    first, second = map(json.loads, letters.path.read_text(encoding="utf-8").splitlines())
    assert first == {
        "source": "x.csv",
        "line": 3,
        "table_id": None,
        "problem": "The table_id is empty",
        "remedy": "Give it one.",
        "excerpt": ",é",
        "at": "2026-11-30T02:00:00Z",
    }
    assert (second["line"], second["table_id"]) == (None, "a/b")
    assert second["at"] == "2026-11-30T02:00:01Z"


def test_without_letters_there_is_no_file(tmp_path):
    letters = DeadLetters(tmp_path / "letters", FakeClock())

    letters.add([])

    assert letters.path is None
    assert list(tmp_path.iterdir()) == []


def test_two_runs_in_one_second_lose_nothing(tmp_path):
    for number in (1, 2):
        DeadLetters(tmp_path, FakeClock()).add([Rejected("x.csv", number, "Bad", "Mend it.")])

    (path,) = tmp_path.iterdir()
    assert [json.loads(line)["line"] for line in path.read_text().splitlines()] == [1, 2]


def test_names_of_files_that_are_no_utf8_can_be_written_and_printed(tmp_path):
    odd = Rejected("caf\udce9.csv", 1, "Bad", "Mend it.")
    letters = DeadLetters(tmp_path, FakeClock())

    letters.add([odd])

    assert json.loads(letters.path.read_text(encoding="utf-8"))["source"] == "caf\udce9.csv"
    assert odd.sentence == "caf\\udce9.csv:1: Bad. Mend it."


@pytest.mark.parametrize("blocked", ["home", "home/letters"])
def test_letters_that_cannot_be_kept_are_said_once_in_sentences(tmp_path, blocked):
    folder = tmp_path / "home" / "letters"
    in_the_way = tmp_path / blocked
    in_the_way.parent.mkdir(exist_ok=True)
    in_the_way.write_text("a file where a folder is wanted")
    letters = DeadLetters(folder, FakeClock())

    for number in (1, 2):
        letters.add([Rejected("x.csv", number, "Bad", "Mend it.")])

    assert letters.path is None
    assert str(folder) in letters.notice
    assert letters.notice.endswith(
        "set POLARIS_HOME to a folder that can be written, and ingest again."
    )


def test_letters_that_can_no_longer_be_kept_are_said(tmp_path):
    letters = DeadLetters(tmp_path / "letters", FakeClock())
    letters.add([Rejected("x.csv", 1, "Bad", "Mend it.")])
    path = letters.path
    path.unlink()
    path.mkdir()

    letters.add([Rejected("x.csv", 2, "Bad", "Mend it.")])

    assert letters.path is None
    assert f"{path} (Is a directory)" in letters.notice


def test_a_long_id_is_kept_whole(tmp_path):
    letters = DeadLetters(tmp_path, FakeClock())

    letters.add([Rejected("x.csv", 1, "Bad", "Mend it.", 900 * "x")])

    assert json.loads(letters.path.read_text())["table_id"] == 900 * "x"


def test_an_excerpt_is_short_and_safe_to_print():
    assert excerpt_of("a\0b\udce9\ud800é") == "a\\x00b\\xe9\\ud800é"
    assert len(excerpt_of(10_000 * "x")) == MAX_EXCERPT_CHARS
