import pytest

from polaris_search.bm25.documents import DocumentIds, write_documents
from polaris_search.bm25.layout import IndexDamaged, identity

BUILT_FROM = identity("test")


def test_ids_come_back_by_number(tmp_path):
    ids = ["a", "a/b c", "é", "設備", "x" * 2048]
    write_documents(tmp_path / "ids", BUILT_FROM, ids)

    documents = DocumentIds(tmp_path / "ids", BUILT_FROM)

    assert [documents[number] for number in range(len(documents))] == ids


@pytest.mark.parametrize("place", [3, 130, -1])
def test_one_changed_byte_is_noticed(tmp_path, place):
    write_documents(tmp_path / "ids", BUILT_FROM, ["a", "b"])
    data = bytearray((tmp_path / "ids").read_bytes())
    data[place] ^= 1
    (tmp_path / "ids").write_bytes(data)

    with pytest.raises(IndexDamaged):
        DocumentIds(tmp_path / "ids", BUILT_FROM)
