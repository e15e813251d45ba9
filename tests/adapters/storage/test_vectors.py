"""The nearest vectors, by whichever library: the same ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.storage.vectors import FaissVectors, NumpyVectors, vectors

D = 16


def some(count, seed=0):
    rows = np.random.default_rng(seed).standard_normal((count, D)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture(params=[NumpyVectors, FaissVectors])
def made(request):
    return request.param(D)


@pytest.mark.spec("ENC-NEAR-8")
def test_the_nearest_comes_first(made):
    rows = some(200)
    assert made.search(rows[0], 3) == []
    made.put(list(range(100)), rows[:100])
    made.put(list(range(100, 200)), rows[100:])
    best = made.search(rows[120], 3)
    assert best[0][0] == 120
    assert best[0][1] == pytest.approx(1.0, abs=1e-5)
    assert [score for _, score in best] == sorted((score for _, score in best), reverse=True)
    assert len(made.search(rows[0], 500)) == len(made) == 200


@pytest.mark.spec("ENC-NEAR-8")
def test_what_was_removed_is_not_found_and_its_place_is_used_again(made):
    rows = some(50)
    made.put(list(range(50)), rows)
    made.remove([7, 49, 7, 999])
    assert len(made) == 48
    assert all(made.search(rows[n], 1)[0][0] != n for n in (7, 49))
    assert made.search(rows[48], 1)[0][0] == 48
    made.put([50], rows[7:8])
    assert made.search(rows[7], 1)[0][0] == 50


@pytest.mark.spec("ENC-NEAR-8")
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30)), max_size=40), st.integers(0, 5))
@settings(deadline=None, max_examples=40)
def test_both_libraries_say_the_same_after_any_changes(changes, seed):
    pair, rows, held = (NumpyVectors(D), FaissVectors(D)), some(31, seed), set()
    for add, number in changes:
        for one in pair:
            if add and number not in held:
                one.put([number], rows[number : number + 1])
            elif not add:
                one.remove([number])
        held = held | {number} if add else held - {number}
    assert {len(one) for one in pair} == {len(held)}
    for number in range(31):
        found = [{key for key, _ in one.search(rows[number], 40)} for one in pair]
        assert found[0] == found[1] == held


@pytest.mark.spec("ENC-NEAR-9")
def test_a_graph_is_built_aside_and_misses_nothing_that_comes_or_goes_meanwhile():
    made, rows = FaissVectors(D, pays=2000), some(2600)
    made.put(list(range(1990)), rows[:1990])
    assert made.building is None
    made.put(list(range(1990, 2010)), rows[1990:2010])
    building = made.building
    made.put(list(range(2010, 2100)), rows[2010:2100])
    made.remove(range(100))
    if building:
        building.join()
    made.put(list(range(2100, 2600)), rows[2100:])
    made.remove([2599])
    assert len(made) == 2499
    found = [made.search(rows[number], 1)[0][0] for number in range(100, 2599)]
    assert sum(a == b for a, b in zip(found, range(100, 2599), strict=True)) >= 0.98 * 2499
    assert not {number for n in (0, 50, 99, 2599) for number, _ in made.search(rows[n], 8)} & {*range(100), 2599}


@pytest.mark.spec("ENC-NEAR-9")
def test_a_graph_of_many_that_are_gone_is_built_anew():
    made, rows = FaissVectors(D, pays=300), some(400)
    made.put(list(range(400)), rows)
    if made.building:
        made.building.join()
    made.remove(range(200))
    if made.building:
        made.building.join()
    assert {number for number, _ in made.search(rows[5], 50)} <= set(range(200, 400))
    assert len(made.search(rows[5], 50)) == 50


def test_faiss_is_taken_where_it_is_installed():
    assert isinstance(vectors(D), FaissVectors)
