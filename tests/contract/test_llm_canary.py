"""What a look at a real model shows: the schema holds, and the adapter asked for is the one."""

import pytest
from made_up_adapter import ADAPTER

from polaris_search.errors import UsageError
from polaris_search.llm.opening import open_chat_model
from polaris_search.llm.report import server_reports
from polaris_search.settings import read_settings

pytestmark = pytest.mark.llm


def settings(kind: str, url: str, adapter: str = ""):
    told = {"POLARIS_LLM_KIND": kind, "POLARIS_LLM_URL": url, "POLARIS_LLM_MODEL": adapter}
    return read_settings(told | {"POLARIS_LLM_TIMEOUT_S": "60"})


def verdicts(kind: str, url: str, adapter: str = "") -> dict[str, str]:
    (report,) = server_reports(settings(kind, url, adapter))
    assert report.error is None, report.error
    return {finding.about: finding.verdict for finding in report.findings}


def test_a_wrong_adapter_is_refused_by_what_the_model_writes(tgi_url):
    with pytest.raises(UsageError, match=r"'polaris-typo'.* word for word .* base model"):
        open_chat_model(settings("tgi", tgi_url, "polaris-typo"))


def test_an_adapter_that_writes_is_seen_to_and_the_schema_to_hold(tgi_url):
    assert verdicts("tgi", tgi_url, ADAPTER) == {
        "structured output": "seen",
        "adapter": "seen",
        "context length": "told",
    }


def test_llamacpp_holds_to_a_schema_and_its_list_of_adapters_is_believed(llama):
    assert verdicts("llamacpp", llama.url, ADAPTER) == {
        "structured output": "seen",
        "adapter": "told",
        "context length": "told",
    }


@pytest.mark.parametrize("kind", ["vllm", "openai"])
def test_tgi_asked_in_anothers_shape_is_refused_with_the_setting_to_correct(tgi_url, kind):
    name = "HuggingFaceTB/SmolLM2-135M-Instruct"

    with pytest.raises(UsageError, match=f"shape of {kind} is refused: .*Check POLARIS_LLM_KIND"):
        open_chat_model(settings(kind, tgi_url, name))


def test_llamacpp_understands_the_shape_of_openai(llama):
    assert verdicts("openai", llama.url)["structured output"] == "seen"
