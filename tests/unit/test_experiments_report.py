"""Lengths of descriptions as tables, and an experiment as pictures."""

import csv
import sys
from pathlib import Path

import pytest
from cells import cell

from polaris_search.experiments.given_descriptions import GivenDescriptions
from polaris_search.experiments.runs.given import System
from polaris_search.experiments.runs.report.plots import NO_PLOTS, write_plots
from polaris_search.experiments.runs.report.shapes import (
    SystemShape,
    shape_csv,
    shape_lines,
    shape_of,
)
from polaris_search.records import Description


def system(name, texts):
    described = {key: Description(text, "", "", "", "more", "") for key, text in texts.items()}
    return System(name, {}, {"data": GivenDescriptions(Path("f"), described)})


def test_a_shape_is_of_the_data_sets_own_tables():
    ours = system("ours", {"a": "river rivers", "b": "towns", "elsewhere": "x " * 100})

    shape = shape_of(ours, "data", frozenset({"a", "b"}))

    assert (shape.tables, shape.words) == (2, (3 + 2) / 2)
    assert shape.characters == (len("river rivers more") + len("towns more")) / 2
    assert shape.distinct_share == pytest.approx((2 / 3 + 1) / 2)


def test_a_system_without_descriptions_has_the_shape_of_none():
    assert shape_of(system("ours", {}), "data", frozenset({"a"})).words == 0.0


def test_lengths_are_told_beside_the_first_system_of_the_data_set():
    shapes = [SystemShape("d", "autoddg", 4, 100.0, 600.0, 0.7), SystemShape("d", "p", 4, 53, 9, 1)]

    lines = list(shape_lines(shapes))
    rows = list(csv.DictReader(shape_csv(shapes)))

    assert lines[-2:] == [
        "| d | autoddg | 4 | 100.0 |  | 600 | 0.70 |",
        "| d | p | 4 | 53.0 | -47% | 9 | 1.00 |",
    ]
    assert [row["words"] for row in rows] == ["100.0", "53"]


def test_without_matplotlib_nothing_is_drawn_and_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    said = write_plots(tmp_path, [cell("a", [0.5])], [])

    assert said == (NO_PLOTS,)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.train
def test_pictures_are_drawn_and_the_same_numbers_give_the_same_bytes(tmp_path):
    cells = [cell("a", [0.5]), cell("b", [0.2]), cell("a", [0.1], "other")]
    shapes = [SystemShape("data", "p", 4, 53.0, 9.0, 1.0)]

    pictures = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert write_plots(tmp_path / name, cells, shapes) == ()
        pictures.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})

    assert set(pictures[0]) == {"ndcg.png", "recall.png", "length.png"}
    assert all(one.startswith(b"\x89PNG") for one in pictures[0].values())
    assert pictures[0] == pictures[1]
