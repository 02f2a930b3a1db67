"""Write ingest_pipeline.json from the scripts in painless/, so that it can be sent as it is.

python -m mappings.build_pipeline
"""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
TARGET = FOLDER / "ingest_pipeline.json"

DESCRIPTION = (
    "Polaris Search: makes a table that any program sends to the alias a whole document of the "
    "table index; what cannot be taken goes to the dead-letter index, with the reason."
)
DATE_REMEDY = "enriched_at is not a date. Write it as 2026-11-30T02:00:00Z, or leave it out."
MAX_DOCUMENT_BYTES = 20_000_000
"""As for what this product writes itself (BulkLimits.document_bytes)."""


def pipeline() -> dict[str, Any]:
    """Return the pipeline, with the names that belong to the alias `polaris-tables`."""
    return {
        "description": DESCRIPTION,
        "version": 1,
        "processors": [
            _date(),
            _script("whole_document", condition="ctx.record != null"),
            _script("raw_table", condition="ctx.record == null", max_bytes=MAX_DOCUMENT_BYTES),
            _script("document", condition="ctx.table_id == null"),
            _script("document_id"),
        ],
        "on_failure": [
            _reason(),
            _script("dead_letter", dead_letters="polaris-tables-dead-letters"),
        ],
    }


def text() -> str:
    """Return the file's content."""
    return json.dumps(pipeline(), indent=2) + "\n"


def _date() -> dict[str, Any]:
    return {
        "date": {
            "tag": "date",
            "if": "ctx.enriched_at != null",
            "field": "enriched_at",
            "target_field": "enriched_at_utc",
            "formats": ["strict_date_optional_time", "UNIX_MS"],
            "output_format": "yyyy-MM-dd'T'HH:mm:ss'Z'",
            "on_failure": [{"fail": {"message": DATE_REMEDY}}],
        }
    }


def _reason() -> dict[str, Any]:
    return {
        "set": {
            "tag": "reason",
            "field": "dead_letter_reason",
            "copy_from": "_ingest.on_failure_message",
            "ignore_empty_value": True,
        }
    }


def _script(name: str, *, condition: str | None = None, **params: object) -> dict[str, Any]:
    source = (FOLDER / "painless" / f"{name}.painless").read_text(encoding="utf-8")
    script: dict[str, Any] = {"tag": name}
    if condition:
        script["if"] = condition
    script["source"] = source
    if params:
        script["params"] = params
    return {"script": script}


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
