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
    """What each kind of evidence costs or gains.

    The numbers here are where fitting starts; those in use are read from data/weights.txt.
    """

    neighbour_share: float = 0.5
    """How much of a word's chance comes from the word before it, 0 to 1."""
    names_share: float = 0.7
    """How much of the rest comes from names of tables, against all English, 0 to 1."""
    word_scale: float = 0.85
    """What the cost of words counts against that of their short forms."""
    end: float = 1.3
    """What the cost of a last word that seldom ends a name counts."""

    spelled_out: float = 0.3
    listed: float = 1.4
    listed_rank: float = 0.4
    listed_word: float = 5.64
    listed_pair: float = 3.54
    guess: float = 3.44
    guess_pair: float = 0.0
    beside_listed: float = 0.56
    english_guess: float = 0.46
    shortening: float = 1.23
    letter: float = 4.3
    letter_apart: float = 2.4
    initials: float = 6.4
    upper_initials: float = -1.5
    upper_guess: float = 2.8
    chained_initials: float = 4.0
    defined: float = -18.0
    opposite: float = -4.0
    acronym: float = -3.44
    acronym_inside: float = 0.3
    begun: float = 3.64
    table_guess: float = 1.56
    head_letter: float = -0.24
    glued_letter: float = 4.6
    cut: float = -1.24

    literal: float = 8.6
    literal_letter: float = 2.03
    spoken_letter: float = 1.3
    literal_mark: float = 9.0
    """A single letter left alone."""
    plain_from: float = 0.25
    """The share of plain tokens above which a table speaks for leaving short forms alone."""
    plain_table: float = 10.6
    """What leaving a short form alone gains in a table of words only."""
    plain_letter: float = 3.2
    """The same for a single letter."""
    plain_last_letter: float = 1.36
    """The same for a single letter that does not come first, more."""
    plain_code: float = 8.4
    """The same for a short name of one token, more."""
    plain_phrase: float = 16.64
    """The same for a word or short form in a name that has words like `of`, more."""
    abbreviated_table: float = 5.192
    """What leaving a word alone costs more in a table of short forms only."""

    noun_gain: float = 8.0
    """What a word of the table's name gains in a table of words only."""
    own_word: float = -18.0
    name_word: float = 4.68
    text_word: float = 4.0
    sibling_word: float = 4.0
    topic_word: float = 5.2
    topic_pair: float = -0.692
    topic_phrase: float = -0.44
    noun_head: float = 0.96
    pair: float = 1.8
    vote: float = 5.82

    sure_base: float = -1.57
    sure_chance: float = 0.34
    sure_letter: float = 0.73
    sure_guess: float = 0.4
    sure_listed: float = 0.42
    sure_left: float = -2.83
    sure_plain: float = 2.29
    sure_plain_left: float = 1.03
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
