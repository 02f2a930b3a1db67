"""EML: entities become tables with the data set's words, and no document can do harm."""

import pytest

from ingest.readers.eml import xml_stream
from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
from polaris_search.records import Column, RawTable

NAMESPACES = {
    "2.1.1": "eml://ecoinformatics.org/eml-2.1.1",
    "2.2.0": "https://eml.ecoinformatics.org/eml-2.2.0",
}
HEAD = """
<title>Porewater of
   beaches</title>
<creator><individualName><surName>Rivera</surName></individualName></creator>
<abstract><para>Wrack cover.</para><para>Biomass of H<subscript>2</subscript>O.</para></abstract>
<keywordSet><keyword keywordType="theme">wrack</keyword><keyword>beach</keyword>
  <keywordThesaurus>LTER</keywordThesaurus></keywordSet>
<keywordSet><keyword>beach</keyword><keyword>biomass</keyword></keywordSet>
<coverage>
  <geographicCoverage><geographicDescription>Santa Barbara</geographicDescription>
    <boundingCoordinates><westBoundingCoordinate>-120</westBoundingCoordinate></boundingCoordinates>
  </geographicCoverage>
  <temporalCoverage><rangeOfDates>
    <beginDate><calendarDate>2003-08-01</calendarDate></beginDate>
    <endDate><calendarDate>2003-08-31</calendarDate></endDate></rangeOfDates></temporalCoverage>
  <taxonomicCoverage><taxonomicClassification><taxonRankName>Genus</taxonRankName>
    <taxonRankValue>Macrocystis</taxonRankValue><commonName>giant kelp</commonName>
  </taxonomicClassification></taxonomicCoverage>
</coverage>
"""
SITE = """
<attribute><attributeName>SITE</attributeName><attributeLabel>Site name</attributeLabel>
  <attributeDefinition>Name of the beach</attributeDefinition>
  <storageType>string</storageType>
  <measurementScale><nominal><nonNumericDomain/></nominal></measurementScale></attribute>"""
TEMP = """
<attribute><attributeName>wtmp</attributeName>
  <attributeDefinition>Water temperature</attributeDefinition>
  <measurementScale><interval><unit><standardUnit>celsius</standardUnit></unit></interval>
  </measurementScale></attribute>"""


def entity(name="Porewater", attributes=SITE + TEMP, kind="dataTable", more=""):
    return (
        f"<{kind}><entityName>{name}</entityName>{more}"
        f"<attributeList>{attributes}</attributeList></{kind}>"
    )


def document(*entities, head=HEAD, version="2.2.0", prolog='<?xml version="1.0"?>\n'):
    return (
        f'{prolog}<eml:eml xmlns:eml="{NAMESPACES[version]}" packageId="knb.23.12" system="knb">'
        f"<dataset>{head}{''.join(entities)}</dataset></eml:eml>"
    )


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write_and_read(content, name="knb.23.12.xml", format=None):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        items = list(read_sources([name], format))
        tables = [item for item in items if isinstance(item, RawTable)]
        return tables, [item for item in items if isinstance(item, Rejected)]

    return write_and_read


@pytest.mark.parametrize("version", ["2.1.1", "2.2.0"])
def test_a_data_table_becomes_a_table_with_definitions_and_the_data_sets_words(read, version):
    physical = "<physical><objectName>2003wrack.csv</objectName></physical>"
    described = "<entityDescription>Pore water at 10 beaches</entityDescription>"

    tables, rejected = read(document(entity(more=described + physical), version=version))

    assert tables == [
        RawTable(
            "knb.23.12#Porewater",
            "Porewater",
            (Column("SITE", "string", "Name of the beach"),
             Column("wtmp", "interval", "Water temperature")),
            {
                "title": "Porewater of beaches",
                "abstract": "Wrack cover. Biomass of H2O.",
                "keywords": "wrack; beach; biomass",
                "coverage": "Santa Barbara; 2003-08-01 to 2003-08-31; Macrocystis; giant kelp",
                "description": "Pore water at 10 beaches",
                "column_comments": "SITE: Name of the beach; wtmp: Water temperature",
                "column_labels": "SITE: Site name",
                "units": "celsius",
                "file": "2003wrack.csv",
            },
            source="knb.23.12.xml",
            format="eml",
        )
    ]  # fmt: skip
    assert rejected == []


@pytest.mark.parametrize(
    "kind",
    ["dataTable", "otherEntity", "spatialRaster", "spatialVector", "storedProcedure", "view"],
)
def test_every_kind_of_entity_is_a_table(read, kind):
    (table,), _ = read(document(entity(kind=kind)))

    assert [column.name for column in table.columns] == ["SITE", "wtmp"]


def test_an_entity_without_attributes_is_a_table_without_columns(read):
    (table,), _ = read(document("<otherEntity><entityName>map.png</entityName></otherEntity>"))

    assert (table.name, table.columns) == ("map.png", ())


def test_entities_of_one_name_are_told_apart(read):
    tables, _ = read(document(entity(), entity(), entity("Other")))

    assert [table.table_id for table in tables] == [
        "knb.23.12#Porewater", "knb.23.12#Porewater#2", "knb.23.12#Other",
    ]  # fmt: skip


def test_attributes_of_another_entity_may_be_referred_to_even_ahead(read):
    listed = entity("Listed", SITE).replace("<attributeList>", '<attributeList id="al1">')
    refers = entity("Refers", "<references>al1</references>")

    before, _ = read(document(listed, refers))
    after, _ = read(document(refers, listed))

    assert [table.columns[0].name for table in before] == ["SITE", "SITE"]
    assert sorted(table.name for table in after) == ["Listed", "Refers"]
    assert [table.columns[0].name for table in after] == ["SITE", "SITE"]


def test_coverage_of_the_entity_counts_too(read):
    own = "<coverage><temporalCoverage><singleDateTime><calendarDate>1999</calendarDate></singleDateTime></temporalCoverage></coverage>"  # fmt: skip # noqa: E501

    (table,), _ = read(document(entity(more=own), head="<title>x</title>"))

    assert table.context["coverage"] == "1999"


def test_a_document_is_known_by_its_root_whatever_it_is_called(read):
    prolog = "\ufeff<?xml version='1.0'?>\n<!-- <foo> made by hand -->\n"
    tables, _ = read(document(entity(), prolog=prolog), name="record")

    assert len(tables) == 1


def test_other_xml_in_a_folder_is_passed_over(tmp_path):
    (tmp_path / "a.xml").write_text("<html><eml/></html>")
    (tmp_path / "b.xml").write_text(document(entity()))

    assert [item.name for item in read_sources([str(tmp_path)])] == ["Porewater"]


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16"])
def test_encodings_that_are_declared_are_understood(read, encoding):
    text = document(
        entity("Áreas"), prolog=f'<?xml version="1.0" encoding="{encoding}"?>\n', head=""
    )

    (table,), _ = read(text.encode(encoding), format="eml")

    assert table.name == "Áreas"


def test_a_document_larger_than_a_chunk_is_read_whole(read, monkeypatch):
    monkeypatch.setattr(xml_stream, "CHUNK_BYTES", 7)

    tables, rejected = read(document(*(entity(f"e{number}") for number in range(9))))

    assert [table.name for table in tables] == [f"e{number}" for number in range(9)]
    assert rejected == []


# What is broken, or means harm

LAUGHS = "".join(
    f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)
)  # a billion laughs from a kilobyte


@pytest.mark.parametrize(
    "doctype",
    [
        f'<!DOCTYPE eml [<!ENTITY l0 "lol">{LAUGHS}]>',
        '<!DOCTYPE eml [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE eml [<!ENTITY % x SYSTEM "http://localhost:1/x.dtd"> %x; <!ENTITY l9 "">]>',
        '<!DOCTYPE eml SYSTEM "http://localhost:1/x.dtd">',
        "<!DOCTYPE eml>",
    ],
)
def test_a_document_that_could_declare_entities_is_refused(read, doctype):
    text = document(entity("&l9;"), prolog=f"<?xml version='1.0'?>\n{doctype}\n")

    tables, (one,) = read(text)

    assert tables == []
    assert (one.line, one.problem) == (2, "It has a DOCTYPE, which could declare entities")
    assert one.remedy == "Remove the DOCTYPE."


def test_a_document_nested_too_deep_is_refused(read):
    text = document(entity(), "<a>" * 100_000)

    tables, (one,) = read(text)

    assert [table.name for table in tables] == ["Porewater"]
    assert one.problem == "It is nested too deep"


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ("<dataTable><entityName>a & b", "not well-formed (invalid token)"),
        ("<dataTable></otherEntity>", "mismatched tag"),
        ("<dataTable>&unknown;", "undefined entity"),
        ("<dataTable>", "mismatched tag"),
    ],
)
def test_what_stood_before_a_break_is_kept_and_the_line_is_told(read, broken, problem):
    tables, (one,) = read(document(entity(), "\n", broken))

    assert [table.name for table in tables] == ["Porewater"]
    assert one.problem == f"It is not well-formed XML ({problem})"
    assert one.line == document(entity(), "\n").count("\n") + 1


def test_a_document_that_breaks_off_gives_what_stood_before(read):
    text = document(entity("first"), entity("second"))

    tables, (one,) = read(text[: text.index("second")])

    assert [table.name for table in tables] == ["first"]
    assert one.problem == "It is not well-formed XML (no element found)"


def test_an_entity_that_refers_to_nothing_stops_no_other(read):
    tables, (one,) = read(document(entity("bad", "<references>gone</references>"), entity("good")))

    assert [table.name for table in tables] == ["good"]
    assert one.table_id == "knb.23.12#bad"
    assert one.problem == (
        "dataTable 1 (bad): Its attributes are those of 'gone', which the document has not"
    )


def test_xml_that_is_no_eml_is_reported(read):
    tables, (one,) = read("<html/>", format="eml")

    assert (tables, one.problem) == ([], "Its root is html, not eml")


def test_a_document_without_a_package_id_is_known_by_its_file(read):
    (table,), _ = read(document(entity()).replace('packageId="knb.23.12"', ""))

    assert table.table_id == "knb.23.12#Porewater"
