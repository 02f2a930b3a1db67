"""What a small model's descriptions are worth: are all valid, and do they harm the retrieval?

    python bench/descriptions.py FOLDER... --kept FOLDER [--slots 8]

Each FOLDER holds metadata.csv, and queries.csv and qrels.csv where retrieval is to be measured. Its
tables are expanded by the lexical expander and described by the model that the settings name, by
the local one where they name none, into an embedded store. The model's replies are kept, so that a
second run asks only what is new; so are the descriptions, SET.jsonl, as `evaluate --descriptions`
reads them. Then nDCG@10 with them and without. Exits 1 where a stored description is not valid, or
the default profile loses more than .005.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from kept_replies import KeptReplies
from retrieval_gain import LARGEST_FALL, PROFILES, Figures, figures

from ingest.describe.describer import LlmDescriber
from ingest.describe.opening import describe_settings, slot_tokens
from ingest.describe.prompt import PromptUse
from ingest.describe.schema import description_schema
from ingest.expand.lexical import LexicalExpander
from ingest.pipeline import ingest
from ingest.readers.formats import CATALOGUE
from ingest.readers.sources import read_sources
from ingest.report import IngestReport
from polaris_search.evaluate.dataset import QRELS_FILE, read_dataset
from polaris_search.experiments.given_descriptions import read_descriptions
from polaris_search.llm.model import Usage
from polaris_search.llm.opening import open_chat_model
from polaris_search.records import DESCRIPTION_FIELDS, EnrichedTable, table_to_json
from polaris_search.settings import Settings, read_settings
from polaris_search.store.embedded.store import EmbeddedStore

REPLIES = "replies.jsonl"
"""One file for all sets: tables that are alike are asked about once."""


@dataclass(frozen=True)
class Described:
    """What became of one set's tables.

    Attributes:
        name: the set's.
        report: of the ingest.
        valid: stored descriptions that are JSON objects of six texts as the schema wants them.
        calls: replies that were read, kept ones too.
        answered: those that the model wrote now.
        use: of the prompts.
        usage: of the model, for what it wrote now.
        seconds: the whole ingest's.
    """

    name: str
    report: IngestReport
    valid: int
    calls: int
    answered: int
    use: PromptUse
    usage: Usage
    seconds: float

    @property
    def cached(self) -> str:
        """The share of prompt tokens that the server had read before, as it says."""
        cached = self.usage.cached_prompt_tokens
        return "" if cached is None else f"{cached / self.usage.prompt_tokens:.2f}"

    @property
    def faults(self) -> str:
        """The codes of the failures, with their counts."""
        codes: Counter[str] = Counter()
        for reason, count in self.report.reasons:
            codes[reason.partition(":")[0]] += count
        return ", ".join(f"{count} {code}" for code, count in codes.items()) or "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--kept", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--slots", type=int, default=8, help="tables described at a time")
    chosen = parser.parse_args()
    chosen.kept.mkdir(parents=True, exist_ok=True)
    settings = replace(settings_for(chosen.kept), local_slots=chosen.slots)
    described = [describe_set(folder, chosen.kept, settings) for folder in chosen.folders]
    print_described(described)
    holds = all(one.valid == one.report.described for one in described)
    for folder in chosen.folders:
        if (folder / QRELS_FILE).is_file():
            holds = print_gain(folder, chosen.kept) and holds
    sys.exit(0 if holds else 1)


def settings_for(kept: Path) -> Settings:
    """Return the settings in force; with the local model where they name no server."""
    settings = replace(read_settings(), home=kept)
    return settings if settings.llm_url else replace(settings, llm_kind="local")


def describe_set(folder: Path, kept: Path, settings: Settings) -> Described:
    """Describe a folder's tables into a store of their own, and write what was made of them."""
    began = time.perf_counter()
    name = folder.resolve().name
    describer, replies = opened(kept, settings)
    with (
        tempfile.TemporaryDirectory() as place,
        closing(EmbeddedStore(Path(place))) as store,
    ):
        report = ingest(
            read_sources([str(folder / CATALOGUE)], "polaris"),
            store,
            LexicalExpander(),
            describer,
            concurrency=settings.tables_at_a_time,
        )
        tables = [table for table in store.tables() if table.description]
    (kept / f"{name}.jsonl").write_text("".join(map(description_line, tables)), encoding="utf-8")
    return Described(
        name=name,
        report=report,
        valid=sum(is_valid(table, settings) for table in tables),
        calls=replies.asked,
        answered=replies.answered,
        use=describer.prompt_use,
        usage=replies.usage(),
        seconds=time.perf_counter() - began,
    )


def opened(kept: Path, settings: Settings) -> tuple[LlmDescriber, KeptReplies]:
    lengths = describe_settings(settings)
    model = open_chat_model(settings, slot_tokens=slot_tokens(lengths))
    if model is None:
        sys.exit("No model is set.")
    replies = KeptReplies(model, kept / REPLIES)
    return LlmDescriber(replies, lengths), replies


def description_line(table: EnrichedTable) -> str:
    record = json.loads(table_to_json(table))
    line = {"table_id": table.table_id, "description": record["description"]}
    return json.dumps(line, ensure_ascii=False) + "\n"


def is_valid(table: EnrichedTable, settings: Settings) -> bool:
    """Return whether the stored record holds six texts, each as the schema wants it."""
    stored = json.loads(table_to_json(table))["description"]
    lengths = describe_settings(settings)
    schema = description_schema(lengths.max_tokens, lengths.tokens_a_word)
    if sorted(stored) != sorted(DESCRIPTION_FIELDS):
        return False
    patterns = {name: field["pattern"] for name, field in schema["properties"].items()}
    return all(re.search(patterns[name], stored[name]) for name in DESCRIPTION_FIELDS)


def print_described(described: Sequence[Described]) -> None:
    head = ("set", "tables", "described", "valid", "failed", "calls", "of these new")
    print_row([*head, "tokens a reply", "prompt shared", "cached", "s"])
    print_row(["---"] * (len(head) + 4))
    for one in described:
        written = one.report.completion_tokens / max(1, one.calls)
        counts = (one.report.seen, one.report.described, one.valid)
        cells = [one.name, *map(str, counts), one.faults, str(one.calls), str(one.answered)]
        cells += [f"{written:.0f}", f"{one.use.shared_share:.2f}", one.cached]
        print_row([*cells, f"{one.seconds:.0f}"])


def print_gain(folder: Path, kept: Path) -> bool:
    """Print what the descriptions of a set do to both profiles; return whether that is borne."""
    dataset = read_dataset(folder)
    given = read_descriptions(kept / f"{dataset.name}.jsonl")
    without = figures(folder, dataset, LexicalExpander())
    described = figures(folder, dataset, LexicalExpander(), given)
    for profile in PROFILES:
        print(line_of(dataset.name, profile, without, described))
    return round(described["default"] - without["default"], 4) >= -LARGEST_FALL


def line_of(name: str, profile: str, without: Figures, described: Figures) -> str:
    change = described[profile] - without[profile]
    verdict = "" if profile != "default" else ", FAILS" if change < -LARGEST_FALL else ", holds"
    figures_said = f"{without[profile]:.4f} without, {described[profile]:.4f} with descriptions"
    return f"{name}, {profile}: {figures_said}: {change:+.4f}{verdict}"


def print_row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
