"""Whether a token can be short for words, by its letters: the check on what a model writes. Pure.

Each word gives one piece of the token, in order: its first letter and any letters after it, as in
`custno` for "customer number" and `ytd` for "year to date". Only words like "of" may give none.
"""

from ingest.expand.name_reading import Words
from ingest.expand.vocabulary import vocabulary

_SMALL = "a an and at by for from in of on or per the to with"
SMALL_WORDS = frozenset(_SMALL.split())
"""Words that initials often leave out."""


def stands_for(token: str, words: Words) -> bool:
    """Return whether `words` may be what a lower-case token means.

    That is: the token itself, a meaning that the list of abbreviations has, or words of which its
    letters are pieces.
    """
    if words == (token,):
        return True
    listed = vocabulary().abbreviations.get(token)
    return (listed is not None and words in listed.meanings) or _is_pieces_of(token, words)


def _is_pieces_of(token: str, words: Words) -> bool:
    ends = {0}
    for word in words:
        reached = set(ends) if word in SMALL_WORDS else set()
        for start in ends:
            reached.update(_piece_ends(token, start, word))
        ends = reached
    return len(token) in ends


def _piece_ends(token: str, start: int, word: str) -> list[int]:
    """Return where a piece of `token` from `start` may end that is an ordered part of `word`."""
    if token[start : start + 1] != word[:1]:
        return []
    ends = []
    place = 0
    for end in range(start, len(token)):
        place = word.find(token[end], place) + 1
        if not place:
            break
        ends.append(end + 1)
    return ends
