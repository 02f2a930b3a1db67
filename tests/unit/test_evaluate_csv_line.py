import csv
import io

import pytest

from polaris_search.evaluate.csv_line import csv_line


@pytest.mark.parametrize("cell", ["plain", "a,b", 'a "b"', "a\nb", "a\rb", "a\r\nb", "", "é"])
def test_a_line_is_read_back_as_the_cells_it_was_made_of(cell):
    line = csv_line([cell, "next"])

    assert list(csv.reader(io.StringIO(f"{line}\n", newline=""))) == [[cell, "next"]]


def test_plain_cells_are_not_quoted():
    assert csv_line(["q1", "nDCG@10", "0.5"]) == "q1,nDCG@10,0.5"
