"""What becomes of a model's reply: kept, kept and called weak, or refused with a reason."""

import json

import pytest
from fakes_llm import reply

from ingest.describe.checks import harm_in, poverty_of
from ingest.describe.examples import EXAMPLES
from ingest.describe.reply import Accepted, Rejected, read_reply
from polaris_search.records import DESCRIPTION_FIELDS, Description

DOGS = Description(
    "Dogs kept in kennels, e.g. hounds",
    "pets, animal care",
    "planning kennels",
    "hounds, puppies",
    "dog, breed, owner",
    "One row for each dog. Weights are given in kg.",
)
FIELDS = dict(zip(DESCRIPTION_FIELDS, DOGS.values(), strict=True))
TEXT = json.dumps(FIELDS)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        json.dumps(FIELDS, indent=2),
        f"```json\n{TEXT}\n```",
        f"Here is the description:\n{TEXT}\nI hope it helps!",
        f"<think>The table {{x}} is about dogs.</think>\n{TEXT}",
        f"Thinking {{of}} the table.\n{TEXT}",
        json.dumps(
            FIELDS | {"applications_and_use_cases": "plan\u200bning\x00 \x1bkennels\U000e0041"}
        ),
        json.dumps(FIELDS | {"confidence": 0.9}),
        json.dumps(FIELDS | {"keywords_and_themes": ["dog", "breed", "owner"]}),
        json.dumps(FIELDS | {"planned": None}).replace("planning kennels", " planning\\n  kennels"),
    ],
)
def test_description_is_found_whatever_stands_around_it(text):
    assert read_reply(reply(text)) == Accepted(DOGS)


def test_whole_object_at_the_limit_is_no_cut():
    assert read_reply(reply(TEXT, "length")) == Accepted(DOGS)


@pytest.mark.parametrize(
    ("text", "finish_reason", "fault"),
    [
        ("", "stop", "empty"),
        (" \n ", "stop", "empty"),
        (" \n ", "length", "cut_off"),
        ("", "length", "cut_off"),
        (json.dumps(FIELDS | {"additional_context": "a" * 2_001}), "stop", "too_long"),
        (json.dumps(FIELDS | {"additional_context": "a" * 1_000_000}), "stop", "too_long"),
        (json.dumps(FIELDS | {"additional_context": "alpha beta " * 95_000}), "stop", "too_long"),
        (TEXT[:-1], "length", "cut_off"),
        ("{" + "\n" * 50, "length", "cut_off"),
        (TEXT[:-1], "stop", "invalid_json"),
        ("I cannot do that.", "stop", "invalid_json"),
        ("[1, 2]", "stop", "invalid_json"),
        ("{" * 100_000, "stop", "invalid_json"),
        ("{}", "stop", "missing_field"),
        (json.dumps(FIELDS | {"additional_context": 7}), "stop", "missing_field"),
        (json.dumps(FIELDS | {"additional_context": ["a", 7]}), "stop", "missing_field"),
        (json.dumps(dict.fromkeys(FIELDS, "")), "stop", "empty"),
        (json.dumps(dict.fromkeys(FIELDS, "1 2 3")), "stop", "empty"),
    ],
)
def test_unusable_reply_is_refused_with_its_fault(text, finish_reason, fault):
    answer = read_reply(reply(text, finish_reason))

    assert isinstance(answer, Rejected)
    assert answer.fault == fault
    assert answer.says.startswith(f"{fault}: ")


def test_missing_fields_are_named():
    answer = read_reply(reply(json.dumps({"dataset_overview": "Dogs"})))

    assert isinstance(answer, Rejected)
    assert "key_themes_or_topics, applications_and_use_cases" in answer.detail


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("see https://evil.example/x", "link"),
        ("ftp://host", "link"),
        ("see //evil/x now", "link"),
        ("10.0.0.1/admin pages", "link"),
        ("data:text/html,hello", "link"),
        ("EVIL.COM sells dogs", "link"),
        ("visit www.dogs now", "link"),
        ("javascript:alert(1)", "link"),
        ("write to a@b.example", "link"),
        ("kept at dogs.com", "link"),
        ("stored in fire_data.json", "file_name"),
        ("kept at dogs\uff0ecom", "link"),
        ("<script>alert(1)</script>", "markup"),
        ("\uff1cimg src=x onerror=y\uff1e", "markup"),
        ("</table>", "markup"),
        ("<!-- x -->", "markup"),
        ("a &lt;b&gt; c", "markup"),
        ("[dogs](x)", "markup"),
        ("{{config}}", "markup"),
        ("<|im_start|>system", "markup"),
        ("![dogs](x)", "markup"),
        ("**dogs**", "markup"),
        ("`rm -rf`", "markup"),
        ("\\\\host\\share", "markup"),
        ("[INST] dogs", "markup"),
        ("[url=x]", "markup"),
        ("## Dogs", "markup"),
        ("${dogs}", "markup"),
        ("kept at dogs.io", "link"),
        ("DOGS.AI", "link"),
        ("file:C", "link"),
        ("\u043f\u0438\u0442\u043e\u043c\u043d\u0438\u043a.\u0440\u0444", "file_name"),
        ("in DOGS.CSV", "file_name"),
        ("in 2019.xlsx", "file_name"),
        ("htt\u200bp://evil", "link"),
    ],
)
@pytest.mark.parametrize("field", DESCRIPTION_FIELDS)
def test_no_link_file_name_or_markup_passes_in_any_field(text, fault, field):
    answer = read_reply(reply(json.dumps(FIELDS | {field: f"Dogs {text} dogs"})))

    assert isinstance(answer, Rejected)
    assert answer.fault == fault


@pytest.mark.parametrize(
    "text",
    ["U.S. and E.U. figures", "version 2.0 of it", "weight < 5 kg and > 2", "R&D spending",
     "C. elegans, i.e. a worm", "the years 1990-2020; 3.5 per cent", "Dogs.", "data: by year",
     "Größe der Hunde", "設備維修"],
)  # fmt: skip
def test_plain_text_that_only_looks_odd_passes(text):
    description = Description(**(FIELDS | {"additional_context": text}))

    assert harm_in(description) is None


@pytest.mark.parametrize("example", EXAMPLES)
def test_answer_of_an_example_is_an_echo(example):
    echoed = Description(
        **(FIELDS | {"dataset_overview": example.description.dataset_overview.upper()})
    )

    harm = harm_in(echoed)

    assert harm is not None
    assert harm[0] == "echo"


def test_two_short_fields_of_an_example_are_an_echo_and_one_may_fit():
    themes, keywords = "hospital care, inpatient stays", "patient, ward, admission"
    one = FIELDS | {"key_themes_or_topics": themes}

    assert harm_in(Description(**one)) is None
    assert harm_in(Description(**(one | {"keywords_and_themes": keywords}))) == (
        "echo",
        "The reply repeats the prompt: 'hospital care inpatient stays'.",
    )


def test_the_prompts_own_words_and_the_tables_lines_are_an_echo():
    ordered = FIELDS | {"additional_context": "Six different short texts in plain English, please"}
    copied = FIELDS | {"additional_context": "name: dog kennel columns: breed, owner"}

    assert harm_in(Description(**ordered))[0] == "echo"
    assert harm_in(Description(**copied))[0] == "echo"


def test_one_field_without_words_is_borne():
    assert harm_in(Description(**(FIELDS | {"additional_context": ""}))) is None


def test_fair_text_is_not_called_poor():
    assert poverty_of(DOGS) is None


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        (["dogs kept by owners in town"] * 5 + ["cats"], "near_equal_fields"),
        # four of five words alike: 4 / 5 is enough
        (["dogs kept by owners here", *["dogs kept by owners"] * 4, "x"], "near_equal_fields"),
        (["dog 1 2 3 4 5 6 7 8 9 10 11", "a", "b", "c", "d", "e"], "digits"),
        (["dog dog dog dog dog", "dog cat cat", "ox", "dog", "dog cat", "dog"], "repeats_words"),
    ],
)
def test_poor_text_is_refused_under_its_code(texts, fault):
    description = Description(*texts)

    assert harm_in(description) is None
    assert poverty_of(description)[0] == fault
    answer = read_reply(reply(json.dumps(dict(zip(DESCRIPTION_FIELDS, texts, strict=True)))))
    assert isinstance(answer, Rejected)
    assert answer.fault == fault


def test_four_fields_that_say_the_same_are_borne():
    texts = ["dogs kept by owners in town"] * 4 + ["cats, oxen", "sheep and geese"]

    assert poverty_of(Description(*texts)) is None
