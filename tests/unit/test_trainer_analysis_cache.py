"""Texts that were analysed once are known to the next run, and a broken cache costs time alone."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import closing

import numpy as np
import pytest

from polaris_search.text.analysis import chain_named
from polaris_search.text.schema import analyzer_hash
from trainer.ranking.analysed import AnalysedBlock, key_of
from trainer.ranking.analysis_cache import ABANDONED_S, AnalysisCache
from trainer.ranking.block_file import read_block, read_keys
from trainer.ranking.readings import Reader

WORDS = (
    *("bank", "banks", "banking", "customer", "loans", "payment", "the", "of"),
    *("café", "2019", "seabird", "nests"),
)
ASKED = {"bank": 0, "loan": 1, "nest": 2, "never": 3}


def texts(seed, n):
    chance = random.Random(seed)
    return [
        [" ".join(chance.choices(WORDS, k=chance.randint(0, 9))) for _ in range(2)]
        for _ in range(n)
    ]


def read(versions, cache=None, vocabulary=ASKED, analyzer="words"):
    reader = Reader(analyzer, vocabulary, cache)
    for version in versions:
        reader.add(version)
    return as_lists(reader.readings())


def as_lists(readings):
    parts = (readings.lengths, readings.distinct, readings.keys, readings.frequencies)
    return [part.tolist() for part in parts]


def read_with(folder, versions, **options):
    with closing(AnalysisCache(folder)) as cache:
        return read(versions, cache, **options)


def files(folder):
    return sorted(folder.glob("*/*"))


def test_readings_are_the_terms_of_the_analyzer_counted():
    lengths, distinct, keys, frequencies = read([["banks and bank", "the loan"], [], ["bank"]])

    assert (lengths, distinct) == ([5, 0, 1], [4, 0, 1])
    assert keys == [0 << 32 | 0, 0 << 32 | 1, 2 << 32 | 0]
    assert frequencies == [2, 1, 1]


@pytest.mark.parametrize("analyzer", ["words", "parts", "exact"])
def test_a_run_reads_the_same_with_a_cache_whatever_was_known(tmp_path, analyzer):
    some, all_of_them = texts(1, 40), texts(1, 90) + texts(1, 10)

    read_with(tmp_path, some, analyzer=analyzer)
    grown = read_with(tmp_path, all_of_them, analyzer=analyzer)
    again = read_with(tmp_path, all_of_them, analyzer=analyzer)

    assert grown == again == read(all_of_them, analyzer=analyzer)
    assert len(files(tmp_path)) == 2


def test_other_queries_are_answered_from_the_same_cache(tmp_path):
    read_with(tmp_path, texts(1, 40))

    found = read_with(tmp_path, texts(1, 40), vocabulary={"seabird": 0, "bank": 1})

    assert found == read(texts(1, 40), vocabulary={"seabird": 0, "bank": 1})
    assert len(files(tmp_path)) == 1


def test_a_text_that_is_known_is_not_analysed():
    cache = AnalysisCache()
    other = AnalysedBlock(chain_named("words"))
    other.add(["loans"])
    cache.known("words").keep([key_of(["bank"])], other.analysed())

    lengths, _, keys, _ = read([["bank"], ["banks"]], cache)

    assert (lengths, keys) == ([1, 1], [0 << 32 | 1, 1 << 32 | 0])


def test_readers_of_one_analyzer_share_what_is_known_while_both_read(tmp_path):
    one, other = texts(1, 30), texts(2, 30)
    with closing(AnalysisCache(tmp_path)) as cache:
        readers = Reader("words", ASKED, cache), Reader("words", ASKED, cache)
        for first, second in zip(one, other, strict=True):
            readers[0].add(first)
            readers[1].add(second)
        found = [as_lists(readers[place].readings()) for place in (1, 0)]

    assert found == [read(other), read(one)]


def test_texts_that_are_cut_elsewhere_are_other_texts():
    assert key_of(["ab", "c"]) != key_of(["a", "bc"]) != key_of(["abc"])


def test_what_is_known_is_known_of_one_analyzer(tmp_path):
    read_with(tmp_path, texts(1, 20))

    read_with(tmp_path, texts(1, 20), analyzer="parts")

    assert len(files(tmp_path)) == 2
    assert len({path.parent for path in files(tmp_path)}) == 2
    assert analyzer_hash("words") != analyzer_hash("parts")


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def emptied(path):
    path.write_bytes(b"")


def turned(path):
    data = bytearray(path.read_bytes())
    for at in range(60, len(data), 97):
        data[at] ^= 0xFF
    path.write_bytes(data)


def another_s(path):
    np.savez(path, other=np.arange(3))


@pytest.mark.parametrize("damage", [cut, emptied, turned, another_s])
def test_a_damaged_file_is_removed_and_its_texts_are_analysed_again(tmp_path, damage):
    read_with(tmp_path, texts(1, 40))
    (path,) = files(tmp_path)
    damage(path)

    found = read_with(tmp_path, texts(1, 40))

    assert found == read(texts(1, 40))
    assert path not in files(tmp_path)
    assert len(files(tmp_path)) == 1


def test_a_file_that_is_gone_before_its_texts_are_wanted_costs_their_analysis(tmp_path):
    read_with(tmp_path, texts(1, 40))
    cache = AnalysisCache(tmp_path)
    cache.known("words")
    files(tmp_path)[0].unlink()

    assert read(texts(1, 40), cache) == read(texts(1, 40))


def test_a_folder_that_cannot_be_made_costs_the_next_run_its_time_alone(tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("")

    assert read_with(blocked, texts(1, 40)) == read(texts(1, 40))


def test_what_was_not_used_for_longest_is_removed_above_the_bound(tmp_path):
    for seed in (1, 2, 3):
        read_with(tmp_path, texts(seed, 40))
    for age, path in enumerate(files(tmp_path)):
        os.utime(path, (age, age))
    oldest = read_keys(files(tmp_path)[0])
    too_few = sum(path.stat().st_size for path in files(tmp_path)) - 1

    with closing(AnalysisCache(tmp_path, most_bytes=too_few)) as cache:
        cache.known("words").find(oldest[0])  # used now

    left = [read_keys(path) for path in files(tmp_path)]
    assert len(left) == 2
    assert oldest in left


def test_only_what_a_killed_process_left_long_ago_is_removed(tmp_path):
    read_with(tmp_path, texts(1, 10))
    folder = files(tmp_path)[0].parent
    old, new = folder / "a.unfinished", folder / "b.unfinished"
    for path, age_s in ((old, ABANDONED_S + 60), (new, 60)):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age_s,) * 2)

    AnalysisCache(tmp_path).close()

    assert not old.exists()
    assert new.exists()


def test_a_process_killed_as_it_writes_leaves_whole_files_alone(tmp_path):
    program = textwrap.dedent(
        f"""
        import itertools, pathlib
        from trainer.ranking.analysis_cache import AnalysisCache
        from trainer.ranking.readings import Reader
        for number in itertools.count():
            reader = Reader("words", {{}}, AnalysisCache(pathlib.Path({str(tmp_path)!r})))
            for n in range(300):
                reader.add([f"word{{number}} other{{n}} " * 40])
            reader.readings()
        """
    )
    writer = subprocess.Popen([sys.executable, "-c", program])
    until = time.monotonic() + 60
    while len(list(tmp_path.glob("*/*.npz"))) < 3:
        assert writer.poll() is None
        assert time.monotonic() < until

    writer.send_signal(signal.SIGKILL)
    writer.wait()

    for path in tmp_path.glob("*/*.npz"):
        assert len(read_keys(path)) == len(read_block(path).lengths) == 300
