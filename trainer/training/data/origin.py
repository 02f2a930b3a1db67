"""What is known of where pairs come from: the record that `polaris-admin pairs` writes beside them.

Pairs of other systems have none: then nothing is known of their queries, and that is said.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECORD_SUFFIX = ".record.json"


@dataclass(frozen=True, slots=True)
class PairOrigin:
    """Where the pairs of a file come from.

    Attributes:
        judgments_hash: of the judgments that ranked them; None: not known.
        queries: ids of the queries that ranked each pair, in the file's order; None: not known.
        notice: a sentence to tell where the record is not to be used.
    """

    judgments_hash: str | None = None
    queries: tuple[frozenset[str], ...] | None = None
    notice: str | None = None


def read_origin(pairs: Path, n_pairs: int) -> PairOrigin:
    """Return what the record beside the file of `n_pairs` pairs says."""
    path = pairs.with_name(pairs.name + RECORD_SUFFIX)
    try:
        record = json.loads(path.read_bytes())
    except FileNotFoundError:
        return PairOrigin(
            notice=f"There is no {path.name} beside the pairs: which queries ranked them is not "
            "known, and pairs are held out by their prompts."
        )
    except (OSError, ValueError, RecursionError) as error:
        return PairOrigin(notice=f"{path} cannot be read ({error}); it is not used.")
    return _origin(record, path, n_pairs)


def _origin(record: object, path: Path, n_pairs: int) -> PairOrigin:
    listed = record.get("pairs") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(listed, list) or len(listed) != n_pairs:
        return PairOrigin(
            notice=f"{path} is not the record of these pairs (it lists another number of them); "
            "it is not used."
        )
    judgments = record.get("judgments_hash")
    queries = tuple(one for entry in listed if (one := _queries(entry)) is not None)
    known = len(queries) == n_pairs
    return PairOrigin(
        judgments if isinstance(judgments, str) else None,
        queries if known else None,
        None if known else f"{path} does not say which queries ranked each pair.",
    )


def _queries(entry: Mapping[str, Any]) -> frozenset[str] | None:
    listed = entry.get("queries") if isinstance(entry, dict) else None
    return frozenset(map(str, listed)) if isinstance(listed, list) else None
