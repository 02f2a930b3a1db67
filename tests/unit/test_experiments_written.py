"""Descriptions that a run lets a model write: by the right adapter, of the right names, once."""

import json

import pytest
from data_sets import data_set
from fakes_llm import FakeLLM

from ingest.describe.describer import DescribeSettings
from ingest.expand.lexical import LexicalExpander
from polaris_search.experiments.runs.recipes import RECIPES
from polaris_search.experiments.runs.written import Writer, named_adapters, written_system


@pytest.fixture
def folder(tmp_path):
    tables = [("a", ["EmpNo", "salary"], {}), ("b", ["river"], {})]
    return data_set(tmp_path / "one", tables, {"q": "salary"}, [("q", "a", 1)])


class Writing:
    """A writer over fake models, one for each opening; `models` are those opened."""

    def __init__(self, out):
        self.models = []
        self.said = []
        self.writer = Writer(
            self._open, DescribeSettings(), LexicalExpander(), out, 2, self.said.append
        )

    def write(self, system, folder, *adapters):
        return written_system(self.writer, RECIPES[system], [folder], named_adapters(adapters))

    @property
    def asked(self):
        return [text for model in self.models for text in map(_last_text, model.asked)]

    def _open(self, adapter):
        self.models.append(FakeLLM(adapter=adapter))
        return self.models[-1]


def _last_text(request):
    return request.messages[-1].content


def test_every_table_gets_one_description_in_a_folder_that_another_run_can_take(folder, tmp_path):
    writing = Writing(tmp_path / "out")

    system = writing.write("no-dpo", folder)

    path = tmp_path / "out" / "no-dpo" / "one.jsonl"
    assert system.files == {"one": path}
    assert set(system.descriptions["one"].descriptions) == {"a", "b"}
    assert [len(json.loads(line)["candidates"]) for line in path.read_text().splitlines()] == [1, 1]
    assert len(writing.asked) == 2


def test_a_variant_with_expansion_shows_expanded_names_and_one_without_shows_them_as_given(
    folder, tmp_path
):
    expanded, given = Writing(tmp_path / "e"), Writing(tmp_path / "g")

    expanded.write("no-dpo", folder)
    given.write("prompt-only", folder)

    assert any("employee" in text.lower() for text in expanded.asked)
    assert not any("employee" in text.lower() for text in given.asked)


def test_only_a_trained_variant_is_written_by_the_adapter(folder, tmp_path):
    writing = Writing(tmp_path / "out")

    for system in ("polaris", "no-dpo"):
        writing.write(system, folder, "one=night-1", "night-2")

    assert [model.adapter for model in writing.models] == ["night-1", None]


def test_what_is_written_is_not_asked_for_again_and_another_adapter_writes_anew(folder, tmp_path):
    writing = Writing(tmp_path / "out")
    writing.write("polaris", folder, "night-1")
    written = len(writing.asked)

    writing.write("polaris", folder, "night-1")
    again = len(writing.asked)
    system = writing.write("polaris", folder, "night-2")

    assert (written, again, len(writing.asked)) == (2, 2, 4)
    assert "0 descriptions written, 2 were there" in writing.said[1]
    line = json.loads(system.files["one"].read_text().splitlines()[0])
    assert line["candidates"][0]["adapter"] == "night-2"
