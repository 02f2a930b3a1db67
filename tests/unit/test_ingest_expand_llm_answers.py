"""What a model's answer about a name is worth: letters, parts, letters of choice, whole replies."""

import json
import re

import pytest

from ingest.expand.glossary import Glossary
from ingest.expand.lexical import LexicalExpander
from ingest.expand.name_reading import NameReading
from ingest.expand_llm.asked_name import AskedName
from ingest.expand_llm.choice import ClosedChoice
from ingest.expand_llm.free import FreeWriting
from ingest.expand_llm.reply import answers_schema, read_answers
from ingest.expand_llm.stands_for import stands_for
from polaris_search.llm.wire.grammar import gbnf
from polaris_search.records import Column, RawTable

LEXICAL = LexicalExpander()
FREE, CHOICE = FreeWriting(), ClosedChoice()


def asked(text: str, *choices: str, glossary: Glossary | None = None) -> AskedName:
    """The name with these lexical readings, or its own where none are given."""
    lexical = LexicalExpander(glossary) if glossary else LEXICAL
    if not choices:
        _, reading = lexical.read(RawTable("t", "", (Column(text),)))
    else:
        words = tuple(tuple(choice.split()) for choice in choices)
        reading = NameReading(words[0], 0.5, words)
    return AskedName(text, lexical.tokens(text), reading)


# Letters


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("qty", "quantity"),
        ("amt", "amount"),
        ("custno", "customer node"),
        ("sop", "special offer product"),
        ("dob", "date of birth"),
        ("ytd", "year to date"),
        ("fname", "first name"),
        ("street", "street"),
        ("no", "number"),  # its letters say otherwise, the list of abbreviations has it
        ("lbs", "pounds"),
        ("xyz", "xyz"),
    ],
)
def test_token_stands_for_words_that_its_letters_are_pieces_of(token, words):
    assert stands_for(token, tuple(words.split()))


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("qty", "amount"),
        ("qty", "quality control"),  # t and y are not all in it
        ("amt", "the amount paid"),  # paid gives no letter
        ("cust", "our customer"),
        ("ust", "customer"),
        ("ab", "b"),
        ("ab", "of"),
        ("cust", ""),
        ("sop", "special offer"),
    ],
)
def test_token_stands_for_no_words_that_add_or_leave_out_letters(token, words):
    assert not stands_for(token, tuple(words.split()))


# Which parts of a name are a question


def test_parts_that_are_open_are_short_forms_letters_and_unknown_words():
    assert asked("C_custNm_qzx").open_tokens == ("c", "cust", "nm", "qzx")


def test_plain_words_numbers_other_scripts_and_the_glossary_are_no_question():
    glossary = Glossary({"nm": ("nautical", "miles")})

    name = asked("order_12_日期_nm_dt", glossary=glossary)

    assert name.open_tokens == ("dt",)
    assert name.with_meanings((("date",),)) == ("order", "12", "日期", "nautical", "miles", "date")


# Free writing


def test_every_part_gets_its_words_and_the_rest_of_the_name_stays():
    name = asked("order_cust_no_2")

    assert FREE.words(name, "cust=customer, no=number") == ("order", "customer", "number", "2")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "cust=customer",  # a part is missing
        "no=number, cust=customer",  # not in order
        "cust=customer, no=number, no=number",
        "cust=, no=number",
        "cust=client, no=number",  # the letters say otherwise
        "cust=customer http://evil.example, no=number",
        "cust=<b>customer</b>, no=number",
        "cust=customer1, no=number",
        "customer number",
        "cust=c u s t o m e, no=number",  # more words than a part may have
    ],
)
def test_answer_that_is_not_whole_or_not_possible_is_no_answer(answer):
    assert FREE.words(asked("cust_no"), answer) is None


def test_answers_are_read_as_servers_without_constraints_write_them():
    name = asked("cust_ord_no")

    assert FREE.words(name, " Cust = Customer ,ord=Order, NO=number") == (
        "customer",
        "order",
        "number",
    )
    assert FREE.words(asked("order_cust"), "customer") == ("order", "customer")
    assert FREE.words(asked("order_cust"), "order=order, cust=customer") == ("order", "customer")


def test_glossary_wins_over_whatever_a_model_writes():
    name = asked("cust_nm", glossary=Glossary({"nm": ("nautical", "miles")}))

    assert FREE.words(name, "cust=customer, nm=name") == ("customer", "nautical", "miles")


def test_names_of_too_many_or_too_long_parts_are_not_asked_about():
    assert not FREE.can_ask(asked("q_" * 9))
    assert not FREE.can_ask(asked("qx" * 15))
    assert not FREE.can_ask(asked("order date"))
    assert FREE.can_ask(asked("q_" * 8))


# Closed choice


def test_letter_chooses_a_lexical_reading():
    name = asked("c_id", "customer id", "company id")

    assert CHOICE.line(name) == "c_id: (a) customer id (b) company id"
    assert CHOICE.words(name, "b") == ("company", "id")
    assert CHOICE.words(name, " (A) ") == ("customer", "id")


@pytest.mark.parametrize("answer", ["", "c", "ab", "customer id", "1"])
def test_whatever_chooses_nothing_is_no_answer(answer):
    assert CHOICE.words(asked("c_id", "customer id", "company id"), answer) is None


def test_one_reading_is_no_choice():
    assert not CHOICE.can_ask(asked("c_id", "customer id"))
    assert not CHOICE.can_ask(asked("c_id", "x" * 150, "y" * 150))


# Replies


def test_reply_gives_each_name_its_answer():
    names = [asked("cust_no"), asked("ord_dt")]
    text = json.dumps({"1": "cust=customer, no=number", "2": "ord=order, dt=date"})

    assert read_answers(FREE, names, text) == {
        names[0]: ("customer", "number"),
        names[1]: ("order", "date"),
    }


@pytest.mark.parametrize(
    "text",
    [
        'Sure! ```json\n{"1": "cust=customer", "2": "ord=ord',  # prose, fences, cut
        '{"1":"cust=customer","1":"cust=custard","2":7}',
        '{"columns":{"1":"cust=customer"},"2":["ord=order"]}',
        '{"1":"cust=customer","2":"ord=\\u006frder","3":"ord=order"}',
    ],
)
def test_answers_that_are_whole_are_kept_from_any_reply(text):
    names = [asked("cust"), asked("ord")]

    assert read_answers(FREE, names, text) == {names[0]: ("customer",)}


@pytest.mark.parametrize("text", ["", "null", "[]", "{", "{" * 50_000, '"1":"' * 20_000])
def test_reply_without_answers_has_none(text):
    assert read_answers(FREE, [asked("cust")], text) == {}


MANY = [asked("q_" * 8, *(f"a{letter}" for letter in "abcdefgh")) for _ in range(10)]


@pytest.mark.parametrize("design", [FREE, CHOICE], ids=lambda design: design.name)
def test_schema_asks_for_one_text_a_name_and_becomes_a_grammar(design):
    schema = answers_schema(design, MANY)

    assert schema["required"] == [str(number) for number in range(1, 11)]
    assert schema["additionalProperties"] is False
    assert gbnf(schema) is not None


def test_schema_leaves_no_room_for_more_parts_or_letters_than_the_names_have():
    names = [asked("cust_no", "customer number", "cust no"), asked("dt", "date")]

    assert re.fullmatch(FREE.pattern(names), "cust=customer, no=number")
    assert not re.fullmatch(FREE.pattern(names), "cust=customer, no=number, dt=date")
    assert re.fullmatch(CHOICE.pattern(names), "b")
    assert not re.fullmatch(CHOICE.pattern(names), "c")


@pytest.mark.parametrize("design", [FREE, CHOICE], ids=lambda design: design.name)
def test_examples_of_the_prompt_obey_the_schema_that_is_asked_for(design):
    answers = [turn.content for turn in design.fixed_part if turn.role == "assistant"]

    assert len(answers) >= 2
    for answer in answers:
        for text in json.loads(answer).values():
            assert re.fullmatch(design.pattern(MANY), text)


def test_examples_of_free_writing_keep_its_own_rules():
    for asked_turn, answer in zip(FREE.fixed_part[1::2], FREE.fixed_part[2::2], strict=True):
        for text in json.loads(answer.content).values():
            for part in text.split(", "):
                token, words = part.split("=")
                assert stands_for(token, tuple(words.split()))
                assert token in asked_turn.content
