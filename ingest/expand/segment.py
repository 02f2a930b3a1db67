"""Cut a run-together token into words and short forms by their rarity: `driverlicense`, `CUSTADDR`.

Pure: a token and the word lists come in, the likeliest cuts go out as readings.
"""

from collections.abc import Iterator

from ingest.expand.name_model import START, NameModel
from ingest.expand.reading import Reading
from ingest.expand.vocabulary import SHORT_WORDS, Vocabulary, Words
from ingest.expand.weights import Weights

MIN_TOKEN_LETTERS = 5
MAX_TOKEN_LETTERS = 60
MAX_PIECE_LETTERS = 18
MAX_RARITY = 14.5
"""Rarer words are no pieces: too many of them look like parts of others."""
MAX_RARITY_OF_THREE = 10.0
"""The same for words of three letters."""
CUTS_KEPT = 3

Cut = tuple[float, Words]


def segment(token: str, words: Vocabulary, names: NameModel, weights: Weights) -> list[Reading]:
    """Return the cheapest cuts of a token into two pieces or more, none where there is none."""
    if not MIN_TOKEN_LETTERS <= len(token) <= MAX_TOKEN_LETTERS:
        return []
    best: dict[int, list[Cut]] = {0: [(-weights.cut, ())]}
    for end in range(2, len(token) + 1):
        cuts = sorted(set(_cuts_to(token, end, best, words, names, weights)))
        if cuts:
            best[end] = cuts[:CUTS_KEPT]
    whole = best.get(len(token), [])
    return [Reading(cut, cost - names.cost(START, cut[0])) for cost, cut in whole]


def _cuts_to(
    token: str,
    end: int,
    best: dict[int, list[Cut]],
    words: Vocabulary,
    names: NameModel,
    weights: Weights,
) -> Iterator[Cut]:
    for start in range(max(0, end - MAX_PIECE_LETTERS), end - 1):
        if start not in best or end - start == len(token):
            continue
        last = end == len(token)
        for meaning, cost in _meanings(token[start:end], words, weights, last=last):
            for before_cost, before in best[start]:
                place = names.cost(before[-1] if before else START, meaning[0])
                inside = names.inside(meaning)
                yield before_cost + cost + place + inside + weights.cut, before + meaning


def _meanings(
    text: str, words: Vocabulary, weights: Weights, *, last: bool
) -> Iterator[tuple[Words, float]]:
    """Yield what a piece means and its cost; pairs of letters are short only at the end: CUSTNM."""
    if last and text == "id":
        yield (text,), 0.0
        return
    abbreviation = words.abbreviations.get(text)
    if abbreviation and not abbreviation.also_word and (last or len(text) > 2):
        for rank, meaning in enumerate(abbreviation.meanings[:2]):
            yield meaning, weights.listed + weights.listed_rank * rank
    elif _is_piece(text, words):
        yield (text,), weights.spelled_out


def _is_piece(text: str, words: Vocabulary) -> bool:
    if len(text) == 2:
        return text in SHORT_WORDS
    if text in words.listed_cost:
        return True
    limit = MAX_RARITY if len(text) > 3 else MAX_RARITY_OF_THREE
    return words.rarity.get(text, limit) < limit
