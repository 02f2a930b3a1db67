"""Cut a run-together token into words and short forms by their rarity: `driverlicense`, `CUSTADDR`.

Pure: a token and the word lists come in, the likeliest cut goes out with its cost, or None.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ingest.expand.vocabulary import SHORT_WORDS, Vocabulary, Words

CUT_COST = 2.5
MIN_TOKEN_LETTERS = 5
MAX_TOKEN_LETTERS = 60
MAX_PIECE_LETTERS = 18
MAX_RARITY = 14.5
"""Rarer words are no pieces: too many of them look like parts of others."""
MAX_RARITY_OF_THREE = 10.0
"""The same for words of three letters."""
ABBREVIATION_COST = 9.5
PAIR_COST = 11.0
"""Costs of a short form as a piece; pairs of letters stand only at the end: CUSTNM."""
LAST_ID_COST = 3.0
"""Cost of `id` at the end, by far the most usual last piece: custid."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The words of a token's pieces, and what they and the cuts between them cost."""

    words: Words
    cost: float
    pieces: int


def segment(token: str, words: Vocabulary) -> Cut | None:
    """Return the cheapest cut of a token into two pieces or more, None where there is none."""
    if not MIN_TOKEN_LETTERS <= len(token) <= MAX_TOKEN_LETTERS:
        return None
    best: dict[int, Cut] = {0: Cut((), -CUT_COST, 0)}
    for end in range(2, len(token) + 1):
        cuts = list(_cuts_to(token, end, best, words))
        if cuts:
            best[end] = min(cuts, key=lambda cut: (cut.cost, cut.words))
    return best.get(len(token))


def _cuts_to(token: str, end: int, best: dict[int, Cut], words: Vocabulary) -> Iterator[Cut]:
    for start in range(max(0, end - MAX_PIECE_LETTERS), end - 1):
        before = best.get(start)
        whole = end - start == len(token)
        if before is None or whole:
            continue
        piece = _piece(token[start:end], words, last=end == len(token))
        if piece:
            meaning, cost = piece
            yield Cut(before.words + meaning, before.cost + cost + CUT_COST, before.pieces + 1)


def _piece(text: str, words: Vocabulary, *, last: bool) -> tuple[Words, float] | None:
    """Return what a piece means and its cost, None where it cannot be one."""
    if last and text == "id":
        return (text,), LAST_ID_COST
    abbreviation = words.abbreviations.get(text)
    if abbreviation and not abbreviation.also_word:
        if len(text) > 2:
            return abbreviation.meanings[0], ABBREVIATION_COST
        return (abbreviation.meanings[0], PAIR_COST) if last else None
    return ((text,), words.cost(text)) if _is_piece(text, words) else None


def _is_piece(text: str, words: Vocabulary) -> bool:
    if len(text) == 2:
        return text in SHORT_WORDS
    if text in words.listed_cost:
        return True
    limit = MAX_RARITY if len(text) > 3 else MAX_RARITY_OF_THREE
    return words.rarity.get(text, limit) < limit
