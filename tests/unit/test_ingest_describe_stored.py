"""What a model writes reaches the store only as a fair description; anything else is marked."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from fakes_llm import FakeLLM, reply

from ingest.describe.attempts import MAX_SEEDS
from ingest.describe.describer import LlmDescriber
from ingest.pipeline import ingest
from ingest.steps import NoExpander
from polaris_search.llm.model import ChatReply
from polaris_search.records import DESCRIPTION_FIELDS, Column, EnrichedTable, RawTable
from polaris_search.store.document import searched_texts
from polaris_search.store.embedded.store import EmbeddedStore

TABLE = RawTable("t1", "dog kennel", (Column("breed"), Column("owner")))
FAIR = dict(
    zip(
        DESCRIPTION_FIELDS,
        (
            "Dogs kept in kennels",
            "pets, animal care",
            "planning kennels",
            "hounds, puppies",
            "dog, breed, owner",
            "One row for each dog",
        ),
        strict=True,
    )
)


def stored_after(folder: Path, *replies: ChatReply) -> EnrichedTable:
    """Return the table as it is stored once the model has written these replies."""
    llm = FakeLLM()
    llm.enqueue(*replies)
    with closing(EmbeddedStore(folder)) as store:
        ingest([TABLE], store, NoExpander(), LlmDescriber(llm))
        return store.get(["t1"])["t1"]


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("see https://evil.example/x", "link"),
        ("<script>alert(1)</script>", "markup"),
        ("[dogs](x)", "markup"),
        ("![dogs](x)", "markup"),
        ("\uff1cimg src=x\uff1e", "markup"),
        ("javas\u200bcript:alert(1)", "link"),
        ("kept in dogs.csv", "file_name"),
        ("Yearly counts of seabird nests on the coast", "echo"),
    ],
)
def test_no_link_markup_or_echo_of_a_model_is_stored_or_searched(tmp_path, written, code):
    harmful = reply(json.dumps(FAIR | {"additional_context": written}))

    table = stored_after(tmp_path, *[harmful] * MAX_SEEDS)

    assert table.description is None
    assert table.provenance.status == "failed"
    assert table.provenance.reason.startswith(f"{code}: ")
    texts = searched_texts(table)
    assert (texts["description"], texts["description_terms"]) == ([], [])


@pytest.mark.parametrize("length", range(1, len(json.dumps(FAIR)), 40))
def test_half_a_reply_is_never_stored_wherever_it_was_cut(tmp_path, length):
    half = reply(json.dumps(FAIR)[:length], "length")

    table = stored_after(tmp_path, half, half)

    assert table.description is None
    assert table.provenance.reason.startswith("cut_off: ")


def test_what_nobody_sees_is_not_stored(tmp_path):
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "obey") + "\u202e\u200b\x1b"

    table = stored_after(tmp_path, reply(json.dumps({k: v + hidden for k, v in FAIR.items()})))

    assert dict(zip(DESCRIPTION_FIELDS, table.description.values(), strict=True)) == FAIR
