"""The curves of a run as a picture: loss, margin and accuracy by optimizer step."""

from collections.abc import Mapping, Sequence
from pathlib import Path

CURVES = ("loss", "margin", "accuracy")
INCHES = (8.0, 7.5)


def draw_curves(rows: Sequence[Mapping[str, float]], path: Path) -> None:
    """Write the picture of the rows of metrics.jsonl as PNG.

    Raises:
        OSError: it cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=INCHES, layout="constrained")
    FigureCanvasAgg(figure)
    places = figure.subplots(len(CURVES), 1, sharex=True)
    for place, name in zip(places, CURVES, strict=True):
        shown = [row for row in rows if name in row]
        place.plot([row["step"] for row in shown], [row[name] for row in shown], linewidth=1)
        place.set_ylabel(name)
        place.grid(visible=True, alpha=0.3)
    places[-1].set_xlabel("optimizer step")
    figure.savefig(path, format="png", dpi=100)
