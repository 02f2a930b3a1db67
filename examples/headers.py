"""The column names of one file, read from its header alone: CSV, dBase and Stata.

Rows of data are never read. Knows nothing of what the names mean.
"""

import csv
import struct
from pathlib import Path

DBF_HEADER_BYTES = 32
DBF_FIELD_BYTES = 32
DBF_NAME_BYTES = 11
STATA_118_NAME_BYTES = 129
STATA_HEADER_BYTES = 4_000_000


def column_names(path: Path) -> tuple[str, ...]:
    """Return the column names of a .csv, .dbf or .dta file, in file order."""
    readers = {".csv": _csv_names, ".dbf": _dbf_names, ".dta": _stata_names}
    return tuple(name.strip() for name in readers[path.suffix](path) if name.strip())


def _csv_names(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        line = file.readline().rstrip("\r\n")
    delimiter = next((mark for mark in "\t;" if mark in line), ",")
    quote = "'" if line.startswith("'") else '"'
    return next(csv.reader([line], delimiter=delimiter, quotechar=quote))


def _dbf_names(path: Path) -> list[str]:
    data = path.read_bytes()
    header_bytes = struct.unpack("<H", data[8:10])[0]
    starts = range(DBF_HEADER_BYTES, header_bytes - 1, DBF_FIELD_BYTES)  # one byte ends the list
    return [data[at : at + DBF_NAME_BYTES].split(b"\0")[0].decode("latin-1") for at in starts]


def _stata_names(path: Path) -> list[str]:
    with path.open("rb") as file:
        data = file.read(STATA_HEADER_BYTES)
    if not data.startswith(b"<stata_dta><header><release>118</release>"):
        raise ValueError(f"{path} is not a Stata 118 file; the build knows no other release.")
    block = data.split(b"<varnames>", 1)[1].split(b"</varnames>", 1)[0]
    starts = range(0, len(block), STATA_118_NAME_BYTES)
    return [block[at : at + STATA_118_NAME_BYTES].split(b"\0")[0].decode() for at in starts]
