"""A member of a large JSON document as it is written, and what it says."""

from dataclasses import dataclass

from ingest.readers.values import parse_json
from ingest.rejected import excerpt_of
from polaris_search.errors import TableInvalid

MAX_MEMBER_BYTES = 64 * 2**20


class JsonBroken(Exception):
    """The document cannot be read on. `problem` is a clause, `remedy` a sentence."""

    def __init__(self, problem: str, remedy: str, line: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        self.line = line


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a list or object. `key` is "" in a list; `line` counts from 1.

    `text` is the beginning alone of one longer than MAX_MEMBER_BYTES, which is not `whole`.
    """

    key: str
    line: int
    text: bytes
    whole: bool = True

    def value(self, where: str) -> object:
        """Return what the text says; `where` names it in a report.

        Raises:
            TableInvalid: it is longer than MAX_MEMBER_BYTES, no UTF-8 or no JSON.
        """
        if not self.whole:
            megabytes = MAX_MEMBER_BYTES // 2**20
            raise TableInvalid(f"{where} is longer than {megabytes} MiB", "Shorten it.")
        try:
            text = self.text.decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"Byte 0x{self.text[error.start]:02x} is not UTF-8"
            raise TableInvalid(problem, "Save the file as UTF-8.") from None
        return parse_json(text.strip(), where)

    @property
    def excerpt(self) -> str:
        """The start of the text, safe to print."""
        return excerpt_of(self.text[:2000].decode("utf-8", "surrogateescape").strip())
