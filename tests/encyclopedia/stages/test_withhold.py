"""Results above a label are not there; how many they were is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.label import Label
from encyclopedia.model.outcome import Hit, Outcome, Reply
from encyclopedia.model.plan import Plan
from encyclopedia.model.query import Query, QueryType, Question
from encyclopedia.model.ranking import Ranked, Ranking, Share
from encyclopedia.model.status import Status
from encyclopedia.stages.withhold import withhold

PLAN = Plan(Question(Query("words"), "words", QueryType.GENERAL_SEARCH, "default"), ())
LABELS = st.lists(st.sampled_from(Label), max_size=8)


@pytest.mark.spec("ENC-CEILING-1")
@given(labels=LABELS, others=LABELS, ceiling=st.sampled_from(Label))
def test_nothing_above_the_ceiling_is_left_anywhere(labels: list[Label], others: list[Label], ceiling: Label) -> None:
    hits = tuple(Hit(f"t{number}", label=label) for number, label in enumerate(labels))
    reply = Reply(hits, tuple(Hit("o", label=label) for label in others))
    ranked = tuple(Ranked(hit, (Share("a", rank, 1.0, 0.1),)) for rank, hit in enumerate(hits, 1))
    shown = withhold(Ranking(PLAN, (Outcome("a", Status.OK, reply),), ranked), ceiling)
    left = [hit for outcome in shown.outcomes for hit in (*outcome.reply.hits, *outcome.reply.alternatives)]
    assert all(hit.label <= ceiling for hit in (*left, *(result.hit for result in shown.results)))
    assert [result.hit for result in shown.results] == [hit for hit in hits if hit.label <= ceiling]
    assert shown.withheld == sum(label > ceiling for label in labels)
    assert len(left) == sum(label <= ceiling for label in (*labels, *others))
