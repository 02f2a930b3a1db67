"""What prefixes stand for that share what follows them: w_name, w_age and l_name, l_age.

The names of a table come in, short prefixes and their words go out. Two prefixes with the same
names behind them are opposites, and of the usual opposites few fit the letters of both.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

from ingest.expand.tokens import Token
from ingest.expand.word_index import holds_in_order

MIN_SHARED = 3
"""So many names must be behind both prefixes."""
MAX_PREFIX_LETTERS = 4
MAX_PREFIXES = 12

_OPPOSITES = """
winner loser, home away, start end, first last, first second, begin end, minimum maximum,
origin destination, source destination, source target, old new, left right, upper lower,
top bottom, buyer seller, sender receiver, sender recipient, father mother, husband wife,
male female, credit debit, billing shipping, bill ship, arrival departure, actual planned,
actual scheduled, actual expected, primary secondary, in out, input output, import export,
minor major, white black, host guest, victim suspect, plaintiff defendant, employer employee,
parent child, supplier customer, open close, current previous, north south, east west,
urban rural, before after, pre post, public private, student teacher, domestic foreign,
local foreign, given received, sold bought, summer winter
"""
OPPOSITES = [
    (pair.split()[0], pair.split()[1]) for pair in _OPPOSITES.replace("\n", " ").split(",")
]

Tokens = tuple[Token, ...]


def opposites(names: Sequence[Tokens]) -> Mapping[str, str]:
    """Return the words that prefixes of a table's names stand for, by the prefix."""
    behind: dict[str, set[tuple[str, ...]]] = {}
    for name in names:
        if len(name) > 1 and name[0].is_word and len(name[0].text) <= MAX_PREFIX_LETTERS:
            rest = tuple(token.text for token in name[1:])
            behind.setdefault(name[0].text, set()).add(rest)
    often = [prefix for prefix, rests in behind.items() if len(rests) >= MIN_SHARED]
    found: dict[str, str] = {}
    for one, other in combinations(sorted(often)[:MAX_PREFIXES], 2):
        shared = behind[one] & behind[other]
        smaller = min(len(behind[one]), len(behind[other]))
        if len(shared) >= MIN_SHARED and 2 * len(shared) >= smaller:
            for short, word in _fitting(one, other):
                found.setdefault(short, word)
    return found


def _fitting(one: str, other: str) -> Sequence[tuple[str, str]]:
    """Return both prefixes with the words of the first usual opposites that fit them."""
    for first, second in OPPOSITES:
        for left, right in ((first, second), (second, first)):
            if _is_short_for(one, left) and _is_short_for(other, right):
                return ((one, left), (other, right))
    return ()


def _is_short_for(short: str, word: str) -> bool:
    return short[0] == word[0] and len(short) < len(word) and holds_in_order(word, short)
