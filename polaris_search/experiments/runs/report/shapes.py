"""How long and how repetitive the descriptions of a data set are, system by system. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polaris_search.evaluate.csv_line import csv_line
from polaris_search.experiments.runs.given import System
from polaris_search.text.standard import standard_tokens
from trainer.text_shape import text_shape


@dataclass(frozen=True, slots=True)
class SystemShape:
    """The descriptions of one system on one data set.

    Attributes:
        dataset: the folder's name.
        system: whose.
        tables: descriptions.
        words: mean length, in words of the standard tokenizer.
        characters: mean length.
        distinct_share: mean share of distinct stems.
    """

    dataset: str
    system: str
    tables: int
    words: float
    characters: float
    distinct_share: float


def shape_of(system: System, dataset: str, table_ids: frozenset[str]) -> SystemShape:
    """Return the shape of a system's descriptions of these tables; zeros where it has none."""
    given = system.descriptions[dataset].descriptions
    texts = [" ".join(filter(None, one.values())) for key, one in given.items() if key in table_ids]
    n = max(len(texts), 1)
    return SystemShape(
        dataset=dataset,
        system=system.name,
        tables=len(texts),
        words=sum(len(standard_tokens(text)) for text in texts) / n,
        characters=sum(map(len, texts)) / n,
        distinct_share=text_shape([[text] for text in texts]).distinct_share,
    )


def shape_lines(shapes: Sequence[SystemShape]) -> Iterator[str]:
    """Yield the lines of a Markdown table; each row says how it compares with the set's first."""
    yield "## Descriptions"
    yield "| data set | system | tables | words | to the first | characters | distinct stems |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    first: dict[str, SystemShape] = {}
    for one in shapes:
        base = first.setdefault(one.dataset, one)
        share = f"{one.words / base.words - 1:+.0%}" if base is not one and base.words else ""
        yield (
            f"| {one.dataset} | {one.system} | {one.tables:,} | {one.words:.1f} | {share} | "
            f"{one.characters:.0f} | {one.distinct_share:.2f} |"
        )


def shape_csv(shapes: Sequence[SystemShape]) -> Iterator[str]:
    """Yield a header and a line for each data set and system."""
    yield "dataset,system,tables,words,characters,distinct_share"
    for one in shapes:
        numbers = map(repr, (one.tables, one.words, one.characters, one.distinct_share))
        yield csv_line([one.dataset, one.system, *numbers])
