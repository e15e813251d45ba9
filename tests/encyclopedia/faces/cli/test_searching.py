"""The deadline of a search that a person has started."""

from __future__ import annotations

import pytest

from encyclopedia.faces.cli.app import STARTED
from encyclopedia.faces.cli.searching import since_start
from encyclopedia.model.plan import Plan
from encyclopedia.model.query import Query, QueryType, Question
from encyclopedia.model.trace import Trace


def trace(deadline: float) -> Trace[Plan]:
    return Trace(Plan(Question(Query("q"), "q", QueryType.GENERAL_SEARCH, "default"), (), deadline=deadline))


@pytest.mark.spec("ENC-CLI-25")
@pytest.mark.parametrize(
    ("deadline", "spent", "left"), [(10.0, 0.25, 9.75), (0.5, 0.1, 0.4), (0.2, 0.15, 0.1), (0.1, 9.0, 0.05)]
)
def test_the_deadline_counts_from_the_start_of_the_command(deadline: float, spent: float, left: float) -> None:
    assert since_start(trace(deadline), lambda: STARTED + spent).value.deadline == pytest.approx(left)
