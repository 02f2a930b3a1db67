"""What a model said of names in this run, so that alike tables are not asked about again.

Catalogues hold one table many times, by year or by part. The same name with the same readings and
comment, in a table whose own name reads the same, means the same.
"""

from collections import OrderedDict

from ingest.expand.name_reading import Words
from ingest.expand_llm.asked_name import AskedName

MAX_REMEMBERED = 50_000
"""Answers; less than a kilobyte each, so tens of megabytes, whatever the catalogue's size."""

Key = tuple[str, str, tuple[Words, ...], Words]


class Remembered:
    """Answers of this run, those that were wanted least recently forgotten first."""

    def __init__(self, limit: int = MAX_REMEMBERED) -> None:
        self._limit = limit
        self._answers: OrderedDict[Key, Words] = OrderedDict()

    def get(self, name: AskedName, table_words: Words) -> Words | None:
        """Return what was said of the name in a table of these words, None if nothing."""
        key = _key(name, table_words)
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    def put(self, name: AskedName, table_words: Words, words: Words) -> None:
        """Note what was said of the name in a table of these words."""
        self._answers[_key(name, table_words)] = words
        if len(self._answers) > self._limit:
            self._answers.popitem(last=False)


def _key(name: AskedName, table_words: Words) -> Key:
    # Years and parts number the copies of a table; they change nothing that a name means.
    told = tuple(word for word in table_words if not word.isdecimal())
    return name.text, name.comment, name.reading.choices, told
