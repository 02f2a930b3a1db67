"""Every analyzer of the mappings in Python against a real Elasticsearch, token for token."""

import builtins
import inspect
import random
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import mappings
from polaris_search.text.analysis import analyzer_named
from polaris_search.text.query import KINDS, query_terms
from polaris_search.text.tables.server import AnalysisServer, analysis_server

pytestmark = pytest.mark.es

ANALYSIS = mappings.tables()["settings"]["analysis"]
ANALYZERS = sorted(ANALYSIS["analyzer"])
SEED = 20261130

WORDS = """
    sales Region customer's ID employee order TOTAL amount date code status payroll don't X 2024 7
    1,000.5 3rd NO_ppm IT réseau Größe año cre\u0301me naïve Ærø İSTANBUL ŁÓDŹ ﬁnance x²
"""
FOREIGN_WORDS = """
    设备维修信息表 データベース ひらがな 한국어 ประเทศไทย עברית ב"ר הנד' Ελλάς ΣΊΣΥΦΟΣ русский
    العربية हिन्दी தமிழ் 👍🏽 👩\u200d👩\u200d👧 🇩🇪🇫🇷 1\ufe0f\u20e3 ☎ ★ ℹ\ufe0f Ⓜ\ufe0f 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠀀𠀁
    ｆｕｌｌ１２ ㈱ ½ ⅷ µm ªº
"""
BY_CLASS = (
    "aAzZsS019_:.'\",; -/#\n\u05d0\u05d1\u30a2\u6f22\u3042\u0e01\u0e31\u0301\u200d\ufe0f\ufe0e"
    "\u20e3\U0001f600\U0001f3fd\U0001f1e6\U00020000\u2139\u24c2\u3005\u00b7\u2019\u202f"
    "\U000e0067\U000e007f\u00ad\uff11\u01c5\u0660\u2163\u00df\ufb01"
)
PLANES = (
    (0x80, 0xD7FF),
    (0xE000, 0xFFFF),
    (0x10000, 0x1FFFF),
    (0x20000, 0x3134F),
    (0xE0000, 0xE01EF),
)


@pytest.fixture(scope="module")
def server(es_url: str) -> Iterator[AnalysisServer]:
    with analysis_server(es_url, "polaris-test-text", ANALYSIS) as running:
        yield running


def prose() -> list[str]:
    documents = (inspect.getdoc(member) or "" for member in vars(builtins).values())
    return [paragraph for text in documents for paragraph in text.split("\n\n")]


def source_code() -> list[str]:
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    chosen = random.Random(SEED).sample(files, 12)
    return [line for path in chosen for line in path.read_text(encoding="utf-8").splitlines()]


def identifiers() -> list[str]:
    rng = random.Random(SEED)
    plain, foreign = WORDS.split(), FOREIGN_WORDS.split()
    styles: list[Callable[[list[str]], str]] = [
        lambda words: "".join(word.title() for word in words),
        lambda words: words[0].lower() + "".join(word.title() for word in words[1:]),
        *("_".join, "__".join, ".".join, "-".join, "/".join, " ".join, "'".join, "".join),
        lambda words: "_".join(words).upper(),
        lambda words: "".join(word[:2] + str(rng.randrange(100)) for word in words),
        lambda words: "[" + "].[".join(words) + "]",
    ]
    return [
        rng.choice(styles)(rng.choices(rng.choice((plain, plain, foreign)), k=rng.randint(1, 4)))
        for _ in range(4000)
    ]


def any_unicode() -> list[str]:
    rng = random.Random(SEED)

    def character() -> str:
        return chr(rng.randint(*rng.choice(PLANES)))

    mixed = ["".join(rng.choices(BY_CLASS, k=rng.randint(1, 14))) for _ in range(12000)]
    wild = [
        "".join(rng.choice((character, lambda: rng.choice(BY_CLASS)))() for _ in range(12))
        for _ in range(6000)
    ]
    return mixed + wild


def each_code_point() -> list[str]:
    """Every character below the Han blocks and a tenth of the others, each in four surroundings."""
    others = [*range(0x3400, 0xD800), *(c for low, high in PLANES[1:] for c in range(low, high))]
    code_points = [*range(1, 0x3400), *random.Random(SEED).sample(others, len(others) // 10)]
    return [f"{chr(c)} a{chr(c)}b 1{chr(c)}2 {chr(c)}{chr(c)}A" for c in code_points]


def long_tokens() -> list[str]:
    rng = random.Random(SEED)
    texts = [
        "",
        " ",
        "_" * 300,
        "a" * 254,
        "a" * 255,
        "a" * 256,
        "é" * 511,
        "\U00020000" * 300,
        "_" * 300 + "a",
    ]
    texts += [
        "ß" * 255,
        "ﬃ" * 255,
        "a" + "\u0301" * 600,
        "\U0001d518" * 127 + "a",
        "\U0001d518" * 128,
        "x" * 5000,
    ]
    for _ in range(400):
        few = rng.sample(BY_CLASS, rng.randint(1, 4))
        texts.append("".join(rng.choices(few, k=rng.randint(200, 900))))
    return texts


@pytest.mark.parametrize("analyzer", ANALYZERS)
@pytest.mark.parametrize(
    "texts", [prose, source_code, identifiers, any_unicode, each_code_point, long_tokens]
)
def test_analyzer_gives_the_terms_that_elasticsearch_gives(
    server: AnalysisServer, analyzer: str, texts: Callable[[], list[str]]
) -> None:
    given = texts()

    expected = server.terms(analyzer, given)

    analyze = analyzer_named(analyzer)
    differing = [
        (text, ours, theirs)
        for text, theirs in zip(given, expected, strict=True)
        if (ours := analyze(text)) != theirs
    ]
    assert differing == []
    assert any(expected)


def test_terms_of_a_query_survive_the_whitespace_analyzer(server: AnalysisServer) -> None:
    texts = [*identifiers()[:1000], *any_unicode()[::20], *long_tokens()[::10]]

    for kind in KINDS:
        terms = [query_terms(kind, text) for text in texts]

        assert server.terms("whitespace", [" ".join(each) for each in terms]) == terms
