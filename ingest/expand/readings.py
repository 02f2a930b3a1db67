"""What one token may mean in its table: its candidates weighed by the table, the table's words.

A token and its table's context come in, readings go out, the likeliest first.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ingest.expand.candidates import Candidates, Reading
from ingest.expand.context import MAX_INITIALS, NAME_COST, TableContext
from ingest.expand.shortening import shortening_cost
from ingest.expand.tokens import Token
from ingest.expand.vocabulary import Vocabulary, Words

ABBREVIATED_GAIN = 3.0
ABBREVIATED_BELOW = 0.5
"""What a meaning of a word gains in a table of which less than half the tokens are words."""
PLAIN_TABLE_GAIN = 4.0
PLAIN_ABOVE = 0.5
"""What leaving a token alone gains in a table of words only; nothing where half are words."""
TABLE_WORD_COST = 1.2
"""What it costs more to guess a word of the table."""
ACRONYM_COST = 6.0
HEAD_LETTER_COST = 7.0
MAX_UNIT_LETTERS = 3
MAX_READINGS = 6
MAX_SHORT_LETTERS = 12
TAILS = {"id": "id", "no": "number", "num": "number", "nbr": "number", "nm": "name", "cd": "code"}
TAILS |= {word: word for word in ("name", "code", "number", "type", "date", "key")}
"""What follows a single letter that stands for a word of the table's name: `cno`, `pname`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a token stands.

    `spoken`: names of its table have blanks, so a person wrote them as people speak.

    `after_digits`, `before_digits`: it is joined to a number, as in `20mp` and `SX40`.
    """

    first: bool = False
    last: bool = False
    spoken: bool = False
    after_digits: bool = False
    before_digits: bool = False


def readings(
    token: Token,
    candidates: Candidates,
    context: TableContext,
    own: Mapping[str, float],
    place: Place,
) -> list[Reading]:
    """Return a token's readings, cheapest first, at least one.

    Args:
        token: a token of a name.
        candidates: the readings of any table.
        context: what the token's table says.
        own: the words of the column's own comment, with their costs.
        place: where in its name the token stands.
    """
    text = token.text
    words = candidates.words
    if token.meaning:
        return [Reading(token.meaning, 0.0)]
    if not token.is_word or _is_a_sign(token, place):
        return [Reading((text,), 0.0, literal=True)]
    initials = None if place.spoken else _initials(token, words, context, place)
    if initials:
        return [Reading(initials, ACRONYM_COST)]
    found = candidates.of(text)
    if len(found) == 1 and words.is_plain(text):
        return list(found)
    abbreviation = words.abbreviations.get(text)
    if abbreviation and abbreviation.only_last:
        return [reading for reading in found if reading.literal != place.last]
    if place.spoken or (token.upper and context.mixed_case and len(text) <= MAX_INITIALS):
        found = tuple(reading for reading in found if not reading.guess)
    weighed = [_weighed(reading, words, context, own) for reading in found]
    if not place.spoken:
        weighed += _table_guesses(text, context, own, place, sure=words.is_plain(text))
    return sorted(weighed, key=lambda reading: (reading.cost, reading.words))[:MAX_READINGS]


def _is_a_sign(token: Token, place: Place) -> bool:
    """Whether it is a unit, type code or acronym rather than a word: `20mp`, `SX40`, `UK team`."""
    if place.spoken and token.upper and len(token.text) < MAX_UNIT_LETTERS:
        return True
    if place.after_digits:
        return len(token.text) <= MAX_UNIT_LETTERS
    return place.before_digits and token.upper and len(token.text) < MAX_UNIT_LETTERS


def _initials(token: Token, words: Vocabulary, context: TableContext, place: Place) -> Words | None:
    """Return the words of the table whose initials the token is, where it can be nothing else."""
    text = token.text
    shown = token.upper and context.mixed_case
    if not shown and (words.is_plain(text) or text in words.abbreviations):
        return None
    tail = TAILS.get(text[1:])
    if place.first and tail and text[0] in context.heads:
        return (context.heads[text[0]], tail)
    if text in context.acronyms:
        return context.acronyms[text]
    if shown and text.endswith("id") and text[:-2] in context.acronyms:
        return (*context.acronyms[text[:-2]], "id")
    return None


def _weighed(
    reading: Reading, words: Vocabulary, context: TableContext, own: Mapping[str, float]
) -> Reading:
    """Return the reading at the cost it has in this table."""
    plain_share = max(0.0, context.plainness - PLAIN_ABOVE) / (1 - PLAIN_ABOVE)
    if reading.literal:
        if words.is_plain(reading.words[0]):
            abbreviated = context.plainness < ABBREVIATED_BELOW
            return Reading(
                reading.words, reading.cost + ABBREVIATED_GAIN * abbreviated, literal=True
            )
        return Reading(reading.words, reading.cost - PLAIN_TABLE_GAIN * plain_share, literal=True)
    gain = max(context.gain_of(word, own) for word in reading.words)
    return Reading(reading.words, reading.cost - gain)


def _table_guesses(
    text: str, context: TableContext, own: Mapping[str, float], place: Place, *, sure: bool
) -> Iterator[Reading]:
    """Yield the words of the table that the token may be short for.

    `sure`: only those of its name and of the column's comment.
    """
    if len(text) > MAX_SHORT_LETTERS:
        return
    if len(text) == 1:
        if text in context.heads and place.first and not place.last:
            yield Reading((context.heads[text],), HEAD_LETTER_COST)
        return
    for word, word_cost in {**context.words.get(text[0], {}), **own}.items():
        cost = shortening_cost(text, word)
        if cost is not None and (word_cost <= NAME_COST or not sure):
            yield Reading((word,), word_cost + TABLE_WORD_COST + cost)
