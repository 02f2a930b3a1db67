"""What a token may stand for, and what reading it so costs."""

from typing import NamedTuple

Words = tuple[str, ...]


class Reading(NamedTuple):
    """The words that a token may stand for; a named tuple, for millions of them are made.

    `cost`: of the token being short for these words, and of the words after the first one; the
    first one costs what its place costs, unless `free`. `literal`: the token stands for itself.
    `guess`: by its letters alone, from a list of words. `letter`: of a lone letter.
    """

    words: Words
    cost: float
    literal: bool = False
    guess: bool = False
    free: bool = False
    letter: bool = False

    def at(self, cost: float) -> "Reading":
        """Return the reading at another cost."""
        return Reading(self.words, cost, self.literal, self.guess, self.free, self.letter)
