"""The gate end to end on values: two models write about the same tables, and one is judged.

Made-up tables that only descriptions make findable (tests/gate_world.py); the describer, the exact
index and the searches are the product's.
"""

import random
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from fakes_llm import reply
from gate_world import (
    COLUMNS,
    World,
    Write,
    WritingLLM,
    knowing,
    no_thing,
    one_thing,
    query_id,
    things,
    things_of_another,
)

from ingest.describe.describer import DescribeSettings
from ingest.steps import NoExpander
from polaris_search.errors import ServiceUnreachable
from polaris_search.evaluate.gate.report import GateReport
from polaris_search.evaluate.gate.thresholds import Thresholds
from polaris_search.experiments.gate.queries import GateQueries
from polaris_search.experiments.gate.side_texts import Asking, Writer
from polaris_search.experiments.judge_adapter import (
    GateChoices,
    SidesNotComparable,
    judge_adapter,
)
from polaris_search.llm.failures import ChatRefused
from polaris_search.profiles.model import profile_named
from polaris_search.store.embedded.store import EmbeddedStore

WORLD = World()
NEW, OLD = "polaris-desc-20261202t020000z", "polaris-desc-20261201t020000z"
CURRENT = knowing(one_thing)
GOOD = knowing(things)
PROFILES = (profile_named("default"), profile_named("paper-single"))


def asking(folder: Path) -> Asking:
    return Asking(DescribeSettings(), folder / "texts", concurrency=8)


def choices(folder: Path, **more) -> GateChoices:
    return GateChoices(PROFILES, NoExpander(), asking(folder), **more)


def all_queries(world: World = WORLD) -> GateQueries:
    return GateQueries(
        tuple(query_id(n, side) for n in range(world.n_asked) for side in (0, 1)), "all"
    )


def judged(folder: Path, candidate: Write, reference: Write = CURRENT, **more) -> GateReport:
    """Return the report on a new adapter that writes so, against one that writes so."""
    return judged_models(folder, WritingLLM(candidate, NEW), WritingLLM(reference, OLD), **more)


def judged_models(
    folder: Path,
    new: WritingLLM,
    old: WritingLLM,
    *,
    world: World = WORLD,
    queries: GateQueries | None = None,
    fingerprint: str = "",
    **more,
) -> GateReport:
    """Return the report on one model against another; a folder that is there stays as it is."""
    data = folder / "data"
    with closing(EmbeddedStore(folder / "store")) as store:
        return judge_adapter(
            data if data.exists() else world.folder(data),
            queries or all_queries(world),
            Writer(new.adapter or "base", new, fingerprint),
            Writer(old.adapter or "base", old),
            choices(folder, **more),
            store,
        )


def refused_for(report: GateReport, words: str) -> bool:
    return report.verdict == "refuse" and any(words in reason for reason in report.reasons)


def test_an_adapter_that_knows_more_of_the_tables_passes(tmp_path):
    report = judged(tmp_path, GOOD)

    assert report.verdict == "promote", report.reasons
    assert report.exit_code == 0
    # All 120 queries are found first, half of them were by the current one.
    ndcg = next(one for one in report.retrieval if one.name == "nDCG@10, paper-single")
    assert (ndcg.candidate, ndcg.reference, ndcg.n) == (1.0, 0.5, 120)


def test_an_adapter_that_writes_what_the_current_one_writes_passes_and_is_told_to_change_nothing(
    tmp_path,
):
    report = judged(tmp_path, CURRENT)

    assert report.verdict == "promote", report.reasons
    assert report.same == 1.0
    assert any("would change nothing" in notice for notice in report.notices)


def test_a_copy_shares_the_texts_though_the_server_never_writes_the_same_twice(tmp_path):
    new, old = WritingLLM(knowing(no_thing), NEW), WritingLLM(CURRENT, OLD)

    with closing(EmbeddedStore(tmp_path / "store")) as store:
        report = judge_adapter(
            WORLD.folder(tmp_path / "data"),
            all_queries(),
            Writer(NEW, new, "equal weights"),
            Writer(OLD, old, "equal weights"),
            choices(tmp_path),
            store,
        )

    assert report.same == 1.0
    assert any("would change nothing" in notice for notice in report.notices)
    assert not any("some of the difference is chance" in notice for notice in report.notices)


def test_texts_sampled_several_at_a_time_are_said_to_differ_by_chance_too(tmp_path):
    report = judged(tmp_path, GOOD)

    assert any("some of the difference is chance" in notice for notice in report.notices)


def test_an_adapter_that_writes_what_the_base_writes_is_not_in_use_and_is_refused(tmp_path):
    report = judged_models(tmp_path, WritingLLM(CURRENT, NEW), WritingLLM(CURRENT))

    assert refused_for(report, "not in use, or does nothing")


def test_an_adapter_that_knows_less_is_refused(tmp_path):
    report = judged(tmp_path, knowing(no_thing))

    assert refused_for(report, "nDCG@10, default")
    assert refused_for(report, "nDCG@10, paper-single")
    assert report.exit_code == 1


def test_an_adapter_that_describes_other_tables_is_refused(tmp_path):
    # What training on swapped pairs teaches: the text that was to be avoided.
    report = judged(tmp_path, knowing(things_of_another))

    assert refused_for(report, "falls by more than")


def test_broken_json_is_refused_though_what_is_left_is_found_better(tmp_path):
    def broken(number, chance):
        text = GOOD(number, chance)
        return text if number % 3 else text[:-20]

    report = judged(tmp_path, broken)

    assert refused_for(report, "First replies that are JSON of six texts: 0.667 against 1.000")
    assert refused_for(report, "Tables described: 0.667 against 1.000")


def test_json_that_is_mended_by_asking_again_is_refused_for_what_it_was_at_first(tmp_path):
    asked: dict[int, int] = {}

    def broken_at_first(number, chance):
        asked[number] = asked.get(number, 0) + 1
        return "Sure! Here it is." if asked[number] == 1 else GOOD(number, chance)

    report = judged(tmp_path, broken_at_first)

    assert refused_for(report, "First replies that are JSON of six texts: 0.000 against 1.000")
    assert refused_for(report, "Replies a table: 2.0 against 1.0")


def test_an_adapter_that_writes_nothing_usable_is_refused_whatever_the_current_one_does(tmp_path):
    def broken(number, chance):
        return "Sure!"

    report = judged(tmp_path, broken, broken)

    assert refused_for(report, "describes 0% of 60 tables")


def test_repetition_is_refused_though_it_is_found_better(tmp_path):
    report = judged(tmp_path, knowing(things, words=3, repeated="very useful open data of note"))

    assert next(one for one in report.retrieval).candidate > 0.9
    assert refused_for(report, "Distinct stems among all")
    assert refused_for(report, "Words of the longest repeated phrase")


def test_texts_of_twice_the_length_are_refused_though_they_are_found_better(tmp_path):
    report = judged(tmp_path, knowing(things, words=11))

    assert next(one for one in report.retrieval).candidate > 0.9
    assert refused_for(report, "Descriptions have 68.0 words against 31.0")


def test_one_text_for_many_tables_is_refused(tmp_path):
    def same(number, chance):
        return CURRENT(number // 10, random.Random(0))

    report = judged(tmp_path, same)

    assert refused_for(report, "Texts that no other table has: 0.000 against 1.000")


def test_words_that_the_tables_do_not_hold_are_refused_where_they_take_over(tmp_path):
    near = knowing(things, filler=COLUMNS, words=4)

    report = judged(tmp_path, GOOD, near)

    assert refused_for(report, "Content words that the prompt does not hold")


def test_gate_refuses_adapter_that_loses_on_rare_queries(tmp_path):
    # Two in three tables are known better, one in three is forgotten: the mean rises.
    world = World(n_tables=60, n_asked=60)
    seldom = set(range(0, 60, 3))

    def lopsided(number):
        return () if number in seldom else things(number)

    queries = [query_id(n, 0) for n in seldom]
    queries += [query_id(n, side) for n in range(60) if n not in seldom for side in (0, 1)]
    _with_seldom_tables(world, tmp_path / "data", seldom)

    report = judged(tmp_path, knowing(lopsided), queries=GateQueries(tuple(queries), "all"))

    means = report.retrieval[:4]
    assert all(one.difference.mean > 0 for one in means)
    assert refused_for(report, "queries for tables seldom asked for")
    assert len(report.reasons) == 2  # under each of the profiles


def test_a_fall_that_few_queries_cannot_exclude_is_refused_with_how_many_could(tmp_path):
    # Fifty queries, each for a table of its own: some are gained and some are lost.
    def other_half(number):
        return things(number)[:1] if number % 2 else things(number)[1:]

    queries = GateQueries(tuple(query_id(n, int(n % 10 < 5)) for n in range(60)), "some")

    report = judged(tmp_path, knowing(other_half), queries=queries)

    assert refused_for(report, "queries cannot exclude; about")


def test_too_few_queries_are_refused_with_how_many_there_should_be(tmp_path):
    queries = GateQueries(tuple(query_id(n, 0) for n in range(10)), "few")

    report = judged(tmp_path, GOOD, queries=queries)

    assert refused_for(report, "Too few queries: 10 are held out, at least 50 are needed.")
    assert refused_for(report, "Hold out more (`polaris-admin pairs --hold-out`)")
    assert refused_for(report, "--min-queries")
    assert refused_for(report, "Too few tables: 10")


def test_limits_can_be_set_and_are_in_the_report(tmp_path):
    queries = GateQueries(tuple(query_id(n, side) for n in range(10) for side in (0, 1)), "few")
    limits = Thresholds(min_queries=20, min_tables=10)

    report = judged(tmp_path, GOOD, queries=queries, limits=limits)

    assert report.verdict == "promote", report.reasons
    assert report.limits.min_queries == 20


def test_a_sample_holds_every_table_that_is_asked_for_and_both_sides_are_asked_about_the_same(
    tmp_path,
):
    world = World(n_tables=200, n_asked=60)

    report = judged(tmp_path, GOOD, world=world, sample=80)

    assert report.corpus == 80
    assert report.verdict == "promote", report.reasons


def test_both_sides_are_asked_with_the_same_prompts_seeds_and_decoding(tmp_path):
    models = [WritingLLM(GOOD, NEW), WritingLLM(CURRENT, OLD)]

    judged_models(tmp_path, *models, world=World(n_tables=30, n_asked=30))

    new, old = ({request.messages[-1].content: request for request in m.asked} for m in models)
    assert new == old
    assert len(new) == 30
    assert all(model.closed for model in models)


def test_a_gate_that_was_stopped_asks_about_the_rest_alone(tmp_path):
    class Dying(WritingLLM):
        async def chat(self, request):
            if len(self.asked) == 25:
                raise ServiceUnreachable("The server is away.")
            return await super().chat(request)

    with pytest.raises(ServiceUnreachable, match="away"):
        judged_models(tmp_path, Dying(GOOD, NEW), WritingLLM(CURRENT, OLD))
    new = WritingLLM(GOOD, NEW)
    resumed = judged_models(tmp_path, new, WritingLLM(CURRENT, OLD))

    assert len(new.asked) == 60 - 25
    assert resumed == judged(tmp_path / "afresh", GOOD)


def test_the_current_adapter_is_not_asked_again_for_the_next_candidate(tmp_path):
    judged(tmp_path, GOOD)
    old = WritingLLM(CURRENT, OLD)

    judged_models(tmp_path, WritingLLM(GOOD, "polaris-desc-20261203t020000z"), old)

    assert old.asked == []


def test_other_weights_under_the_same_name_are_asked(tmp_path):
    judged(tmp_path, GOOD)
    new = WritingLLM(GOOD, NEW)

    judged_models(tmp_path, new, WritingLLM(CURRENT, OLD), fingerprint="other")

    assert len(new.asked) == 60


def test_a_table_that_has_changed_is_described_anew(tmp_path):
    judged(tmp_path, GOOD)
    metadata = tmp_path / "data" / "metadata.csv"
    metadata.write_text(metadata.read_text().replace("c007a", "c007z"))
    new = WritingLLM(GOOD, NEW)

    judged_models(tmp_path, new, WritingLLM(CURRENT, OLD))

    assert ["c007z" in request.messages[-1].content for request in new.asked] == [True]


def test_what_a_server_fails_at_is_no_verdict_and_is_asked_again(tmp_path):
    class Refusing(WritingLLM):
        async def chat(self, request):
            if "tq007" in request.messages[-1].content:
                raise ChatRefused(400, "No.")
            return await super().chat(request)

    with pytest.raises(SidesNotComparable, match="did not answer about 1 tables.*: No. Run"):
        judged_models(tmp_path, Refusing(GOOD, NEW), WritingLLM(CURRENT, OLD))
    new = WritingLLM(GOOD, NEW)
    judged_models(tmp_path, new, WritingLLM(CURRENT, OLD))

    assert len(new.asked) == 1


def test_replies_cut_at_the_limit_are_refused_though_a_second_one_is_whole(tmp_path):
    class Cut(WritingLLM):
        async def chat(self, request):
            whole = await super().chat(request)
            first = request.max_tokens == DescribeSettings().max_tokens
            return reply(whole.text[:40], "length") if first else whole

    report = judged_models(tmp_path, Cut(GOOD, NEW), WritingLLM(CURRENT, OLD))

    assert refused_for(report, "First replies cut at the token limit: 1.000 against 0.000")


def _with_seldom_tables(world: World, folder: Path, seldom: Sequence[int]) -> None:
    """Write the world without the second query of the tables that are seldom asked for."""
    world.folder(folder)
    for name in ("queries.csv", "qrels.csv"):
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        gone = {query_id(n, 1) for n in seldom}
        kept = [line for line in lines if line.split(",")[0] not in gone]
        (folder / name).write_text("\n".join(kept) + "\n", encoding="utf-8")
