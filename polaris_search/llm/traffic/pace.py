"""How many requests at a time a server is asked, found out by trying: a controller, pure.

It doubles while that pays, then holds a level and now and then tries one above and one below, and
goes where the power is greater (see `spell`). A server that refuses halves the level at once, and
is tried upwards again in steps (Chiu and Jain 1989, "Analysis of the increase and decrease
algorithms for congestion avoidance in computer networks").
"""

from dataclasses import dataclass, field
from typing import Literal

from polaris_search.llm.traffic.spell import Spell

FIRST_LEVEL = 4
"""Requests at a time at first: what a small server has room for."""
FEWEST_DOUBLING = 4
FEWEST_HOLDING = 20
"""Requests that judge a level at least: lengths of replies differ."""
BETTER_DOUBLED = 1.05
BETTER_HIGHER = 1.01
AS_GOOD_LOWER = 0.96
"""Shares of the held level's power: a lower one in doubt is taken, which costs nothing that can be
measured, a higher one is not.
"""
IN_DOUBT = 0.04
"""So near to its share a level is judged by twice as many requests."""
CLEARLY_WORSE = 0.94
HOPELESS = 0.88
"""So much worse is seen by one lap of requests."""
STEEP = 1.5
LOOKS_UP_ONLY = 2
"""So many looks spare a lower level that lost much: trying it costs throughput, a higher does not.
"""
FIRST_REST = 4
LONGEST_REST = 32
"""Spells at a level between two looks around it; longer each time that they change nothing."""
OLDER_WEIGHT = 0.75
CHANGED = 0.75
"""A spell so far below what was held, or above by its inverse, means another server or load."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A request under way, as the controller remembers it: in which spell it began."""

    spell: int
    cuts: int
    saturated: bool


@dataclass(slots=True)
class Pace:
    """The level of one server.

    Args:
        most: never more requests at a time.
        least: never fewer; where both are equal the level is fixed.
        first: the level to begin at.
    """

    most: int
    least: int = 1
    first: int = FIRST_LEVEL
    outstanding: int = 0
    _phase: Literal["doubling", "holding", "trying"] = "doubling"
    _spell: Spell = field(default_factory=lambda: Spell(1))
    _spells: int = 0
    _held: Spell | None = None
    """The level to beat, as measured so far; None where it is not."""
    _to_try: list[int] = field(default_factory=list)
    _rest: int = FIRST_REST
    _until_look: int = 0
    _looks_up_only: int = 0
    _roof: int = 0
    _cuts: int = 0

    def __post_init__(self) -> None:
        self._roof = self.most
        self._begin(self._first_level)

    @property
    def level(self) -> int:
        """Requests at a time that the server is to be asked now."""
        return self._spell.level

    @property
    def has_room(self) -> bool:
        """Whether one more request may begin."""
        return self.outstanding < self.level

    def began(self) -> Begun:
        """Note that a request begins; hand what comes back to the other methods."""
        self.outstanding += 1
        return Begun(self._spells, self._cuts, self.outstanding >= self.level)

    def finished(self, begun: Begun, seconds: float, work: float) -> None:
        """Hear that a request was answered after `seconds`; `work` is its tokens, or 1 for each."""
        self.outstanding -= 1
        # A request tells of the level only if it lived under it, with as many beside it.
        if begun.spell == self._spells and begun.saturated and self.least < self.most:
            self._spell.add(seconds, work)
            self._judge(self._spell)

    def failed(self, begun: Begun) -> None:
        """Hear that a request ended without a reply, for no want of room."""
        self.outstanding -= 1

    def refused(self, begun: Begun) -> bool:
        """Hear that the server has no room for a request; return whether that was news.

        Requests that began before the last halving say nothing new.
        """
        self.outstanding -= 1
        if begun.cuts != self._cuts:
            return False
        self._cuts += 1
        self._roof = max(self.least, self.level - 1)
        self._hold(max(self.least, self.level // 2), None, rest=0)
        return True

    def start_again(self) -> None:
        """Hear that the server was away: what is known of it may be true no more."""
        self._roof = self.most
        self._phase, self._held, self._to_try = "doubling", None, []
        self._begin(min(self.level, self._first_level))

    @property
    def _first_level(self) -> int:
        return min(self.most, max(self.least, self.first))

    def _judge(self, spell: Spell) -> None:
        if self._phase == "trying" and self._held is not None:
            self._judge_tried(spell, self._held)
        elif self._phase == "doubling" and spell.count >= max(FEWEST_DOUBLING, spell.level):
            self._judge_doubled(spell)
        elif self._phase == "holding" and spell.count >= self._enough(spell):
            self._judge_held(spell)

    def _judge_doubled(self, spell: Spell) -> None:
        before = self._held
        if before is not None and spell.power <= BETTER_DOUBLED * before.power:
            is_between = spell.power > AS_GOOD_LOWER * before.power  # then smaller steps may pay
            self._hold(before.level, before, rest=0 if is_between else FIRST_REST)
            return
        is_steep = before is not None and spell.power > STEEP * before.power
        self._looks_up_only = LOOKS_UP_ONLY if is_steep else 0
        doubled = min(self._roof, 2 * spell.level)
        if doubled > spell.level:
            self._held = spell
            self._begin(doubled)
        else:
            # Where the last step brought little, it may have been too long.
            self._hold(spell.level, spell, rest=FIRST_REST if before is None or is_steep else 0)

    def _judge_held(self, spell: Spell) -> None:
        """A spell at the level that holds is over: go on, or look around."""
        before = self._held
        self._held = spell.after(before, OLDER_WEIGHT) if before else spell
        if before and not CHANGED < spell.power / before.power < 1 / CHANGED:
            # Measured anew first: this spell may have seen the change come.
            self._held, self._until_look, self._looks_up_only = None, 0, 0
            self._begin(spell.level)
        elif self._until_look > 0:
            self._until_look -= 1
            self._begin(spell.level)
        else:
            self._look_around(self._held)

    def _look_around(self, held: Spell) -> None:
        level, step = held.level, _step(held.level)
        if level == self._roof:  # perhaps there is room again
            self._roof = min(self.most, self._roof + 1)
        higher, lower = min(self._roof, level + step), max(self.least, level - step)
        spares_lower = self._looks_up_only > 0
        self._looks_up_only -= spares_lower
        self._to_try = [one for one in (higher, level if spares_lower else lower) if one != level]
        self._try_next(held)

    def _try_next(self, held: Spell) -> None:
        if self._to_try:
            self._phase, self._held = "trying", held
            self._begin(self._to_try.pop(0))
        else:  # nothing near is better
            self._hold(held.level, held, rest=min(LONGEST_REST, 2 * self._rest))

    def _judge_tried(self, tried: Spell, held: Spell) -> None:
        ratio = tried.power / held.power
        is_lower = tried.level < held.level
        wanted = AS_GOOD_LOWER if is_lower else BETTER_HIGHER
        enough = self._enough(tried) * (2 if abs(ratio - wanted) < IN_DOUBT else 1)
        hopeless = ratio < HOPELESS and tried.count >= max(FEWEST_DOUBLING, tried.level)
        if tried.count < enough and not hopeless:
            return
        if is_lower and ratio < CLEARLY_WORSE:
            self._looks_up_only = LOOKS_UP_ONLY
        if ratio <= wanted:
            self._try_next(held)
            return
        self._rest = FIRST_REST // 2
        step = _step(tried.level)
        further = tried.level + (-step if is_lower else step)
        further = max(self.least, min(self._roof, further))
        self._to_try = [further] if further != tried.level else []
        self._try_next(tried)

    def _enough(self, spell: Spell) -> int:
        return max(FEWEST_HOLDING, 2 * spell.level)

    def _hold(self, level: int, held: Spell | None, rest: int) -> None:
        self._phase, self._held, self._to_try = "holding", held, []
        self._rest, self._until_look = max(rest, FIRST_REST // 2), rest
        self._begin(level)

    def _begin(self, level: int) -> None:
        self._spells += 1
        self._spell = Spell(level)


def _step(level: int) -> int:
    return max(1, level // 4)
