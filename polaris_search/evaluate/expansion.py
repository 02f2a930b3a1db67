"""How well names were expanded: exact match and token F1 of each name against its gold expansion.

The rules are Columbo's, with plural endings cut in place of lemmas: case, punctuation and articles
do not count, synonyms and stop words that stand beside the gold file do. How a name was expanded is
not known here.
"""

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from pathlib import Path

from polaris_search.evaluate.problems import EvaluationDataInvalid, Problem
from polaris_search.evaluate.rows import Row, read_rows
from polaris_search.evaluate.rules_file import read_rules_file
from polaris_search.records import MAX_TABLE_ID_CHARS

GOLD_COLUMNS = ("table_name", "column_name", "expansion")
MAX_VARIANTS = 128
"""Combinations of synonyms that are tried for one gold expansion."""

Words = tuple[str, ...]

_SEPARATORS = str.maketrans("_-/", "   ")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_DIGIT_BORDER = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One column of a gold file and what its name means."""

    table_name: str
    column_name: str
    expansion: str


@dataclass(frozen=True, slots=True)
class GoldRules:
    """What a gold file counts as equal: synonyms of phrases, both ways; words that do not count."""

    synonyms: Mapping[Words, tuple[Words, ...]] = field(default_factory=dict)
    stop_words: frozenset[str] = frozenset()

    @property
    def longest_phrase(self) -> int:
        """Words in the longest phrase that has a synonym, 0 without any."""
        return max(map(len, self.synonyms), default=0)


@dataclass(frozen=True, slots=True)
class NameScore:
    """One name: `exact_match` is 0 or 1, `f1` from 0 to 1."""

    exact_match: float
    f1: float


@dataclass(frozen=True, slots=True)
class ExpansionScore:
    """Means over all columns of a gold file, 0 to 1; a column without a prediction scores 0."""

    set: str
    columns: int
    exact_match: float
    f1: float


def read_gold(path: Path) -> list[GoldRow]:
    """Return the rows of a gold file, a CSV with the columns table_name, column_name, expansion.

    Raises:
        EvaluationDataInvalid: the file, or some rows of it, cannot be read; it names them all.
    """
    gold: list[GoldRow] = []
    problems: list[Problem] = []
    for row in read_rows(path, GOLD_COLUMNS):
        problem = row if isinstance(row, Problem) else _row_problem(row, path)
        if problem:
            problems.append(problem)
        elif isinstance(row, Row):
            gold.append(GoldRow(*(row.cells[column] for column in GOLD_COLUMNS)))
    if not problems and not gold:
        problems.append(Problem(path, None, "It holds no rows", "Add a row for each column name."))
    if problems:
        raise EvaluationDataInvalid(problems)
    return gold


def _row_problem(row: Row, path: Path) -> Problem | None:
    """Return why a row cannot stand in a table, None if it can."""
    for column in GOLD_COLUMNS:
        if "\0" in row.cells[column]:
            return Problem(path, row.line, f"The {column} holds a NUL character", "Remove it.")
    length = len(row.cells["table_name"])
    if length > MAX_TABLE_ID_CHARS:
        problem = f"The table_name has {length} characters, more than {MAX_TABLE_ID_CHARS}"
        return Problem(path, row.line, problem, "Shorten it.")
    return None


def read_rules(gold_path: Path) -> GoldRules:
    """Return the rules beside a gold file: SET.synonyms.json and SET.stopwords.json, where present.

    Synonyms are a JSON object from a phrase to one phrase or a list; stop words a JSON list.

    Raises:
        EvaluationDataInvalid: one of the two is not such JSON.
    """
    synonyms = _read_synonyms(gold_path.with_suffix(".synonyms.json"))
    stop_words = _read_stop_words(gold_path.with_suffix(".stopwords.json"))
    return GoldRules(_both_ways(synonyms), frozenset(stop_words))


def score_set(
    set_name: str, gold: Sequence[GoldRow], predictions: Sequence[str | None], rules: GoldRules
) -> ExpansionScore:
    """Return the means over a gold file; `predictions` runs parallel to `gold`, None if missing."""
    scores = [
        score_name(prediction, row.expansion, rules)
        for row, prediction in zip(gold, predictions, strict=True)
        if prediction is not None
    ]
    columns = len(gold)
    return ExpansionScore(
        set=set_name,
        columns=columns,
        exact_match=sum(score.exact_match for score in scores) / columns,
        f1=sum(score.f1 for score in scores) / columns,
    )


def score_name(prediction: str, gold: str, rules: GoldRules) -> NameScore:
    """Return the best score of a prediction over its plural-cut form and all variants of the gold.

    Source: the evaluation of anhaidgroup/columbo, with `singular` in place of its lemmas.
    """
    predicted = _counting(name_words(prediction), rules)
    forms = (predicted, _singulars(predicted))
    accepted = gold_variants(gold, rules)
    if any(form in accepted for form in forms):
        return NameScore(1.0, 1.0)
    return NameScore(0.0, max(token_f1(form, variant) for form in forms for variant in accepted))


def gold_variants(gold: str, rules: GoldRules) -> list[Words]:
    """Return all accepted word sequences: synonyms in, stop words out, plurals cut or not."""
    choices = _synonym_choices(name_words(gold), rules)
    variants: dict[Words, None] = {}
    for chosen in islice(product(*choices), MAX_VARIANTS):
        words = _counting(tuple(word for phrase in chosen for word in phrase), rules)
        variants[words] = None
        variants[_singulars(words)] = None
    return list(variants)


def token_f1(predicted: Words, gold: Words) -> float:
    """Return the harmonic mean of token precision and recall, from 0 to 1, order left aside."""
    common = (Counter(predicted) & Counter(gold)).total()
    return 2 * common / (len(predicted) + len(gold)) if common else 0.0


def name_words(text: str) -> Words:
    """Return the words that count: lower case, digits set apart, no punctuation, no articles."""
    spaced = text.lower().translate(_SEPARATORS).translate(_PUNCTUATION)
    return tuple(_ARTICLE.sub(" ", _DIGIT_BORDER.sub(" ", spaced)).split())


def singular(word: str) -> str:
    """Return the word without an English plural ending; words of three letters and fewer stay."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _synonym_choices(words: Words, rules: GoldRules) -> list[tuple[Words, ...]]:
    """Cut the words into phrases, the longest with a synonym first, each with its synonyms."""
    choices: list[tuple[Words, ...]] = []
    start = 0
    while start < len(words):
        phrase = _phrase_at(words, start, rules)
        choices.append((phrase, *rules.synonyms.get(phrase, ())))
        start += len(phrase)
    return choices


def _phrase_at(words: Words, start: int, rules: GoldRules) -> Words:
    for length in range(min(rules.longest_phrase, len(words) - start), 1, -1):
        phrase = words[start : start + length]
        if phrase in rules.synonyms:
            return phrase
    return words[start : start + 1]


def _counting(words: Words, rules: GoldRules) -> Words:
    return tuple(word for word in words if word not in rules.stop_words)


def _singulars(words: Words) -> Words:
    return tuple(map(singular, words))


def _both_ways(listed: Mapping[str, list[str]]) -> dict[Words, tuple[Words, ...]]:
    """Return each phrase's synonyms, sorted, whichever side of the file it stands on."""
    found: dict[Words, set[Words]] = {}
    for phrase, value in listed.items():
        for synonym in value:
            one, other = name_words(phrase), name_words(synonym)
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {phrase: tuple(sorted(synonyms)) for phrase, synonyms in found.items()}


def _read_synonyms(path: Path) -> dict[str, list[str]]:
    listed = read_rules_file(path, {}, max_depth=2)
    if not isinstance(listed, dict):
        raise _not_as_expected(path, "an object from a phrase to its synonyms")
    return {
        phrase: _strings([value] if isinstance(value, str) else value, path)
        for phrase, value in listed.items()
    }


def _read_stop_words(path: Path) -> list[str]:
    return _strings(read_rules_file(path, [], max_depth=1), path)


def _strings(value: object, path: Path) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _not_as_expected(path, "lists of strings")
    return value


def _not_as_expected(path: Path, expected: str) -> EvaluationDataInvalid:
    return EvaluationDataInvalid(
        [Problem(path, None, f"It does not hold {expected}", "Mend the file.")]
    )
