from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.stages.contrast import FEW, Contrast, contrast

VALUES = st.lists(st.tuples(st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from([0, 0.25, 0.5, 1])), min_size=1, max_size=FEW)


@pytest.mark.spec("ENC-MEASURE-3")
def test_few_queries_are_counted_out() -> None:
    assert contrast([0, 0, 0, 1], [1, 1, 1, 1]) == Contrast(0.25, 1.0, better=3, worse=0, same=1, p=2 / 8)
    assert contrast([0, 1], [1, 0]) == Contrast(0.5, 0.5, better=1, worse=1, same=0, p=1.0)
    assert contrast([0.5], [0.5]).p == 1.0
    assert contrast([0, 0, 1], [1, 0.5, 0]).p == 1.0
    assert contrast([0.25], [1]).difference == 0.75


@pytest.mark.spec("ENC-MEASURE-3")
def test_many_queries_are_drawn_and_always_the_same() -> None:
    before, after = [0.0] * 20, [1.0] * 15 + [-1.0] * 5
    found = contrast(before, after)
    assert found == contrast(before, after)
    assert found.p == pytest.approx(0.0414, abs=0.006)  # the sign test of 15 out of 20, which this is for equal sizes
    assert contrast([0.0] * 40, [1.0] * 40).p < 0.001
    assert contrast([0.0] * 40, [1.0, -1.0] * 20).p > 0.9


@pytest.mark.spec("ENC-MEASURE-3")
@given(VALUES)
def test_neither_side_is_preferred(pairs: list[tuple[float, float]]) -> None:
    before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    there, back = contrast(before, after), contrast(after, before)
    assert there.p == back.p
    assert (there.better, there.worse, there.same) == (back.worse, back.better, back.same)
    assert 0 < there.p <= 1
    assert there.better + there.worse + there.same == len(pairs)
