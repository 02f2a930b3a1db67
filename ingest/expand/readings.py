"""What one token may mean in its table: its candidates weighed by the table, the table's words.

A token and its table's context come in, readings go out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.expand.candidates import MAX_LETTER_WORDS, MAX_SHORT_LETTERS, Candidates
from ingest.expand.context import MAX_INITIALS, Comment, TableContext
from ingest.expand.definitions import spoken_by
from ingest.expand.reading import Reading
from ingest.expand.tokens import Token
from ingest.expand.vocabulary import Words
from ingest.expand.weights import Weights

MAX_UNIT_LETTERS = 3
MAX_READINGS = 8
HOPELESS = 10.0
"""What a reading may cost more than the likeliest and still be kept: its neighbours may save it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a token stands.

    `spoken`: names of its table have blanks, so a person wrote them as people speak.

    `after_digits`, `before_digits`: it is joined to a number, as in `20mp` and `SX40`.
    `code`: it is the whole name and short. `phrase`: its name has words like `of`, so that it is
    written out. `before`, `after`: words that the tokens beside it may stand for.
    """

    first: bool = False
    last: bool = False
    spoken: bool = False
    after_digits: bool = False
    before_digits: bool = False
    code: bool = False
    phrase: bool = False
    before: Words = ()
    after: Words = ()


def readings(
    token: Token,
    candidates: Candidates,
    context: TableContext,
    own: Comment,
    place: Place,
) -> Sequence[Reading]:
    """Return a token's readings, likely ones first, at least one.

    Args:
        token: a token of a name.
        candidates: the readings of any table.
        context: what the token's table says.
        own: what the column's own comment says.
        place: where in its name the token stands.
    """
    text = token.text
    words = candidates.words
    if token.meaning:
        return [Reading(token.meaning, 0.0, free=True)]
    if not token.is_word or _is_a_sign(token, place):
        return [Reading((text,), 0.0, literal=True, free=True)]
    found = candidates.of(text)
    shown = is_shown(token, context)
    if len(found) == 1 and words.is_plain(text) and not shown:
        return found
    abbreviation = words.abbreviations.get(text)
    if abbreviation and abbreviation.only_last and not place.last:
        return [reading for reading in found if reading.literal]
    if place.spoken:
        found = tuple(reading for reading in found if not reading.guess)
        return [_weighed(reading, candidates, context, place, shown=False) for reading in found]
    weighed = [_weighed(reading, candidates, context, place, shown=shown) for reading in found]
    weighed += _by_table(text, candidates, context, own, place, shown=shown)
    return _likeliest(weighed, candidates, context, own)


def is_shown(token: Token, context: TableContext) -> bool:
    """Whether a token stands in capitals among other letters, and so may well be initials."""
    return token.upper and context.mixed_case and 1 < len(token.text) <= MAX_INITIALS


def _is_a_sign(token: Token, place: Place) -> bool:
    """Whether it is a unit, type code or acronym rather than a word: `20mp`, `SX40`, `UK team`."""
    if place.spoken and token.upper and len(token.text) < MAX_UNIT_LETTERS:
        return True
    if place.after_digits:
        return len(token.text) <= MAX_UNIT_LETTERS
    return place.before_digits and (len(token.text) == 1 or (token.upper and len(token.text) == 2))


def _weighed(
    reading: Reading, candidates: Candidates, context: TableContext, place: Place, *, shown: bool
) -> Reading:
    """Return the reading at the cost it has among the other names of its table."""
    weights = candidates.weights
    if reading.literal:
        gain = _gain_of_leaving_alone(reading, weights, context, place)
        return reading.at(reading.cost - gain)
    cost = reading.cost
    if len(reading.words) > 1:
        if reading.guess and set(pairwise(reading.words)) <= context.topic.pairs:
            cost -= weights.topic_phrase
        return reading.at(cost + weights.upper_initials) if shown else reading.at(cost)
    return reading.at(cost + weights.upper_guess) if shown and reading.guess else reading


def _gain_of_leaving_alone(
    reading: Reading, weights: Weights, context: TableContext, place: Place
) -> float:
    """Return what the other names of its table say for a token as it stands."""
    written_out = place.phrase and len(reading.words[0]) > 1
    gain = weights.plain_phrase if written_out else 0.0
    if not reading.free:
        return gain * context.plain - context.against_words
    if len(reading.words[0]) > 1:
        gain += weights.plain_table
    else:
        gain += weights.plain_letter + (0.0 if place.first else weights.plain_last_letter)
    return context.plain * (gain + weights.plain_code if place.code else gain)


def _by_table(
    text: str,
    candidates: Candidates,
    context: TableContext,
    own: Comment,
    place: Place,
    *,
    shown: bool,
) -> Iterator[Reading]:
    """Yield what the table itself says the token may stand for."""
    plain = candidates.words.is_plain(text)
    listed = text in candidates.words.abbreviations
    if place.first and not place.last and not plain and text in context.opposites:
        yield Reading((context.opposites[text],), candidates.weights.opposite)
    if shown or not plain:
        yield from _defined(text, candidates, context, own)
    if shown or not (plain or listed):
        yield from _by_initials(text, candidates, context, place)
    if len(text) == 1:
        yield from _by_neighbours(text, candidates, context, place)
    else:
        yield from _by_letters(text, candidates, context, own, sure=plain or listed)


def _defined(
    text: str, candidates: Candidates, context: TableContext, own: Comment
) -> Iterator[Reading]:
    """Yield the words that a text of the table, or the column's own, gives for the token."""
    words = context.defined.get(text)
    if words is None and own.text and 1 < len(text) <= MAX_INITIALS:
        words = spoken_by(text, own.text)
    if words:
        yield Reading(words, candidates.weights.defined, free=True)


def _by_initials(
    text: str, candidates: Candidates, context: TableContext, place: Place
) -> Iterator[Reading]:
    """Yield the words of the table whose initials the token is, or begins with."""
    weights = candidates.weights
    names = candidates.names
    phrase = context.acronyms.get(text)
    if phrase:
        yield Reading(phrase, weights.acronym + names.inside(phrase) * weights.acronym_inside)
    head = context.heads.get(text[0])
    if head and place.first:
        if len(text) == 1:
            yield Reading((head,), weights.head_letter, guess=True, letter=True)
        else:
            yield from _begun((head,), text[1:], weights.head_letter, candidates)
    for length in range(min(len(text) - 2, MAX_INITIALS), 1, -1):
        phrase = context.acronyms.get(text[:length])
        if phrase:
            yield from _begun(phrase, text[length:], weights.acronym, candidates)
            return


def _begun(beginning: Words, rest: str, cost: float, candidates: Candidates) -> Iterator[Reading]:
    """Yield the readings of a token whose first letters stand for words of the table: `pname`."""
    words = candidates.words
    if len(rest) < 2 or not (words.is_plain(rest) or rest in words.abbreviations):
        return
    weights = candidates.weights
    for reading in candidates.of(rest)[:3]:
        if not reading.free:
            after = candidates.names.cost(beginning[-1], reading.words[0])
            yield Reading(
                (*beginning, *reading.words),
                cost + weights.begun + reading.cost + min(after, weights.noun_head),
            )


def _by_neighbours(
    text: str, candidates: Candidates, context: TableContext, place: Place
) -> Iterator[Reading]:
    """Yield the words that a lone letter stands for beside its neighbours, or in this table."""
    names = candidates.names
    found = dict.fromkeys(context.by_letter.get(text, ()))
    for word in place.after:
        found.update(dict.fromkeys(names.before(word, text)))
    for word in place.before:
        found.update(dict.fromkeys(names.after(word, text)))
    if not (place.after or place.before):
        found.update(dict.fromkeys(names.with_letter.get(text, ())[:MAX_LETTER_WORDS]))
    yield from map(candidates.letter, found)


def _by_letters(
    text: str, candidates: Candidates, context: TableContext, own: Comment, *, sure: bool
) -> Iterator[Reading]:
    """Yield the words of the table that the token may be short for.

    `sure`: only those of its name and of the column's comment.
    """
    if len(text) > MAX_SHORT_LETTERS:
        return
    weights = candidates.weights
    asked = context.by_letter.get(text[0], ())
    for word in (*own.costs, *asked):
        if word[0] != text[0] or (sure and word not in own.costs and word not in context.nouns):
            continue
        cost = candidates.shortening(text, word)
        if cost is not None:
            gain = weights.noun_gain * context.plain if word in context.nouns else 0.0
            yield Reading((word,), weights.table_guess + cost - gain)


def _likeliest(
    found: Sequence[Reading],
    candidates: Candidates,
    context: TableContext,
    own: Comment,
) -> list[Reading]:
    """Return the likeliest readings, each with its words once."""
    alone = candidates.names.alone
    costs = context.costs
    ranked = []
    for reading in found:
        words, cost, free = reading.words, reading.cost, reading.free
        if not free:
            word = words[0]
            place = alone(word)
            if word in costs:
                place = min(place, costs[word])
            if word in own.costs:
                place = min(place, own.costs[word])
            cost += place
        ranked.append((cost, words, reading))
    ranked.sort()
    worst = ranked[0][0] + HOPELESS
    kept: dict[Words, Reading] = {}
    for cost, words, reading in ranked:
        if cost > worst or len(kept) == MAX_READINGS:
            break
        kept.setdefault(words, reading)
    return list(kept.values())
