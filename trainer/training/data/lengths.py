"""Pairs as the base model's tokens: how long they are, where replies differ, and that they end.

The prompt is rendered by the model's own chat template, as a server renders it. A template that
renders a prompt otherwise once a reply follows, or that ends a reply with none of the model's end
tokens, would teach something else than is served, and is refused.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from trainer.training.data.preferences import Preference
from trainer.training.problems import BaseUnusable

Fate = Literal["whole", "cut", "prompt too long", "alike when cut"]


@dataclass(frozen=True, slots=True)
class PairTokens:
    """How many tokens a pair has.

    Attributes:
        prompt: of the prompt, with what begins a reply.
        chosen: of the better reply, its end included.
        rejected: of the other.
        alike: how many tokens both replies begin with.
    """

    prompt: int
    chosen: int
    rejected: int
    alike: int

    @property
    def longest(self) -> int:
        """Tokens of the prompt with the longer reply."""
        return self.prompt + max(self.chosen, self.rejected)

    @property
    def together(self) -> int:
        """Tokens of the pair with its prompt counted once."""
        return self.prompt + self.chosen + self.rejected

    def fate(self, limit: int) -> Fate:
        """Return what becomes of the pair if it is cut after `limit` tokens."""
        if self.longest <= limit:
            return "whole"
        if self.prompt >= limit:
            return "prompt too long"
        # A reply that ends where the other goes on differs there, unless the cut comes before.
        return "alike when cut" if self.prompt + self.alike >= limit else "cut"


def pair_tokens(pair: Preference, tokenizer: Any, end_ids: frozenset[int]) -> PairTokens:
    """Return how many tokens the pair has.

    Args:
        pair: of two different replies.
        tokenizer: of transformers, with a chat template.
        end_ids: tokens that a server stops at.

    Raises:
        BaseUnusable: the chat template is not one to train with; see the module.
    """
    prompt = [{"role": one.role, "content": one.content} for one in pair.prompt]
    asked = _ids(tokenizer, prompt, add_generation_prompt=True)
    replies = [
        _ids(tokenizer, [*prompt, {"role": "assistant", "content": text}])
        for text in (pair.chosen, pair.rejected)
    ]
    if any(ids[: len(asked)] != asked for ids in replies):
        raise BaseUnusable(
            tokenizer.name_or_path,
            "its chat template renders a prompt differently once a reply follows "
            f"(line {pair.line} of the pairs), so training would not see what is served",
            "Use a model whose template ends a prompt as it begins a reply.",
        )
    chosen, rejected = (ids[len(asked) :] for ids in replies)
    if not end_ids.intersection(chosen[-3:]) or not end_ids.intersection(rejected[-3:]):
        raise BaseUnusable(
            tokenizer.name_or_path,
            "its chat template ends a reply without any of the model's end tokens, so that a "
            "trained model would not learn to stop",
            "Set eos_token in tokenizer_config.json to what ends a reply in the template.",
        )
    return PairTokens(len(asked), len(chosen), len(rejected), _alike(chosen, rejected))


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a limit of tokens does to pairs.

    Attributes:
        limit: most tokens of a prompt with a reply.
        fates: of each pair, in order.
        longest: tokens of the longest pair that stays, cut, its prompt counted once.
    """

    limit: int
    fates: tuple[Fate, ...]
    longest: int

    @property
    def counts(self) -> dict[Fate, int]:
        """How many pairs each fate has."""
        return dict(Counter(self.fates))


def fitted(pairs: Sequence[PairTokens], max_length: int | None, context: int) -> Fitted:
    """Return what becomes of each pair.

    Args:
        pairs: their tokens.
        max_length: the limit; None: the longest pair's, so that nothing is cut.
        context: most tokens that the model reads, a limit in any case.
    """
    longest = max((pair.longest for pair in pairs), default=1)
    limit = min(context, longest if max_length is None else max_length)
    fates = tuple(pair.fate(limit) for pair in pairs)
    together = (
        min(pair.together, 2 * limit - pair.prompt)
        for pair, fate in zip(pairs, fates, strict=True)
        if fate in ("whole", "cut")
    )
    return Fitted(limit, fates, max(together, default=1))


def _ids(tokenizer: Any, messages: list[dict[str, str]], **how: bool) -> list[int]:
    rendered = tokenizer.apply_chat_template(messages, tokenize=True, return_dict=True, **how)
    return [int(one) for one in rendered["input_ids"]]


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    shorter = min(len(one), len(other))
    return next((place for place in range(shorter) if one[place] != other[place]), shorter)
