from polaris_search.records import (
    Column,
    Description,
    EnrichedTable,
    Expansion,
    Provenance,
    RawTable,
)
from polaris_search.store.document import searched_texts


def table(expansion=None, description=None):
    raw = RawTable(
        "id_never_searched", "SalesOrd", (Column("DTPh"), Column("region")), {"b": "2", "a": "1"}
    )
    return EnrichedTable(raw, Provenance("h"), expansion, description)


EXPANSION = Expansion("sales order", ("daytime phone", "region"))


def test_names_as_given_are_searched_where_nothing_is_expanded():
    texts = searched_texts(table())

    assert texts["expansion"] == texts["names"] == ["SalesOrd", "DTPh", "region"]
    assert texts["new_words"] == []


def test_an_expansion_adds_the_words_that_its_name_lacks_as_written():
    texts = searched_texts(table(EXPANSION))

    assert texts["expansion"] == ["SalesOrd", "DTPh", "region", "sales order", "daytime phone"]


def test_where_names_are_split_only_the_words_that_splitting_does_not_give_are_added():
    texts = searched_texts(table(EXPANSION))

    assert texts["new_words"] == ["order", "daytime", "phone"]
    assert texts["names"] == ["SalesOrd", "DTPh", "region"]  # for what reads abbreviations


def test_a_word_that_many_names_lack_is_added_once_to_what_is_split():
    raw = RawTable("t", "n", (Column("cust_id"), Column("cust_no")))
    expansion = Expansion("n", ("customer id", "customer number"))

    texts = searched_texts(EnrichedTable(raw, Provenance("h"), expansion))

    assert texts["new_words"] == ["customer", "number"]
    assert texts["expansion"][3:] == ["customer id", "customer number"]


def test_context_values_come_in_key_order_and_without_keys():
    assert searched_texts(table())["context"] == ["1", "2"]


def test_the_description_is_searched_raw_and_as_what_it_adds():
    text = Description("Phone orders of regions.", "Telephone, telephones", "", "", "", "")

    texts = searched_texts(table(EXPANSION, text))

    assert texts["description"] == list(text.values())
    assert texts["description_terms"] == ["telephone"]


def test_the_table_id_is_never_searched():
    assert "id_never_searched" not in str(searched_texts(table(EXPANSION)))
