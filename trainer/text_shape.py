"""How repetitive and how long texts are, in the stems that they are searched by. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trainer.ranking.analysis_cache import AnalysisCache
from trainer.ranking.readings import Reader


@dataclass(frozen=True, slots=True)
class TextShape:
    """How repetitive texts are: the share of distinct stems, and the mean length in stems."""

    distinct_share: float
    stems: float


def text_shape(texts: Sequence[Sequence[str]], cache: AnalysisCache | None = None) -> TextShape:
    """Return the mean shape of texts, by the stems they are searched by; zeros for none.

    Args:
        texts: each in the parts that it is searched in.
        cache: what is known of texts from before; None: nothing.
    """
    reader = Reader("words", {}, cache)
    for parts in texts:
        reader.add(parts)
    read = reader.readings()
    has_stems = read.lengths > 0
    shares = read.distinct[has_stems] / read.lengths[has_stems]
    return TextShape(
        distinct_share=float(np.mean(shares)) if len(shares) else 0.0,
        stems=float(np.mean(read.lengths)) if len(texts) else 0.0,
    )
