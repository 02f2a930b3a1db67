import math

import numpy as np
import pytest

from polaris_search.bm25.formula import (
    average_length,
    decoded_length,
    inverse_document_frequency,
    norm_inverses,
    norm_of_length,
    norms_of_lengths,
    quantised_length,
    term_scores,
    term_weight,
)

F = np.float32


@pytest.mark.parametrize(
    ("length", "seen"),
    [(0, 0), (1, 1), (23, 23), (24, 24), (39, 39), (40, 40), (41, 40), (42, 42), (43, 42)]
    + [(96, 96), (100, 96), (103, 96), (104, 104), (150, 144), (151, 144), (255, 248), (256, 248)]
    + [(279, 264), (280, 280), (311, 280), (312, 312), (1000, 984), (3001, 2840)],
)
def test_a_length_is_seen_as_lucene_stores_it(length, seen):
    assert quantised_length(length) == seen


def test_each_norm_byte_is_the_norm_of_the_length_it_stands_for():
    assert [norm_of_length(decoded_length(norm)) for norm in range(256)] == list(range(256))


def test_lengths_are_quantised_alike_one_by_one_and_together():
    lengths = np.arange(5000, dtype=np.int32)

    assert norms_of_lengths(lengths).tolist() == [norm_of_length(length) for length in range(5000)]


def test_idf_is_the_logarithm_cast_once():
    # n = 4, df = 1: ln(1 + 3.5 / 1.5)
    assert inverse_document_frequency(1, 4) == F(math.log(1 + 3.5 / 1.5))


def test_idf_stays_above_zero_for_a_term_in_every_document():
    assert inverse_document_frequency(1_000_000, 1_000_000) > 0


def test_average_length_divides_in_double_and_casts_once():
    assert average_length(100_000_001, 3) == F(100_000_001 / 3)


def test_a_document_of_average_length_has_the_norm_inverse_of_k1_alone():
    # length = average: 1 / (1.2 * (0.25 + 0.75)) = 1 / 1.2
    inverses = norm_inverses(F(8), k1=1.2, b=0.75)

    assert inverses[norm_of_length(8)] == F(1) / F(1.2)


def test_a_weight_has_the_factor_that_elasticsearch_keeps():
    # ((0.5 * 2) * (1 + 1.2)) * 3
    assert term_weight(0.5, 2, 1.2, F(3)) == F(F(2.2) * F(3))


def test_a_score_is_the_weight_less_its_share_of_the_denominator():
    # w - w / (1 + tf * nI), every step float32
    scores = term_scores(F(2), np.array([1, 1.5, 3], dtype=np.float32))

    assert scores.dtype == np.float32
    assert scores.tolist() == [0, F(2) - F(2) / F(1.5), F(2) - F(2) / F(3)]
