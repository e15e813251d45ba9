from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.shared.text_index import Passage, TextIndex, states
from encyclopedia_adapters.shared.text_index.view import View

NAMES = [*"abcdefghij", "\ud800", "state"]
CHANGES = st.lists(st.dictionaries(st.sampled_from(NAMES), st.none() | st.text(max_size=3), max_size=5), max_size=12)


def apply(index, changes):
    with index.update() as writer:
        for name, state in changes.items():
            if state is None:
                writer.remove(name)
            elif len(state) == 1:
                writer.mark(name, state)
            else:
                writer.put(name, [Passage(name, name, "", "words")], state)


@pytest.mark.spec("ENC-INDEX-10")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=CHANGES)
def test_states_are_what_was_put_last(tmp_path_factory, rounds):
    index = TextIndex(str(tmp_path_factory.mktemp("index")))
    expected = {}
    for changes in rounds:
        apply(index, changes)
        for name, state in changes.items():
            if state is None:
                expected.pop(name, None)
            else:
                expected[name] = state
        assert dict(index.documents()) == dict(TextIndex(index.folder).documents()) == expected


@pytest.mark.spec("ENC-INDEX-10")
def test_many_small_updates_leave_few_parts(tmp_path):
    index = TextIndex(str(tmp_path / "index"))
    count = 60
    for at in range(count):
        apply(index, {f"document {at}": "state", "same": str(at)})
    view = View(index.folder)
    assert len(view.parts) <= math.log2(count) + 1
    assert view.size == index.count() == count + 1
    assert len(index.documents()) == count + 1


def test_a_small_change_rewrites_little(tmp_path):
    index = TextIndex(str(tmp_path / "index"))
    apply(index, {f"document {at}": "state" for at in range(200)})
    large = View(index.folder).parts[0]
    apply(index, {"one": "more"})
    before, after = View(index.folder).parts
    assert (before.number, before.size, after.size) == (large.number, 200, 1)


def test_what_was_removed_leaves_no_trace_once_all_is_rewritten():
    assert states.merged([{"a": "1", "b": "2"}, {"a": None}], whole=True) == {"b": "2"}
    assert states.merged([{"b": "2"}, {"a": None}], whole=False) == {"b": "2", "a": None}


@pytest.mark.parametrize(("sizes", "new", "count"), [((), 5, 0), ((100, 10), 5, 1), ((100, 10), 4, 0), ((40, 20, 10), 5, 3)])
def test_parts_grow_by_doubling(sizes, new, count):
    parts = [states.Part(at, size, ()) for at, size in enumerate(sizes)]
    assert states.absorbed(parts, new) == count


def test_clearing_forgets_all_states(tmp_path):
    index = TextIndex(str(tmp_path / "index"))
    apply(index, {"a": "1", "b": "2"})
    with index.update() as writer:
        writer.clear()
        writer.mark("c", "3")
    assert dict(index.documents()) == {"c": "3"}
