import pytest

from trainer.training.data.lengths import PairTokens, fitted


def tokens(prompt, chosen, rejected, alike=0):
    return PairTokens(prompt, chosen, rejected, alike)


def test_without_a_limit_nothing_is_cut_and_the_longest_pair_is_the_limit():
    fit = fitted([tokens(100, 20, 30), tokens(50, 10, 60)], None, context=1000)

    assert (fit.limit, fit.fates) == (130, ("whole", "whole"))
    assert fit.longest == 100 + 20 + 30


@pytest.mark.parametrize(
    ("pair", "fate"),
    [
        (tokens(1023, 1, 1), "whole"),
        (tokens(1000, 24, 24), "whole"),
        (tokens(1000, 25, 24), "cut"),
        (tokens(1000, 10, 25), "cut"),
        (tokens(1023, 9, 9), "cut"),
        (tokens(1024, 9, 9), "prompt too long"),
        (tokens(1500, 9, 9), "prompt too long"),
        (tokens(1000, 40, 40, alike=24), "alike when cut"),
        (tokens(1000, 40, 40, alike=23), "cut"),
    ],
)
def test_what_a_limit_of_1024_tokens_does_to_a_pair(pair, fate):
    assert fitted([pair], 1024, context=8192).fates == (fate,)


def test_the_models_context_is_a_limit_in_any_case():
    fit = fitted([tokens(600, 9, 9), tokens(500, 9, 20)], None, context=512)

    assert (fit.limit, fit.fates) == (512, ("prompt too long", "cut"))
    assert fit.longest == 512 + 12
