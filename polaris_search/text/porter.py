"""Porter's stemmer as Lucene's porter_stem filter runs it: a lower-cased word in, its stem out.

It differs from the published algorithm (Porter 1980, "An algorithm for suffix stripping") as Lucene
does: words of one or two letters stay, "bli" becomes "ble", "logi" becomes "log", and lengths are
    counted in UTF-16 units.
"""

_VOWELS = frozenset("aeiou")

# Suffixes by their second-last letter; the first that fits decides, even where its stem is too
# short to change.
_STEP_2 = {
    "a": (("ational", "ate"), ("tional", "tion")),
    "c": (("enci", "ence"), ("anci", "ance")),
    "e": (("izer", "ize"),),
    "l": (("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    "o": (("ization", "ize"), ("ation", "ate"), ("ator", "ate")),
    "s": (("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    "t": (("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
    "g": (("logi", "log"),),
}
# Suffixes by their last letter.
_STEP_3 = {
    "e": (("icate", "ic"), ("ative", ""), ("alize", "al")),
    "i": (("iciti", "ic"),),
    "l": (("ical", "ic"), ("ful", "")),
    "s": (("ness", ""),),
}
# Suffixes by their second-last letter.
_STEP_4 = {
    "a": ("al",),
    "c": ("ance", "ence"),
    "e": ("er",),
    "i": ("ic",),
    "l": ("able", "ible"),
    "n": ("ant", "ement", "ment", "ent"),
    "o": ("ion", "ou"),
    "s": ("ism",),
    "t": ("ate", "iti"),
    "u": ("ous",),
    "v": ("ive",),
    "z": ("ize",),
}


def porter_stem(word: str) -> str:
    """Return the stem of a lower-cased word; never empty for a word that is not."""
    if word.isascii() or max(word) <= "\uffff":
        return _stem(word)
    return _from_units(_stem(_to_units(word)))


def _to_units(word: str) -> str:
    data = word.encode("utf-16-le", "surrogatepass")
    return "".join(chr(data[i] | data[i + 1] << 8) for i in range(0, len(data), 2))


def _from_units(units: str) -> str:
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _stem(word: str) -> str:
    if len(word) <= 2:
        return word
    word = _without_past_or_gerund(_without_plural(word))
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2.get(word[-2:-1], ()))
    word = _replaced(word, _STEP_3.get(word[-1], ()))
    return _without_last_e_or_l(_without_step_4_suffix(word))


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] != "s" else word


def _without_past_or_gerund(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    stem = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not _has_vowel(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _ends_in_double_consonant(stem):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, replacement in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if _measure(stem) > 0 else word
    return word


def _without_step_4_suffix(word: str) -> str:
    for suffix in _STEP_4.get(word[-2:-1], ()):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            if suffix == "ion" and not stem.endswith(("s", "t")):
                continue
            return stem if _measure(stem) > 1 else word
    return word


def _without_last_e_or_l(word: str) -> str:
    if word[-1] == "e":
        measure = _measure(word)
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    if word[-1] == "l" and _ends_in_double_consonant(word) and _measure(word) > 1:
        return word[:-1]
    return word


def _shape(word: str) -> str:
    """Return v for each vowel and c for each consonant; y is a vowel behind a consonant."""
    shape = ""
    last = "v"
    for letter in word:
        last = "v" if letter in _VOWELS or (letter == "y" and last == "c") else "c"
        shape += last
    return shape


def _measure(stem: str) -> int:
    return _shape(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    return "v" in _shape(stem)


def _ends_in_double_consonant(stem: str) -> bool:
    return stem[-1:] == stem[-2:-1] and _shape(stem)[-1:] == "c"


def _ends_short(stem: str) -> bool:
    return _shape(stem)[-3:] == "cvc" and stem[-1] not in "wxy"
