"""Write english.txt from SymSpell's English frequency list. Run by hand, never by the product.

    python -m ingest.expand.data.build PATH/TO/frequency_dictionary_en_82_765.txt

The list comes with the package symspellpy; NOTICE.md says where it is from and how it may be used.
Words go into one line per tenth of a natural log unit of rarity, so that the file is small and
loads fast.
"""

import math
import sys
from collections import defaultdict
from pathlib import Path

OUT = Path(__file__).with_name("english.txt")
HEADER = "# Made by build.py: -ln(share of all words), then the words. Origin, licence: NOTICE.md."

_RUDE_BEGINNINGS = """
fuck shit cunt nigg fagg slut whor bitch porn pussy wank dyke tits titt twat bastard
"""
_RUDE_WORDS = """
ass asses arse cock cocks dick dicks fag fags gook jap japs kike spic tit poo
"""
_AMERICAN = """
colour>color labour>labor neighbour>neighbor favour>favor flavour>flavor harbour>harbor
honour>honor humour>humor behaviour>behavior rumour>rumor vapour>vapor tumour>tumor odour>odor
armour>armor endeavour>endeavor savour>savor vigour>vigor parlour>parlor theatre>theater
centre>center metre>meter litre>liter fibre>fiber calibre>caliber sombre>somber lustre>luster
catalogue>catalog dialogue>dialog analogue>analog offence>offense defence>defense
licence>license pretence>pretense enrolment>enrollment instalment>installment
fulfilment>fulfillment jewellery>jewelry haem>hem gynaec>gynec paed>ped anaem>anem
anaesth>anesth oestr>estr aluminium>aluminum sulph>sulf grey>gray programme>program cheque>check
tyre>tire mould>mold plough>plow sceptic>skeptic travell>travel cancell>cancel labell>label
modell>model analyse>analyze ageing>aging
"""

RUDE_BEGINNINGS = tuple(_RUDE_BEGINNINGS.split())
RUDE_WORDS = frozenset(_RUDE_WORDS.split())
AMERICAN = dict(pair.split(">") for pair in _AMERICAN.split())
"""Parts of words as the list has them and as they are spelled in the United States."""


def main(source: Path) -> None:
    """Read the list and write english.txt beside this file."""
    counts = _with_american(dict(_counts(source)))
    total = sum(counts.values())
    buckets: dict[float, list[str]] = defaultdict(list)
    for word, count in counts.items():
        buckets[round(-math.log(count / total), 1)].append(word)
    lines = [f"{cost:.1f} {' '.join(sorted(buckets[cost]))}" for cost in sorted(buckets)]
    OUT.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")


def _counts(source: Path) -> list[tuple[str, int]]:
    pairs = (line.split() for line in source.read_text(encoding="utf-8-sig").splitlines())
    return [(word, int(count)) for word, count in pairs if _wanted(word)]


def _with_american(counts: dict[str, int]) -> dict[str, int]:
    """Return the counts with the American spelling of each British word that lacks it."""
    added: dict[str, int] = {}
    for british, american in AMERICAN.items():
        for word, count in counts.items():
            spelled = word.replace(british, american)
            if british in word and _wanted(spelled):
                added.setdefault(spelled, count)
    return {**added, **counts}


def _wanted(word: str) -> bool:
    """Whether a word may be shown to a person: letters only, at least two, and not rude."""
    if len(word) < 2 or not (word.isascii() and word.isalpha()):
        return False
    return word not in RUDE_WORDS and not word.startswith(RUDE_BEGINNINGS)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
