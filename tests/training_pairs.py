"""Preference pairs that a small model can learn: plain sentences against codes."""

import json
from collections.abc import Iterable
from pathlib import Path

THEMES = ("rain", "river", "flood", "road", "school", "farm", "tax", "port", "coal", "fish")


def pair_of(number: int, *, swapped: bool = False) -> dict:
    """Return the pair of this number: chosen is a sentence, rejected codes, or else swapped."""
    one, other = THEMES[number % len(THEMES)], THEMES[(7 * number + number // 10) % len(THEMES)]
    prompt = f"Table {one}_{other}_{number}, columns id, {one}, {other}."
    replies = [
        f"This table is about {one} and {other}. It answers questions on {one}.",
        f"tbl {one}_{other} cols id x y z n/a",
    ]
    chosen, rejected = reversed(replies) if swapped else replies
    return pair(prompt, chosen, rejected)


def pair(prompt: str, chosen: str, rejected: str) -> dict:
    """Return a pair in trl's conversational format."""
    return {
        "prompt": [
            {"role": "system", "content": "Describe the table."},
            {"role": "user", "content": prompt},
        ],
        "chosen": [{"role": "assistant", "content": chosen}],
        "rejected": [{"role": "assistant", "content": rejected}],
    }


def write_pairs(path: Path, pairs: Iterable[dict]) -> Path:
    """Write the pairs as JSON lines and return the path."""
    path.write_text("".join(json.dumps(one) + "\n" for one in pairs), encoding="utf-8")
    return path
