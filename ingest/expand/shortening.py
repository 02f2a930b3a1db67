"""How likely a short form is made of a word: its beginning, its consonants, or other letters of it.

Pure functions of two strings; costs are -ln of a rough probability.
"""

VOWELS = frozenset("aeiou")

SPOKEN_MIN_LETTERS = 6

INITIAL_COST = 6.0
BEGINNING_COSTS = {2: 2.5, 3: 1.2, 4: 0.9}
"""Cost of the first 2, 3, 4 letters; more letters cost as much as 4."""
ENDS_IN_VOWEL_COST = 0.6
HARDLY_SHORTER_COST = 2.0
"""Cost of a beginning that leaves one letter out: nobody shortens so."""
SKELETON_COST = 0.8
SKELETON_PART_COST = 1.2
PICKED_COST = 4.0
SKIPPED_CONSONANT_COST = 0.8
SKIPPED_VOWEL_COST = 0.1
TAIL_LETTER_COST = 0.15
"""Costs of a letter left out before the last one kept, and of one after it."""


def shortening_cost(short: str, word: str) -> float | None:
    """Return the cost of `short` standing for `word`; None where it is no ordered part of it.

    Both in lower case. The first letter must be kept, and at least one letter left out.
    """
    if len(short) >= len(word) or short[0] != word[0]:
        return None
    skipped = _skipped_cost(short, word)
    if skipped is None:
        return None
    if len(short) == 1:
        return INITIAL_COST
    if word.startswith(short):
        hardly = HARDLY_SHORTER_COST if len(word) - len(short) == 1 else 0.0
        return _beginning_cost(short) + hardly
    if any(letter in VOWELS for letter in short[1:]):
        return PICKED_COST + skipped
    return SKELETON_COST if short == skeleton(word) else SKELETON_PART_COST + skipped


def skeleton(word: str) -> str:
    """Return the first letter and the consonants after it, doubled ones once.

    `address` gives `adrs`.
    """
    kept = word[0]
    for letter in word[1:]:
        if letter not in VOWELS and letter != kept[-1]:
            kept += letter
    return kept


def can_be_spoken(text: str) -> bool:
    """Whether a long token has vowels often enough to be a name or a foreign word."""
    if len(text) < SPOKEN_MIN_LETTERS:
        return False
    run = longest_run = 0
    for letter in text:
        run = 0 if letter in VOWELS or letter == "y" else run + 1
        longest_run = max(longest_run, run)
    return longest_run < 4 and sum(letter in VOWELS for letter in text) * 4 >= len(text)


def _skipped_cost(short: str, word: str) -> float | None:
    """Return the cost of the letters left out, each letter kept taken where it comes first."""
    cost = 0.0
    place = 0
    for letter in short:
        found = word.find(letter, place)
        if found < 0:
            return None
        for left_out in range(place, found):
            cost += _letter_cost(word, left_out)
        place = found + 1
    return cost + TAIL_LETTER_COST * (len(word) - place)


def _letter_cost(word: str, place: int) -> float:
    doubled = word[place] == word[place - 1]
    return SKIPPED_VOWEL_COST if word[place] in VOWELS or doubled else SKIPPED_CONSONANT_COST


def _beginning_cost(short: str) -> float:
    vowel = ENDS_IN_VOWEL_COST if short[-1] in VOWELS else 0.0
    return BEGINNING_COSTS.get(len(short), BEGINNING_COSTS[4]) + vowel
