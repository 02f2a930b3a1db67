import numpy as np
import pytest
from bm25_fields import BUILT_FROM, field_index

from polaris_search.bm25.field import FieldIndex
from polaris_search.bm25.layout import HEADER_BYTES, IndexDamaged, identity

F = np.float32


def test_empty_documents_are_numbered_but_do_not_count_in_the_field(tmp_path):
    index = field_index(tmp_path, ["a b a", "", "b", ""])

    statistics = index.statistics
    assert (statistics.n_documents, statistics.n_with_field, statistics.total_length) == (4, 2, 4)
    assert [index.document_frequency(term) for term in ("a", "b", "c")] == [1, 2, 0]


def test_a_score_is_the_one_worked_by_hand(tmp_path):
    index = field_index(tmp_path, ["a a b", "b"])

    found = index.scores("a")

    # n 2, L 4, avgdl 2, df 1: idf = ln 2; length 3: K = 1.2 * (0.25 + 0.75 * 3 / 2) = 1.65
    weight = F(F(2.2) * F(np.log(2)))
    inverse = F(1) / (F(1.2) * ((F(1) - F(0.75)) + F(0.75) * F(3) / F(2)))
    assert found.documents is None
    assert found.values.tolist() == [weight - weight / (F(1) + F(2) * inverse), 0]
    assert found.values[0] == pytest.approx(2.2 * np.log(2) * 2 / (2 + 1.65), rel=1e-6)


def test_a_rare_term_names_its_documents_and_a_frequent_one_scores_all(tmp_path):
    index = field_index(tmp_path, ["x"] * 5 + ["x rare", "rare x"] + ["x"] * 5)

    assert index.scores("rare").documents.tolist() == [5, 6]
    assert index.scores("x").documents is None


def test_rare_and_frequent_terms_are_scored_by_the_same_arithmetic(tmp_path):
    # Both terms stand once in each of 3 documents of length 2, so that n, df, tf and norms agree.
    few = field_index(tmp_path, ["t u"] * 3, "few")
    many = field_index(tmp_path, [""] * 40 + ["t u"] * 3 + [""] * 40, "many")

    rare, frequent = many.scores("t"), few.scores("t")

    assert rare.documents.tolist() == [40, 41, 42]
    assert frequent.documents is None
    assert rare.values.tolist() == frequent.values.tolist()


def test_block_borders_change_nothing(tmp_path):
    documents = [f"a{number % 3} b{number % 7} c a{number % 3}" for number in range(50)]

    one = field_index(tmp_path, documents, "one", block_tokens=10_000)
    many = field_index(tmp_path, documents, "many", block_tokens=7)

    assert (tmp_path / "one.bm25").read_bytes() == (tmp_path / "many.bm25").read_bytes()
    assert one.documents("b3").tolist() == many.documents("b3").tolist() == list(range(3, 50, 7))


def test_more_than_65536_distinct_denominators_are_kept_apart(tmp_path, monkeypatch):
    monkeypatch.setattr("polaris_search.bm25.layout.MAX_SHORT_CODES", 3)
    documents = ["t " * count for count in range(1, 9)]

    index = field_index(tmp_path, documents)

    assert index.statistics.n_denominators == 8
    assert len(set(index.scores("t").values.tolist())) == 8


def test_terms_of_any_kind_are_found_again(tmp_path):
    terms = ["zebra", "á", "設備", "💼", "a" * 5000, "z", "0"]
    index = field_index(tmp_path, terms + [f"w{number}" for number in range(500)])

    found = [index.documents(term).tolist() for term in [*terms, "w250", "w", "", "\ud800"]]

    assert found == [[0], [1], [2], [3], [4], [5], [6], [7 + 250], [], [], []]


def test_an_index_of_nothing_finds_nothing(tmp_path):
    for documents in ([], ["", ""]):
        index = field_index(tmp_path, documents)
        assert index.scores("a") is None
        assert index.documents("a").tolist() == []


def test_scores_are_forgotten_when_they_fill_the_memory_and_come_again(tmp_path, monkeypatch):
    monkeypatch.setattr("polaris_search.bm25.field.REMEMBERED_BYTES", 600)
    index = field_index(tmp_path, ["a b c d"])

    first = [index.scores(term).values.tolist() for term in "abcdabcd"]

    assert first[:4] == first[4:]


def test_a_file_built_from_something_else_is_refused(tmp_path):
    field_index(tmp_path, ["a"])

    with pytest.raises(IndexDamaged, match="built from something else"):
        FieldIndex(tmp_path / "field.bm25", identity("other"), 1.2)


@pytest.mark.parametrize(
    "place", [0, 9, HEADER_BYTES - 70, -1, -12], ids=["magic", "version", "size", "term", "table"]
)
def test_one_changed_byte_in_header_or_directory_is_noticed_on_opening(tmp_path, place):
    field_index(tmp_path, ["alpha beta", "beta gamma"])
    _flip(tmp_path / "field.bm25", place)

    with pytest.raises(IndexDamaged, match=r"Delete it; it is built anew"):
        FieldIndex(tmp_path / "field.bm25", BUILT_FROM, 1.2)


def test_one_changed_byte_in_postings_is_noticed_when_they_are_read(tmp_path):
    field_index(tmp_path, ["alpha beta", "beta gamma"])
    _flip(tmp_path / "field.bm25", HEADER_BYTES)
    index = FieldIndex(tmp_path / "field.bm25", BUILT_FROM, 1.2)

    with pytest.raises(IndexDamaged, match="damaged postings"):
        index.scores("alpha")


@pytest.mark.parametrize("length", [0, 10, HEADER_BYTES, -1])
def test_a_shortened_file_is_refused(tmp_path, length):
    field_index(tmp_path, ["alpha beta", "beta gamma"])
    path = tmp_path / "field.bm25"
    path.write_bytes(path.read_bytes()[:length])

    with pytest.raises(IndexDamaged):
        FieldIndex(path, BUILT_FROM, 1.2)


def test_an_index_stays_readable_after_its_file_is_removed(tmp_path):
    index = field_index(tmp_path, ["a b", "b"])
    (tmp_path / "field.bm25").unlink()

    assert index.documents("a").tolist() == [0]


def _flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
