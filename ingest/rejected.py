"""What of a source could not be taken: where it stands, what is wrong, what to do.

A value like any other on its way through the pipeline: a bad row stops nothing, and its report
reaches the person and the dead-letter file unchanged.
"""

import re
from dataclasses import dataclass

MAX_EXCERPT_CHARS = 500

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_PARTICULARS = re.compile(
    r"(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"|\b0x[0-9a-f]{2}\b|(?<![\w-])[0-9][0-9.,]*\b"
)


@dataclass(frozen=True, slots=True)
class Rejected:
    """One row, table or file that was not taken.

    `line` counts from 1, None where the source has no lines. `problem` is a clause, `remedy` a
    sentence. `table_id` is the whole id where the row names one, as the source has it: it tells
    which table still stands there. `excerpt` is the start of the raw text, safe to print.
    """

    source: str
    line: int | None
    problem: str
    remedy: str
    table_id: str | None = None
    excerpt: str = ""

    @property
    def sentence(self) -> str:
        """The report as `source:line: problem. remedy`."""
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        sentence = f"{place}: {self.problem}. {self.remedy}".rstrip()
        return sentence.encode("utf-8", "backslashreplace").decode("utf-8")  # file names can be any

    @property
    def kind(self) -> str:
        """The problem without what is particular to one row: "The row has _ fields, ..."."""
        return _PARTICULARS.sub("_", self.problem)


def excerpt_of(text: str) -> str:
    r"""Return the start of a raw text, with NUL and undecodable bytes written as \x00."""
    cut = text[:MAX_EXCERPT_CHARS]
    return _UNSTORABLE.sub(_as_escape, cut)


def _as_escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was no UTF-8, kept by "surrogateescape"
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code else "\\x00"
