"""Pairs made ready: read, counted in tokens, what does not fit named, the rest split in two."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polaris_search.llm.model import ChatMessage
from trainer.training.base.model import BaseTokenizer
from trainer.training.data.lengths import Fate, Fitted, fitted, pair_tokens
from trainer.training.data.origin import PairOrigin, read_origin
from trainer.training.data.preferences import (
    MAX_LINES_SHOWN,
    Dropped,
    Preference,
    PreferenceFile,
    grouped,
)
from trainer.training.data.split import groups_of, held_out_of
from trainer.training.problems import PairsInvalid
from trainer.training.settings import TrainSettings

CONTROL = "it holds {token!r}, which the model does not read as text"
NOTHING = "(?!)"
"""A pattern that no text has."""
SAID: dict[Fate, str] = {
    "cut": "a reply is cut at the limit of {limit} tokens and loses its end",
    "prompt too long": "the prompt alone has the limit of {limit} tokens or more",
    "alike when cut": "both replies are the same up to the limit of {limit} tokens",
}


@dataclass(frozen=True, slots=True)
class PreparedPairs:
    """Pairs ready to train on.

    Attributes:
        file: where they were read.
        origin: where the file comes from.
        fitted: what the limit of tokens does to them.
        train: pairs to learn from.
        held_out: pairs to measure.
        dropped: pairs that are neither, in the order of lines.
        cut: lines of pairs that lose a reply's end.
        groups: groups of pairs that share a query or prompt.
    """

    file: PreferenceFile
    origin: PairOrigin
    fitted: Fitted
    train: tuple[Preference, ...]
    held_out: tuple[Preference, ...]
    dropped: tuple[Dropped, ...]
    cut: tuple[int, ...]
    groups: int

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs became what."""
        return {
            "read": self.file.read,
            "trained": len(self.train),
            "held_out": len(self.held_out),
            "cut": len(self.cut),
            "dropped": len(self.dropped),
            "groups": self.groups,
            "max_length": self.fitted.limit,
        }

    def notices(self, settings: TrainSettings, fixed_prompt: Sequence[ChatMessage]) -> list[str]:
        """Return what a person must know of the pairs, each a sentence."""
        said = [self.origin.notice] if self.origin.notice else []
        said += _by_reason(self.dropped, "dropped")
        cut = SAID["cut"].format(limit=self.fitted.limit)
        said += _by_reason([Dropped(line, cut) for line in self.cut], "cut")
        if settings.held_out and not self.held_out:
            said.append(
                "No pair is held out: all of them share queries or prompts with more than half of "
                "the others."
            )
        kept = (*self.train, *self.held_out)
        fixed = tuple(fixed_prompt)
        others = sum(pair.prompt[: len(fixed)] != fixed for pair in kept)
        if others:
            said.append(
                f"{others} of {len(kept)} pairs ask with another prompt than descriptions are "
                "asked for with now: what is learned there may not show."
            )
        return said


def prepare(file: PreferenceFile, base: BaseTokenizer, settings: TrainSettings) -> PreparedPairs:
    """Return the file's pairs, ready to train on.

    Raises:
        PairsInvalid: too few of them can be used.
        BaseUnusable: the chat template is not one to train with.
    """
    plain, foreign = _without_control(file.pairs, _control_tokens(base))
    tokens = [pair_tokens(pair, base.tokenizer, base.end_ids) for pair in plain]
    fit = fitted(tokens, settings.max_length, base.context)
    fates = list(zip(plain, fit.fates, strict=True))
    usable = [pair for pair, fate in fates if fate in ("whole", "cut")]
    long = [
        Dropped(pair.line, SAID[fate].format(limit=fit.limit))
        for pair, fate in fates
        if fate not in ("whole", "cut")
    ]
    dropped = tuple(sorted((*file.dropped, *foreign, *long), key=lambda one: one.line))
    _require_enough(file.path, len(usable), dropped, settings)
    origin = read_origin(file.path, file.read)
    groups = groups_of([_keys(pair, origin) for pair in usable])
    held = held_out_of(groups, settings.held_out, settings.seed)
    return PreparedPairs(
        file,
        origin,
        fit,
        tuple(pair for place, pair in enumerate(usable) if place not in held),
        tuple(pair for place, pair in enumerate(usable) if place in held),
        dropped,
        tuple(pair.line for pair, fate in fates if fate == "cut"),
        len(groups),
    )


def conversations(pairs: Sequence[Preference]) -> list[dict[str, Any]]:
    """Return the pairs in trl's conversational preference format."""
    return [
        {
            "prompt": [{"role": one.role, "content": one.content} for one in pair.prompt],
            "chosen": [{"role": "assistant", "content": pair.chosen}],
            "rejected": [{"role": "assistant", "content": pair.rejected}],
        }
        for pair in pairs
    ]


def _control_tokens(base: BaseTokenizer) -> re.Pattern[str]:
    """Return what finds a token in a text that the tokenizer would not take for text."""
    added = base.tokenizer.added_tokens_decoder.values()
    named = [re.escape(one.content) for one in added if one.special and one.content.strip()]
    return re.compile("|".join(named) or NOTHING)


def _without_control(
    pairs: Sequence[Preference], tokens: re.Pattern[str]
) -> tuple[list[Preference], list[Dropped]]:
    """Return the pairs whose texts are text alone, and the others.

    A control token in a text would be read as one, and teach a model to go on after its end.
    """
    plain: list[Preference] = []
    foreign: list[Dropped] = []
    for pair in pairs:
        texts = (*(message.content for message in pair.prompt), pair.chosen, pair.rejected)
        found = next((match for text in texts if (match := tokens.search(text))), None)
        if found is None:
            plain.append(pair)
        else:
            foreign.append(Dropped(pair.line, CONTROL.format(token=found.group())))
    return plain, foreign


def _keys(pair: Preference, origin: PairOrigin) -> list[str]:
    """Return what ties a pair to others: its prompt, and the queries that ranked it."""
    queries = origin.queries[pair.place] if origin.queries else frozenset()
    return [f"prompt {pair.prompt_key}", *(f"query {one}" for one in sorted(queries))]


def _require_enough(
    path: Path, usable: int, dropped: Sequence[Dropped], settings: TrainSettings
) -> None:
    if usable < settings.min_pairs:
        few = f"{usable} pairs can be used, fewer than --min-pairs {settings.min_pairs}"
        raise PairsInvalid(
            path,
            [few, *grouped(dropped)],
            "Make more pairs, raise --max-length, or lower --min-pairs.",
        )


def _by_reason(pairs: Sequence[Dropped], what: str) -> list[str]:
    """Return a sentence for each reason, with the first lines that it holds for."""
    by_reason: dict[str, list[int]] = {}
    for one in pairs:
        by_reason.setdefault(one.reason, []).append(one.line)
    said = []
    for reason, lines in by_reason.items():
        shown = ", ".join(map(str, lines[:MAX_LINES_SHOWN]))
        more = f" and {len(lines) - MAX_LINES_SHOWN} more" if len(lines) > MAX_LINES_SHOWN else ""
        said.append(f"{len(lines)} pairs {what}: {reason} (lines {shown}{more}).")
    return said
