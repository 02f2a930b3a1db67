"""Tables described by a real model on a served address: as llama.cpp and as TGI let it be asked.

The text is poor, the form must be right, whatever the table and however little room there is.
"""

import asyncio
import re

import pytest

from ingest.describe.describer import DescribeSettings, LlmDescriber
from ingest.describe.schema import description_schema
from ingest.steps import DescribeOutcome
from polaris_search.llm.opening import open_chat_model
from polaris_search.records import Column, RawTable
from polaris_search.settings import read_settings

pytestmark = pytest.mark.llm

ROOMY = DescribeSettings(max_tokens=160, tokens_a_word=3.6, table_tokens=160)
KENNELS = RawTable("t1", "dog kennels", (Column("breed"), Column("owner")))


@pytest.fixture(params=["llamacpp", "tgi"])
def settings(request: pytest.FixtureRequest):
    kind = request.param
    url = request.getfixturevalue("tgi_url" if kind == "tgi" else "llama")
    return read_settings(
        {
            "POLARIS_LLM_KIND": kind,
            "POLARIS_LLM_URL": url if isinstance(url, str) else url.url,
            "POLARIS_LLM_TIMEOUT_S": "120",
        }
    )


def described(settings, lengths: DescribeSettings, *tables: RawTable) -> list[DescribeOutcome]:
    async def run():
        chat_model = open_chat_model(settings)
        assert chat_model is not None
        describer = LlmDescriber(chat_model, lengths)
        try:
            return await asyncio.gather(*(describer.describe(table, None) for table in tables))
        finally:
            await describer.close()

    return asyncio.run(run())


def test_too_few_tokens_end_in_a_whole_description_or_in_a_reason(settings):
    cramped = DescribeSettings(max_tokens=60, tokens_a_word=1.0, table_tokens=60)

    (outcome,) = described(settings, cramped, KENNELS)

    # Six fields of two words do not fit 60 tokens; the cut reply is asked for again with more.
    assert outcome.completion_tokens > 60
    if outcome.description is None:
        assert outcome.reason.startswith("cut_off: ")
    else:
        assert all(text.strip() for text in outcome.description.values())


def test_three_thousand_columns_fit_a_small_context_and_what_was_left_out_is_said(settings):
    wide = RawTable("t2", "readings", tuple(Column(f"measurement_of_{n:05}") for n in range(3000)))
    greedy = DescribeSettings(max_tokens=160, tokens_a_word=3.6, table_tokens=100_000)

    (outcome,) = described(settings, greedy, wide)

    assert outcome.reason is None
    pattern = description_schema(160, 3.6)["properties"]["dataset_overview"]["pattern"]
    assert all(re.search(pattern, text) for text in outcome.description.values())
    assert any("columns" in notice for notice in outcome.notices)
