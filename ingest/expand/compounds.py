"""Join tokens that are one word together: WiFi, eMail, CO2, FName.

Tokens of one name come in and go out, fewer where some belong together.
"""

from ingest.expand.tokens import Token
from ingest.expand.vocabulary import Vocabulary

MIN_JOINED_LETTERS = 4


def join_compounds(tokens: tuple[Token, ...], words: Vocabulary) -> tuple[Token, ...]:
    """Return the tokens with neighbours joined that only together are a word or a short form."""
    joined: list[Token] = []
    for token in tokens:
        if joined and token.joined and _belong_together(joined[-1], token, words):
            before = joined.pop()
            upper = before.upper and token.upper
            joined.append(Token(before.text + token.text, upper, before.joined))
        else:
            joined.append(token)
    return tuple(joined)


def _belong_together(first: Token, second: Token, words: Vocabulary) -> bool:
    if first.meaning or second.meaning:
        return False
    whole = first.text + second.text
    abbreviation = words.abbreviations.get(whole)
    if second.text.isdecimal():
        return first.upper and abbreviation is not None
    if not (first.is_word and second.is_word):
        return False
    if len(first.text) == 1 and abbreviation and second.text != "id":
        return True
    if len(whole) < MIN_JOINED_LETTERS:
        return False
    if len(first.text) == 1:
        return whole in words.listed_cost
    return words.is_plain(whole) and not (_stands(first, words) or _stands(second, words))


def _stands(token: Token, words: Vocabulary) -> bool:
    return words.is_plain(token.text) or token.text in words.abbreviations
