"""How often a gate promotes an adapter of known worth, at its default limits.

    python bench/gate.py [--trials 400]

Made-up differences of nDCG@10 with a known mean: of the live search and of the description alone,
about as wide as between the best of three of a small model's texts and the first (standard
deviations .10 and .23 a query), two queries a table that share most of it; or met by few: one
query in twenty-five, with its table's other one, loses or gains .5, under both searches, and the
rest stay as they are. Only retrieval is judged.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from machine import load

from polaris_search.evaluate.gate.retrieval import Asked, Searched, compare_means
from polaris_search.evaluate.gate.thresholds import Thresholds

SEED = 20261201
LIMITS = Thresholds()
SIZES = (50, 100, 200, 400)
WORTHS = (-0.02, -0.01, 0.0, 0.02, 0.04)
WIDTHS = {"default": 0.10, "paper-single": 0.23}
SHARED = 0.7
"""Of the variance, what queries of one table have in common."""
FEW = 0.04
STEP = 0.5


@dataclass(frozen=True)
class World:
    """Held-out queries whose true difference is `worth`, met by all or by few."""

    n_queries: int
    worth: float
    by_few: bool

    def searched(self, chance: np.random.Generator) -> Iterator[Searched]:
        few = self._of_few(chance)  # the same queries under each profile
        for profile, width in WIDTHS.items():
            drawn = few if self.by_few else self._of_all(chance, width)
            reference = {f"q{n}": {"nDCG@10": 0.5, "R@100": 1.0} for n in range(self.n_queries)}
            candidate = {
                query: values | {"nDCG@10": 0.5 + float(difference)}
                for (query, values), difference in zip(reference.items(), drawn, strict=True)
            }
            yield Searched(profile, candidate, reference)

    def asked(self) -> Asked:
        return Asked({f"q{n}": f"t{n // 2}" for n in range(self.n_queries)}, {})

    def _of_all(self, chance: np.random.Generator, width: float):
        of_table = chance.normal(0, width * SHARED**0.5, self.n_queries // 2).repeat(2)
        return self.worth + of_table + chance.normal(0, width * (1 - SHARED) ** 0.5, self.n_queries)

    def _of_few(self, chance: np.random.Generator):
        gains = (FEW + self.worth / STEP) / 2
        met = chance.random(self.n_queries // 2)
        of_table = np.where(met < gains, STEP, np.where(met < FEW, -STEP, 0.0))
        return of_table.repeat(2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=400)
    trials = parser.parse_args().trials
    print(f"Share of {trials} adapters promoted; load {load()}.")
    for by_few in (False, True):
        print(f"\n{'one query in 25 changes' if by_few else 'all queries change'}")
        print("worth     " + "".join(f"{n:>8}" for n in SIZES) + "  queries")
        for worth in WORTHS:
            if by_few and abs(worth) > FEW * STEP:
                continue
            shares = [promoted(World(n, worth, by_few), trials) for n in SIZES]
            print(f"{worth:+.2f}     " + "".join(f"{share:8.3f}" for share in shares), flush=True)


def promoted(world: World, trials: int) -> float:
    """Return the share of trials in which every mean held."""
    chance = np.random.default_rng([SEED, world.n_queries, round(1000 * (world.worth + 1))])
    asked = world.asked()
    return (
        sum(
            all(
                finding.holds
                for one in world.searched(chance)
                for _, finding in compare_means(one, asked, LIMITS)
            )
            for _ in range(trials)
        )
        / trials
    )


if __name__ == "__main__":
    main()
