"""The numbers that weigh readings against each other, fitted by `bench/expansion_fit.py`.

Costs are -ln of a rough probability, so that costs of independent choices add up and the smaller
sum is the likelier reading.
"""

from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files

HEADER = (
    "# Made by bench/expansion_fit.py: what each kind of evidence costs or gains. See weights.py.\n"
)


@dataclass(frozen=True, slots=True)
class Weights:
    """What each kind of evidence costs or gains. Read from data/weights.txt, one number a line."""

    neighbour_share: float = 0.6
    """How much of a word's chance comes from the word before it, 0 to 1."""
    names_share: float = 0.8
    """How much of the rest comes from names of tables, against all English, 0 to 1."""
    word_scale: float = 0.9
    """What the cost of words counts against that of their short forms."""
    end: float = 0.5
    """What the cost of a last word that seldom ends a name counts."""

    spelled_out: float = 0.3
    listed: float = 1.0
    listed_rank: float = 0.7
    listed_word: float = 5.0
    listed_pair: float = 0.5
    guess: float = 4.0
    guess_pair: float = 1.0
    beside_listed: float = 2.0
    english_guess: float = 1.5
    shortening: float = 1.0
    letter: float = 3.5
    letter_apart: float = 2.0
    initials: float = 6.0
    upper_initials: float = -1.5
    upper_guess: float = 2.0
    chained_initials: float = 4.0
    defined: float = -12.0
    opposite: float = -4.0
    acronym: float = 0.0
    acronym_inside: float = 0.3
    begun: float = 1.0
    table_guess: float = 1.0
    head_letter: float = 2.0
    glued_letter: float = 5.0
    cut: float = 3.0

    literal: float = 10.0
    literal_letter: float = 1.8
    spoken_letter: float = 1.4
    literal_mark: float = 9.0
    """A single letter left alone."""
    plain_from: float = 0.3
    """The share of plain tokens above which a table speaks for leaving short forms alone."""
    plain_table: float = 9.0
    """What leaving a short form alone gains in a table of words only."""
    plain_letter: float = 3.0
    """The same for a single letter."""
    plain_last_letter: float = 4.0
    """The same for a single letter that does not come first, more."""
    plain_code: float = 8.0
    """The same for a short name of one token, more."""
    plain_phrase: float = 14.0
    """The same for a word or short form in a name that has words like `of`, more."""
    abbreviated_table: float = 2.0
    """What leaving a word alone costs more in a table of short forms only."""

    own_word: float = -12.0
    name_word: float = 3.6
    text_word: float = 4.0
    sibling_word: float = 4.8
    topic_word: float = 5.2
    topic_pair: float = 2.5
    topic_phrase: float = 3.0
    noun_head: float = 1.2
    pair: float = 1.8
    vote: float = 3.0

    sure_base: float = 3.0
    sure_chance: float = 0.3
    sure_letter: float = -1.5
    sure_guess: float = -1.5
    sure_listed: float = -0.5
    sure_left: float = -3.0
    sure_plain: float = 1.0
    sure_plain_left: float = 3.0
    """How sure a name is, in log-odds: to begin with, for the log-odds of its chance by the costs,
    for each lone letter, other guess and listed short form in it, for each token left alone that
    is no word, for how plain its table is, and for both of these together."""


@cache
def fitted_weights() -> Weights:
    """Return the shipped weights."""
    text = files("ingest.expand.data").joinpath("weights.txt").read_text(encoding="utf-8")
    return weights_of(text)


def weights_of(text: str) -> Weights:
    """Return the weights that a text gives, `name number` in each line."""
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return Weights(**{name: float(number) for name, number in lines})


def as_text(weights: Weights) -> str:
    """Return what `weights_of` reads."""
    return "".join(f"{one.name} {getattr(weights, one.name):g}\n" for one in fields(weights))
