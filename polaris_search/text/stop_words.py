"""Words that carry nothing in a query: Lucene's English list, question and request words.

They leave queries, never what is indexed, and are compared as typed but for case, before any
stemming.
"""

import re

_LUCENE_ENGLISH = """
    a an and are as at be but by for if in into is it no not of on or such that the their then there
    these they this to was will with
"""
_QUESTIONS = "what which who whom whose when where why how"
_AUXILIARIES = "do does did has have had can could would should been being were"
_PERSONS = "i me my you your we our us he she his her him them those its"
_REQUESTS = "show list find give get tell return display retrieve please"
_AMOUNTS = """
    all each every any many much more most less least only both between over per than from also
    about
"""

LUCENE_ENGLISH = frozenset(_LUCENE_ENGLISH.split())
"""The list `_english_` of Elasticsearch's stop filter."""

STOP_WORDS = LUCENE_ENGLISH.union(
    *(words.split() for words in (_QUESTIONS, _AUXILIARIES, _PERSONS, _REQUESTS, _AMOUNTS))
)
"""What leaves a query if another word remains."""

_CONTRACTED = re.compile("(?:(?<!ca)n['\u2019]t|['\u2019](?:t|s|re|ve|ll|d|m))$")


def is_stop_word(word: str) -> bool:
    """Return whether a lower-cased word is in the list, with or without a contracted ending.

    Endings are those of what's, don't, can't, we're, you've, they'll, he'd, i'm.
    """
    return word in STOP_WORDS or _CONTRACTED.sub("", word) in STOP_WORDS
