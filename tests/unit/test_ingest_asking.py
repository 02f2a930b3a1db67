"""Asking about many tables at a time: nothing lost, nothing doubled, room kept."""

from collections import Counter
from contextlib import closing

from fakes import FakeDescriber

from ingest.answer import Models, Wanted
from ingest.asking import ask
from polaris_search.errors import ServiceUnreachable
from polaris_search.records import EnrichedTable, Provenance, RawTable


def tables(count):
    for number in range(count):
        table = EnrichedTable(RawTable(f"t{number}", "n"), Provenance("h"))
        yield Wanted(table, names=False, description=True)


def test_every_table_is_answered_once_with_its_own_answer():
    describer = FakeDescriber()

    with closing(ask(Models(None, describer), tables(500), 7)) as groups:
        answers = [answer for group in groups for answer in group]

    assert Counter(answer.table.table_id for answer in answers) == {f"t{n}": 1 for n in range(500)}
    assert describer.at_once == 7


def test_no_more_tables_are_read_than_are_asked_about_and_wait():
    read = []

    def counted():
        for wanted in tables(100):
            read.append(wanted.table.table_id)
            yield wanted

    answered = 0
    with closing(ask(Models(None, FakeDescriber()), counted(), 3)) as groups:
        for group in groups:
            assert len(read) - answered <= 2 * 3
            answered += len(group)

    assert answered == len(read) == 100


def test_leaving_early_cancels_and_closes():
    describer = FakeDescriber()

    with closing(ask(Models(None, describer), tables(1000), 2)) as groups:
        next(groups)

    assert describer.closed == 1
    assert len(describer.asked) <= 2 * 2


def test_nothing_to_ask_ends_at_once():
    describer = FakeDescriber()

    assert list(ask(Models(None, describer), [], 4)) == []
    assert (describer.asked, describer.closed) == ([], 1)


def test_an_error_in_plain_words_costs_one_description_only():
    class Refusing(FakeDescriber):
        async def describe(self, table, expansion):
            if table.table_id == "t1":
                raise ServiceUnreachable("The model server does not answer. Start it.")
            return await super().describe(table, expansion)

    answers = [answer for group in ask(Models(None, Refusing()), tables(3), 1) for answer in group]

    reasons = {answer.table.table_id: answer.description.reason for answer in answers}
    assert reasons == {
        "t0": None,
        "t1": "The model server does not answer. Start it.",
        "t2": None,
    }
