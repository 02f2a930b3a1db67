"""A model's speed is kept from run to run, and a broken file is no speed."""

import pytest

from polaris_search.llm.cost import Speed
from polaris_search.llm.model import Usage
from polaris_search.llm.remembered import FILE, remember_speed, remembered_speed

USAGE = Usage(requests=100, completion_tokens=3_000, busy_s=20.0)


def test_the_last_speed_of_each_model_is_remembered(tmp_path):
    home = tmp_path / "home"
    remember_speed(home, "a", Usage(requests=50, completion_tokens=1, busy_s=1.0))
    remember_speed(home, "b", USAGE)
    remember_speed(home, "a", USAGE)

    assert remembered_speed(home, "a") == Speed(100 / 20, 3_000 / 20)
    assert remembered_speed(home, "b") == Speed(100 / 20, 3_000 / 20)
    assert remembered_speed(home, "c") is None
    assert [path.name for path in home.iterdir()] == [FILE]


@pytest.mark.parametrize(
    "usage", [Usage(), Usage(requests=19, busy_s=1.0), Usage(requests=30, failed=30, busy_s=1.0)]
)
def test_a_run_of_few_replies_leaves_the_speed_as_it_was(tmp_path, usage):
    remember_speed(tmp_path, "a", USAGE)
    remember_speed(tmp_path, "a", usage)

    assert remembered_speed(tmp_path, "a") == Speed(100 / 20, 3_000 / 20)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"a":3}', '{"a":{"calls_a_s":"x"}}', '{"a":{"calls_a_s":0}}']
)
def test_a_file_that_holds_no_speed_is_no_fault(tmp_path, text):
    (tmp_path / FILE).write_text(text)

    assert remembered_speed(tmp_path, "a") is None


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path):
    (tmp_path / "file").write_text("")

    remember_speed(tmp_path / "file", "a", USAGE)

    assert remembered_speed(tmp_path / "file", "a") is None
