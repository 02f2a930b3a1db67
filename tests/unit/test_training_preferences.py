import json

import pytest
from training_pairs import pair, pair_of, write_pairs

from polaris_search.llm.model import ChatMessage
from trainer.training.data.preferences import read_preferences
from trainer.training.problems import PairsInvalid


def lines(tmp_path, *records):
    texts = (one if isinstance(one, str) else json.dumps(one) for one in records)
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_pairs_are_read_in_order_with_the_line_each_stands_on(tmp_path):
    file = read_preferences(lines(tmp_path, pair("p", "a", "b"), "", pair("q", "c", "d")))

    assert [(one.place, one.line, one.chosen, one.rejected) for one in file.pairs] == [
        (0, 1, "a", "b"),
        (1, 3, "c", "d"),
    ]
    assert file.pairs[0].prompt == (
        ChatMessage("system", "Describe the table."),
        ChatMessage("user", "p"),
    )
    assert (file.read, file.dropped) == (2, ())


def test_equal_replies_and_repeated_pairs_are_left_out_and_named(tmp_path):
    file = read_preferences(
        lines(tmp_path, pair("p", "a", "a"), pair("p", "a", "b"), pair("p", "a", "b"))
    )

    assert [(one.line, one.reason) for one in file.dropped] == [
        (1, "chosen and rejected are the same text"),
        (3, "the same pair as line 2"),
    ]
    assert [one.line for one in file.pairs] == [2]


def test_an_empty_file_is_refused_with_the_shape_of_a_line(tmp_path):
    with pytest.raises(PairsInvalid, match=r"it is empty\. A line is \{\"prompt\""):
        read_preferences(lines(tmp_path))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(PairsInvalid, match="cannot be read"):
        read_preferences(tmp_path / "none.jsonl")


def turns(*roles):
    return pair("p", "a", "b") | {"prompt": [{"role": one, "content": "t"} for one in roles]}


def without(key):
    return {name: one for name, one in pair("p", "a", "b").items() if name != key}


def reply(role, content):
    return pair("p", "a", "b") | {"chosen": [{"role": role, "content": content}]}


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ('{"prompt": [', "it is no JSON"),
        ("[1]", "it is no JSON object"),
        ("null", "it is no JSON object"),
        (without("rejected"), "it has no rejected"),
        (pair("p", "a", "b") | {"prompt": "a text"}, "prompt is no list of messages"),
        (pair("p", "a", "b") | {"prompt": []}, "prompt has no message"),
        (pair("p", "a", "b") | {"chosen": "a text"}, "chosen is no list of messages"),
        (turns("user", "assistant"), "prompt has the roles user, assistant"),
        (turns("user", "system"), "prompt has the roles user, system"),
        (turns("user", "user"), "prompt has the roles user, user"),
        (turns("system"), "prompt has the roles system"),
        (turns("human"), "prompt has the roles human"),
        (reply("user", "a"), "chosen has the roles user; one assistant's message"),
        (reply("assistant", " \n"), "message 1 of chosen has an empty text"),
        (reply("assistant", None), "message 1 of chosen has no text as its content"),
        (
            reply("assistant", "a\0b"),
            "message 1 of chosen holds a NUL character or half a surrogate pair",
        ),
        (
            reply("assistant", "\ud800"),
            "message 1 of chosen holds a NUL character or half a surrogate pair",
        ),
        (pair("p", "a", "b") | {"images": ["x.png"]}, "it has images"),
    ],
)
def test_a_line_that_is_no_pair_is_named_with_its_reason(tmp_path, record, reason):
    with pytest.raises(PairsInvalid) as refused:
        read_preferences(lines(tmp_path, pair_of(0), record))

    assert f"line 2: {reason}" in str(refused.value)


def test_lines_with_the_same_fault_are_named_together_and_counted(tmp_path):
    with pytest.raises(PairsInvalid) as refused:
        read_preferences(lines(tmp_path, *["x"] * 12, "[1]", "x"))

    assert refused.value.faults == (
        "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more: it is no JSON",
        "line 13: it is no JSON object",
    )


def test_a_line_nested_too_deeply_is_a_fault_of_that_line(tmp_path):
    with pytest.raises(PairsInvalid, match="line 1: it is no JSON"):
        read_preferences(lines(tmp_path, "[" * 100_000))


def test_bytes_that_are_no_utf8_are_a_fault_of_their_line(tmp_path):
    path = write_pairs(tmp_path / "pairs.jsonl", [pair_of(0)])
    path.write_bytes(path.read_bytes() + b'{"prompt": "\xff"}\n')

    with pytest.raises(PairsInvalid, match="line 2: it is not UTF-8"):
        read_preferences(path)
