"""Which pairs are held out: whole groups of them, so that no query stands on both sides.

Pairs that a query ranked, or that ask with the same prompt, are of one group, and so are those
that they share another query or prompt with. Held-out figures then speak of queries that the
adapter has never learned from.
"""

import random
from collections.abc import Iterable, Sequence


def groups_of(keys: Sequence[Iterable[str]]) -> list[list[int]]:
    """Return the places of `keys`, grouped: places that share a key are together.

    Groups and their places are in order of their first place.
    """
    parent = list(range(len(keys)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    first_with: dict[str, int] = {}
    for place, own in enumerate(keys):
        for key in own:
            one, other = sorted((root(place), root(first_with.setdefault(key, place))))
            parent[other] = one
    groups: dict[int, list[int]] = {}
    for place in range(len(keys)):
        groups.setdefault(root(place), []).append(place)
    return list(groups.values())


def held_out_of(groups: Sequence[Sequence[int]], share: float, seed: int) -> frozenset[int]:
    """Return the places to hold out: about the share of all, in whole groups.

    Where no group is small enough, the smallest is held out if it is not more than half of all.

    Args:
        groups: of all places.
        share: of the places, 0 to below 1.
        seed: another one holds out others.
    """
    total = sum(map(len, groups))
    wanted = max(1, round(share * total)) if share else 0
    shuffled = list(groups)
    random.Random(seed).shuffle(shuffled)
    held: list[int] = []
    for group in shuffled:
        if len(held) + len(group) <= wanted:
            held += group
    if wanted and not held and groups:
        smallest = min(shuffled, key=len)
        held += smallest if len(smallest) <= total // 2 else []
    return frozenset(held)
