"""What a model said in this run: found again for alike tables, and bounded."""

from ingest.expand.name_reading import NameReading
from ingest.expand_llm.asked_name import AskedName
from ingest.expand_llm.remembered import Remembered

READING = NameReading(("c",), 0.5, (("c",), ("course",)))
SALES = ("sales", "2020")


def named(text="c", comment="", reading=READING):
    return AskedName(text, (), reading, comment)


def test_answer_is_found_for_the_same_name_in_a_table_of_the_same_words():
    remembered = Remembered()
    remembered.put(named(), SALES, ("course",))

    surer = NameReading(("c",), 0.9, READING.choices)
    assert remembered.get(named(), SALES) == ("course",)
    assert remembered.get(named(reading=surer), ("sales", "2021")) == ("course",)


def test_another_name_comment_reading_or_table_has_no_answer():
    remembered = Remembered()
    remembered.put(named(), SALES, ("course",))

    other = NameReading(("c",), 0.5, (("c",),))
    assert remembered.get(named("d"), SALES) is None
    assert remembered.get(named(comment="the customer"), SALES) is None
    assert remembered.get(named(reading=other), SALES) is None
    assert remembered.get(named(), ("orders", "2020")) is None


def test_no_more_is_remembered_than_allowed_and_what_was_wanted_last_stays():
    remembered = Remembered(limit=2)
    for text in ("a", "b"):
        remembered.put(named(text), SALES, (text,))
    remembered.get(named("a"), SALES)

    remembered.put(named("c"), SALES, ("c",))

    found = [remembered.get(named(text), SALES) for text in ("a", "b", "c")]
    assert found == [("a",), None, ("c",)]
