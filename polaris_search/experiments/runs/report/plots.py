"""An experiment as pictures: how measures rise with the cut-off, and how long descriptions are.

Draws with matplotlib, which comes with the extras `plots` and `train`; without it nothing is drawn.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polaris_search.experiments.runs.catalogue import CUTOFFS
from polaris_search.experiments.runs.cells import Cell
from polaris_search.experiments.runs.report.shapes import SystemShape
from polaris_search.experiments.runs.report.tables import TITLES

NO_PLOTS = "No plots: matplotlib is not installed. `pip install 'polaris-search[plots]'` brings it."
WIDTH_INCHES, HEIGHT_INCHES, DPI = 4.2, 3.4, 120
FILES = {"nDCG": "ndcg.png", "R": "recall.png"}


def write_plots(
    folder: Path, cells: Sequence[Cell], shapes: Sequence[SystemShape]
) -> tuple[str, ...]:
    """Write ndcg.png, recall.png and, where there are descriptions, length.png; return sentences.

    The sentences say why nothing was drawn; none, where all was.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return (NO_PLOTS,)
    datasets = list(dict.fromkeys(cell.dataset for cell in cells))
    for measure, name in FILES.items():
        figure = Figure(figsize=(WIDTH_INCHES * len(datasets), HEIGHT_INCHES), layout="constrained")
        axes = figure.subplots(1, len(datasets), squeeze=False)[0]
        for place, dataset in zip(axes, datasets, strict=True):
            _curves(place, measure, [cell for cell in cells if cell.dataset == dataset])
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize="small")
        _save(figure, folder / name)
    if shapes:
        figure = Figure(figsize=(WIDTH_INCHES * 2, HEIGHT_INCHES), layout="constrained")
        _bars(figure.subplots(), shapes)
        _save(figure, folder / "length.png")
    return ()


def _curves(axes: Any, measure: str, rows: Sequence[Cell]) -> None:
    for row in rows:
        values = [row.means[f"{measure}@{k}"] for k in CUTOFFS]
        axes.plot(range(len(CUTOFFS)), values, marker="o", markersize=3, label=row.row)
    axes.set_title(rows[0].dataset)
    axes.set_xticks(range(len(CUTOFFS)), [str(k) for k in CUTOFFS])
    axes.set_xlabel("K")
    axes.set_ylabel(TITLES[measure])
    axes.grid(alpha=0.3)


def _bars(axes: Any, shapes: Sequence[SystemShape]) -> None:
    datasets = list(dict.fromkeys(one.dataset for one in shapes))
    systems = list(dict.fromkeys(one.system for one in shapes))
    words = {(one.dataset, one.system): one.words for one in shapes}
    width = 0.8 / len(systems)
    for number, system in enumerate(systems):
        places = [place + (number + 0.5) * width - 0.4 for place in range(len(datasets))]
        heights = [words.get((dataset, system), 0.0) for dataset in datasets]
        axes.bar(places, heights, width, label=system)
    axes.set_xticks(range(len(datasets)), datasets)
    axes.set_ylabel("words a description")
    axes.legend(fontsize="small")


def _save(figure: Any, path: Path) -> None:
    """Write the picture whole or not at all; without the date, so that equal runs are equal."""
    unfinished = path.with_name(f".{path.name}.part")
    figure.savefig(unfinished, format="png", dpi=DPI, metadata={"Software": None})
    unfinished.replace(path)
