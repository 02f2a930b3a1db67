"""How repetitive and how long texts are, in the stems that they are searched by. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from polaris_search.text.analysis import analyzer_named


@dataclass(frozen=True, slots=True)
class TextShape:
    """How repetitive texts are: the share of distinct stems, and the mean length in stems."""

    distinct_share: float
    stems: float


def text_shape(texts: Sequence[str]) -> TextShape:
    """Return the mean shape of texts, by the stems they are searched by; zeros for none."""
    stems = [analyzer_named("words")(text) for text in texts]
    shares = [len(set(one)) / len(one) for one in stems if one]
    return TextShape(
        distinct_share=sum(shares) / len(shares) if shares else 0.0,
        stems=sum(map(len, stems)) / len(stems) if stems else 0.0,
    )
