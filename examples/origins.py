"""The tables of each package, read from a folder that pip installed them into.

One function per package; what is taken and what is left out is decided here and said in README.md.
"""

import ast
import csv
from collections.abc import Iterator
from pathlib import Path

from examples.catalogs import catalog_columns, catalog_name, catalog_title
from examples.documented import Documented
from examples.headers import column_names
from examples.notes import definitions_in_html, definitions_in_note

# Fit for a study, not for the first page of a product.
UNSUITED = {"adult_services", "black_politicians"}

# The packages' examples that document a table and are not there for testing alone: folder -> file.
LIBPYSAL_FILES = {
    "10740": "10740.dbf",
    "baltim": "baltim.dbf",
    "burkitt": "burkitt.dbf",
    "chicago": "Chicago77.dbf",
    "columbus": "columbus.dbf",
    "georgia": "G_utm.dbf",
    "juvenile": "juvenile.dbf",
    "mexico": "mexicojoin.dbf",
    "sids2": "sids2.dbf",
    "snow_maps": "SohoPeople.dbf",
    "stl": "stl_hom.dbf",
    "tokyo": "Tokyomortality.csv",
    "us_income": "usjoin.csv",
    "virginia": "virginia.dbf",
}


def all_tables(site: Path) -> list[Documented]:
    """Return the tables of all packages, by table_id."""
    tables = [
        *statsmodels(site),
        *causaldata(site),
        *pypsa(site),
        *postgresql(site),
        *libpysal(site),
    ]
    return sorted(
        (table for table in tables if len(table.columns) > 1), key=lambda table: table.table_id
    )


def statsmodels(site: Path) -> Iterator[Documented]:
    """Yield the data sets whose COPYRIGHT note says that they are in the public domain."""
    for module in sorted((site / "statsmodels/datasets").glob("*/data.py")):
        texts = _module_texts(module)
        if "public domain" in texts["COPYRIGHT"].casefold():
            yield _data_set("statsmodels", module, texts)


def causaldata(site: Path) -> Iterator[Documented]:
    """Yield the data sets whose COPYRIGHT note names an origin."""
    for module in sorted((site / "causaldata").glob("*/data.py")):
        texts = _module_texts(module)
        if texts["COPYRIGHT"].strip(" ?.") and module.parent.name not in UNSUITED:
            yield _data_set("causaldata", module, texts)


def pypsa(site: Path) -> Iterator[Documented]:
    """Yield one table per component of an energy network."""
    data = site / "pypsa/data"
    for component in _rows(data / "components.csv"):
        attributes = _rows(data / "component_attrs" / f"{component['list_name']}.csv")
        yield Documented(
            source="pypsa",
            name=component["list_name"],
            columns=tuple(row["attribute"] for row in attributes),
            context={"package": "PyPSA", "category": component["category"] or "component"},
            database="pypsa",
            schema="",
            format="csv",
            title=component["description"],
            definitions={
                row["attribute"]: row["description"].replace("`", "") for row in attributes
            },
        )


def postgresql(site: Path) -> Iterator[Documented]:
    """Yield the system catalogs, read from the server headers in the pgserver package."""
    for path in sorted(
        (site / "pgserver/pginstall/include/postgresql/server/catalog").glob("pg_*.h")
    ):
        header = path.read_text(encoding="utf-8")
        name = catalog_name(header)
        if name is None:
            continue
        columns = catalog_columns(header)
        yield Documented(
            source="postgresql",
            name=name,
            columns=tuple(columns),
            context={"system": "PostgreSQL", "schema": "pg_catalog"},
            database="postgres",
            schema="pg_catalog",
            format="sql",
            title=catalog_title(header),
            definitions={column: text for column, text in columns.items() if text},
        )


def libpysal(site: Path) -> Iterator[Documented]:
    """Yield the example maps' attribute tables; the second heading of a README is the title."""
    for folder, file in LIBPYSAL_FILES.items():
        path = site / "libpysal/examples" / folder / file
        columns = column_names(path)
        readme = (path.parent / "README.md").read_text(encoding="utf-8").splitlines()
        page = path.with_suffix(".html")
        yield Documented(
            source="libpysal",
            name=path.stem,
            columns=columns,
            context={"package": "libpysal"},
            database="libpysal",
            schema="",
            format=path.suffix[1:],
            title=next(line for line in readme[2:] if line.strip()),
            definitions=definitions_in_html(page.read_text("iso-8859-1"), columns)
            if page.exists()
            else {},
        )


def _data_set(source: str, module: Path, texts: dict[str, str]) -> Documented:
    path = min(file for file in module.parent.iterdir() if file.suffix in {".csv", ".dta"})
    columns = column_names(path)
    return Documented(
        source=source,
        name=module.parent.name,
        columns=columns,
        context={"package": source},
        database=source,
        schema="",
        format=path.suffix[1:],
        title=texts["TITLE"],
        definitions=definitions_in_note(texts["NOTE"], columns),
    )


def _module_texts(module: Path) -> dict[str, str]:
    """Return the texts a data set's module assigns to names, without running it."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    texts = {"__doc__": ast.get_docstring(tree) or "", "NOTE": ""}
    for node in tree.body:
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            continue
        if isinstance(node.value, ast.Constant):
            texts[node.targets[0].id] = str(node.value.value)
        elif isinstance(node.value, ast.Name):
            texts[node.targets[0].id] = texts.get(node.value.id, "")
    return texts


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
