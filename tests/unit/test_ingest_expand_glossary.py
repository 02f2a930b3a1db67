"""A glossary file is read whole, or every wrong line of it is named."""

from pathlib import Path

import pytest

from ingest.expand.glossary import GlossaryInvalid, read_glossary
from ingest.expand.tokens import split_name


def written(folder: Path, text: str) -> Path:
    path = folder / "glossary.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("header", ["", "short,long\n", "\ufeffShort,Long\n"])
def test_header_is_optional(tmp_path: Path, header: str) -> None:
    glossary = read_glossary(written(tmp_path, header + 'CUST_NO,Client Reference\n\nx,"a, b"\n'))

    assert glossary.meanings == {"custno": ("client", "reference"), "x": ("a,", "b")}


def test_longest_short_form_is_applied() -> None:
    from ingest.expand.glossary import Glossary

    glossary = Glossary({"po": ("post", "office"), "pobox": ("mail", "box")})

    tokens = glossary.apply(split_name("po_box_po_nr"))

    assert [token.meaning for token in tokens] == [("mail", "box"), ("post", "office"), None]


def test_every_wrong_line_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "short,long\na,b,c\n__,x\nq,\nok,fine\nOK,other\n")

    with pytest.raises(GlossaryInvalid) as refused:
        read_glossary(path)

    lines = str(refused.value).splitlines()
    assert [line.split(":")[0] for line in lines] == [f"{path}, line {n}" for n in (2, 3, 4, 6)]
    assert "3 cells" in lines[0]
    assert "no letter or digit" in lines[1]
    assert "long form is empty" in lines[2]
    assert "another meaning in line 5" in lines[3]


def test_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(GlossaryInvalid, match="cannot be read"):
        read_glossary(tmp_path / "none.csv")


def test_other_encoding_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "glossary.csv"
    path.write_bytes("größe,size\n".encode("latin-1"))

    with pytest.raises(GlossaryInvalid, match="not UTF-8"):
        read_glossary(path)


def test_open_quote_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(GlossaryInvalid, match="not CSV"):
        read_glossary(written(tmp_path, 'a,"b\n'))
