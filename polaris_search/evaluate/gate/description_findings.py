"""What the numbers of both sides' descriptions say of the candidate, condition by condition."""

from collections.abc import Iterator

from polaris_search.evaluate.gate.compared import Compared, Finding
from polaris_search.evaluate.gate.descriptions import DescriptionNumbers, TextNumbers
from polaris_search.evaluate.gate.thresholds import Thresholds


def description_findings(
    numbers: DescriptionNumbers, limits: Thresholds, *, against_base: bool
) -> Iterator[Finding]:
    """Yield a finding for each condition on descriptions; those on texts only where there are any.

    Args:
        numbers: of both sides.
        limits: what has to hold.
        against_base: whether the reference is the model without an adapter.
    """
    yield _enough(numbers.described, limits.min_described)
    for share in (numbers.valid, numbers.described, numbers.alone):
        yield _not_lower(share, limits.max_fall_valid)
    yield _not_higher(numbers.cut, limits.max_rise_cut)
    yield _mean_not_higher(numbers.replies, limits.max_rise_replies)
    if numbers.texts:
        yield from _of_texts(numbers.texts, limits, against_base=against_base)


def _of_texts(texts: TextNumbers, limits: Thresholds, *, against_base: bool) -> Iterator[Finding]:
    yield _sane_length(texts.words, limits.length)
    fall = -texts.distinct.difference.mean
    yield Finding(
        fall <= limits.max_fall_distinct,
        f"{_shares(texts.distinct)}; a fall of {limits.max_fall_distinct:.2f} is allowed.",
    )
    yield _mean_not_higher(texts.repeat, limits.max_rise_repeat)
    rise = texts.unknown.difference.mean
    yield Finding(
        rise <= limits.max_rise_unknown,
        f"{_shares(texts.unknown)}; a rise of {limits.max_rise_unknown:.2f} is allowed.",
    )
    if against_base:
        yield _not_the_base(texts.same, limits.max_same_as_base)


def _enough(described: Compared, least: float) -> Finding:
    return Finding(
        described.candidate >= least,
        f"The candidate describes {described.candidate:.0%} of {described.n} tables; "
        f"at least {least:.0%} are needed to judge it.",
    )


def _not_lower(share: Compared, most: float) -> Finding:
    found = share.difference
    return Finding(
        found.high >= 0 and found.mean >= -most,
        f"{_shares(share)}; a fall of {most:.2f} is allowed unless it is sure {_interval(share)}.",
    )


def _not_higher(share: Compared, most: float) -> Finding:
    found = share.difference
    return Finding(
        found.low <= 0 and found.mean <= most,
        f"{_shares(share)}; a rise of {most:.2f} is allowed unless it is sure {_interval(share)}.",
    )


def _mean_not_higher(mean: Compared, most: float) -> Finding:
    return Finding(
        mean.difference.mean <= most,
        f"{_title(mean)}: {mean.candidate:.1f} against {mean.reference:.1f}; "
        f"a rise of {most:.1f} is allowed.",
    )


def _sane_length(words: Compared, allowed: tuple[float, float]) -> Finding:
    least, most = allowed
    return Finding(
        least * words.reference <= words.candidate <= most * words.reference,
        f"Descriptions have {words.candidate:.1f} words against {words.reference:.1f}; "
        f"{least:g} to {most:g} times as many are allowed.",
    )


def _not_the_base(same: float, most: float) -> Finding:
    return Finding(
        same < most,
        f"{same:.0%} of the descriptions are the base's, letter by letter; from {most:.0%} on the "
        "adapter is not in use, or does nothing.",
    )


def _shares(share: Compared) -> str:
    return f"{_title(share)}: {share.candidate:.3f} against {share.reference:.3f}"


def _title(one: Compared) -> str:
    return one.name[0].upper() + one.name[1:]


def _interval(one: Compared) -> str:
    return f"[{one.difference.low:+.3f}, {one.difference.high:+.3f}]"
