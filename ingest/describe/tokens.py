"""About how many tokens a text has, and texts cut to so many; more rather than fewer. Pure.

Servers count their own way and are not asked: a prompt that is too long all the same is refused
with an error, and then made shorter.
"""

from itertools import accumulate, takewhile

_ASCII_CHARS_A_TOKEN = 3.5
_TOKENS_A_DIGIT = 1.0
_TOKENS_A_CHAR = 2.0
"""Of other scripts, at worst; many tokenizers do better."""

_DIGITS = "0123456789"


def estimated_tokens(text: str) -> float:
    """Return about how many tokens a text has.

    Three and a half ASCII characters are one token; a digit is one, any other character may be two.
    """
    n_ascii = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    n_digits = sum(map(text.count, _DIGITS))
    tokens = (n_ascii - n_digits) / _ASCII_CHARS_A_TOKEN + n_digits * _TOKENS_A_DIGIT
    return tokens + (len(text) - n_ascii) * _TOKENS_A_CHAR


def cut(text: str, max_tokens: float) -> str:
    """Return the text, cut at a word where it is longer than about `max_tokens` tokens."""
    if estimated_tokens(text) <= max_tokens:
        return text
    used = accumulate(estimated_tokens(character) for character in text)
    kept = text[: sum(1 for _ in takewhile(lambda tokens: tokens <= max_tokens, used))]
    return (kept.rpartition(" ")[0] or kept) + " ..."
