"""Ten easy names that a model has to read right before `auto` asks it about any other.

A model that knows too little guesses, and a guess is worse than the lexical reading: names read by
the small model of the demo were right less often than without it. One request tells.
"""

from ingest.expand.name_reading import NameReading
from ingest.expand.tokens import split_name
from ingest.expand_llm.asked_name import AskedName
from ingest.expand_llm.attempts import Attempts

N_QUESTIONS = 10
PASSED_FROM = 8
"""Right answers. Who chooses by chance has 4 on average, and 8 or more once in seventy times."""

SUBJECT = ("name: hosp_adm", "about: stays of patients in hospital wards")

# Each name, which of the meanings after it is right, and these: no place is right more often.
_QUESTIONS: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("pt_id", 1, ("part id", "patient id", "point id")),
    ("adm_dt", 0, ("admission date", "administrator date")),
    ("dsch_dt", 2, ("description chart date", "dispatch date", "discharge date")),
    ("wrd_no", 1, ("word number", "ward number")),
    ("dr_nm", 1, ("drawing name", "doctor name", "driver name")),
    ("bed_cnt", 2, ("bed county", "bed contract", "bed count")),
    ("diag_cd", 0, ("diagnosis code", "diagram code")),
    ("bp_sys", 0, ("blood pressure systolic", "base price system")),
    ("ins_co", 1, ("insect county", "insurance company", "inside cost")),
    ("rm_typ", 0, ("room type", "remark type")),
)


async def right_answers(attempts: Attempts) -> int:
    """Return how many of the ten names the model reads right.

    Raises:
        ChatFailed: it cannot be asked.
        ServiceUnreachable: its server does not answer.
    """
    names = [_asked(text, meanings) for text, _, meanings in _QUESTIONS]
    answers = await attempts.answers(SUBJECT, names)
    return sum(
        answers.get(name) == name.reading.choices[right]
        for name, (_, right, _) in zip(names, _QUESTIONS, strict=True)
    )


def _asked(text: str, meanings: tuple[str, ...]) -> AskedName:
    choices = tuple(tuple(meaning.split()) for meaning in meanings)
    return AskedName(text, split_name(text), NameReading(choices[0], 0.5, choices))
