"""What asking about a table's names would take, nothing asked. Pure."""

from ingest.describe.tokens import estimated_tokens
from ingest.estimate import NOTHING_ASKED, Estimate
from ingest.expand_llm.design import Design
from ingest.expand_llm.plan import Plan, batches
from ingest.expand_llm.prompt import fixed_tokens, question

TYPICAL_REPLY_SHARE = 0.7
"""Of the room for a reply; what is left over is for long words."""


def estimate_of(plan: Plan, design: Design) -> Estimate:
    """Return the calls and tokens of a plan, each name asked about once."""
    asked = [(plan.columns_subject(), names) for names in batches(plan.columns)]
    if plan.name:
        asked.append((plan.name_subject(plan.column_texts({})), (plan.name,)))
    if not asked:
        return NOTHING_ASKED
    questions = [question(subject, map(design.line, names)) for subject, names in asked]
    room = sum(design.answer_tokens(name) for _, names in asked for name in names)
    return Estimate(
        tables=1,
        calls=len(asked),
        shared_tokens=len(asked) * fixed_tokens(design),
        prompt_tokens=round(sum(map(estimated_tokens, questions))),
        completion_tokens=round(TYPICAL_REPLY_SHARE * room),
    )
