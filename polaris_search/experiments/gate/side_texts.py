"""One side's texts of the corpus, asked of its model as an ingest would, and kept in a file.

A gate that was killed goes on where it ended, and the next one asks the current adapter nothing
again. The file is named by all that shapes a text but the table.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass
from pathlib import Path

from ingest.describe.describer import DescribeSettings, LlmDescriber
from ingest.describe.prompt import fixed_part
from polaris_search.evaluate.gate.descriptions import Written
from polaris_search.experiments.gate.corpus import CorpusTable
from polaris_search.experiments.gate.heard import HeardModel
from polaris_search.experiments.gate.texts_file import Key, TextsFile
from polaris_search.llm.model import ChatModel, ChatReply
from polaris_search.records import content_hash, description_of, raw_hash


@dataclass(frozen=True, slots=True)
class Writer:
    """One side.

    Attributes:
        name: the adapter's, or "base".
        chat_model: asked in one event loop, and closed at its end.
        fingerprint: of the adapter, which no name vouches for; sides of one base that have the
            same one share their texts. "" for the base.
    """

    name: str
    chat_model: ChatModel
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class SideTexts:
    """What a side wrote, by table, and why it could not be asked about the others."""

    written: Mapping[str, Written]
    unasked: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Asking:
    """How both sides are asked.

    Attributes:
        settings: lengths, decoding and seed.
        folder: where files of texts are kept.
        concurrency: tables under way at a time.
        progress: hears which side has how many tables of how many.
    """

    settings: DescribeSettings
    folder: Path
    concurrency: int
    progress: Callable[[str, int, int], None] = lambda side, done, total: None


def side_texts(writer: Writer, tables: Sequence[CorpusTable], asking: Asking) -> SideTexts:
    """Return what the side writes of the tables; of those that its file holds, without asking.

    Raises:
        ServiceUnreachable: the model's server went away; what was written is in the file.
        NotWritten: the file cannot be written.
    """
    path = asking.folder / f"{_version(writer, asking.settings)[:16]}.jsonl"
    with TextsFile(path) as file:
        known = file.read()
        missing = [table for table in tables if _key(table) not in known]
        unasked = asyncio.run(_ask(writer, missing, asking, file, known, len(tables)))
    return SideTexts(
        {one.raw.table_id: known[_key(one)] for one in tables if _key(one) in known}, unasked
    )


async def _ask(
    writer: Writer,
    missing: Sequence[CorpusTable],
    asking: Asking,
    file: TextsFile,
    known: dict[Key, Written],
    total: int,
) -> dict[str, str]:
    """Ask about the missing tables, add the answers to file and `known`; return why not of some."""
    unasked: dict[str, str] = {}
    done = total - len(missing)
    asking.progress(writer.name, done, total)
    try:
        if missing:
            await writer.chat_model.begin_with(fixed_part())
        async with aclosing(_answers(writer.chat_model, missing, asking)) as answers:
            async for table, written in answers:
                if isinstance(written, str):
                    unasked[table.raw.table_id] = written
                else:
                    file.append(_key(table), written)
                    known[_key(table)] = written
                done += 1
                asking.progress(writer.name, done, total)
    finally:
        await writer.chat_model.close()
    return unasked


async def _answers(
    chat_model: ChatModel, tables: Sequence[CorpusTable], asking: Asking
) -> AsyncGenerator[tuple[CorpusTable, Written | str]]:
    """Yield what is written of each table, or why it could not be asked about, as it comes."""
    slots = asyncio.Semaphore(asking.concurrency)

    async def one(table: CorpusTable) -> tuple[CorpusTable, Written | str]:
        async with slots:
            return table, await _described(chat_model, table, asking.settings)

    under_way = [asyncio.create_task(one(table)) for table in tables]
    try:
        for finished in asyncio.as_completed(under_way):
            yield await finished
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def _described(
    chat_model: ChatModel, table: CorpusTable, settings: DescribeSettings
) -> Written | str:
    """Return what is written of a table; why not, if not one reply came."""
    heard = HeardModel(chat_model)
    outcome = await LlmDescriber(heard, settings).describe(table.raw, table.expansion)
    if not heard.replies:
        return outcome.reason or "The model gave no reason."
    first = heard.replies[0]
    return Written(
        prompt=heard.prompt,
        valid=_is_six_texts(first),
        cut=first.finish_reason == "length",
        replies=len(heard.replies),
        texts=outcome.description.values() if outcome.description else (),
    )


def _is_six_texts(reply: ChatReply) -> bool:
    try:
        return description_of(json.loads(reply.text)) is not None
    except (ValueError, RecursionError):
        return False


def _version(writer: Writer, settings: DescribeSettings) -> str:
    """Return the hash of all that shapes the side's texts but the table.

    An adapter is known by its fingerprint, not by its name: a copy would write the same, and where
    it does not, because a server samples otherwise from run to run, that says nothing of it.
    """
    describer = LlmDescriber(writer.chat_model, settings)
    if not writer.fingerprint:
        return content_hash(describer.version, "")
    # Some servers answer under the adapter's name in place of the base's.
    base = "" if describer.model == writer.name else describer.model
    return content_hash(base, writer.fingerprint, describer.prompt_version, repr(settings))


def _key(table: CorpusTable) -> Key:
    """Return what a text of the table is known by: its id, and a hash of what a prompt shows."""
    expansion = json.dumps(asdict(table.expansion)) if table.expansion else ""
    return table.raw.table_id, content_hash(raw_hash(table.raw), expansion)
