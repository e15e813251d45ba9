"""A budget is kept to the last character, and what does not fit comes with the next answer, without a gap."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia.faces.mcp.fit import LEAST, MOST, UNTRUSTED, Rows, Text, fit

WORDS = st.text(alphabet=st.sampled_from('ab \n"\\ü漢'), max_size=900)
ROWS = st.lists(
    st.fixed_dictionaries({"id": st.text("xyz", min_size=1, max_size=30), "text": WORDS, "list": st.lists(WORDS, max_size=3)}),
    max_size=12,
)
BUDGETS = st.integers(LEAST, MOST)


def paid(text: str, structured: dict[str, Any]) -> int:
    return len(text) + len(json.dumps(structured, ensure_ascii=False))


@pytest.mark.spec("ENC-TOKENS-1")
@settings(max_examples=60, deadline=None)
@given(rows=ROWS, budget=BUDGETS, remarks=st.lists(WORDS, max_size=3))
def test_rows_keep_the_budget_and_all_of_them_come(rows: list[dict[str, Any]], budget: int, remarks: list[str]) -> None:
    answer = Rows({"status": "success"}, tuple(remarks), "results", tuple(rows))
    offset, ids = 0, []
    for _ in range(len(rows) + 1):
        made = fit(answer, offset, budget)
        assert paid(made.text, made.structured) <= budget * 4
        assert made.text.startswith(UNTRUSTED) or not made.structured["results"]
        ids += [row["id"] for row in made.structured["results"]]
        assert made.structured["total"] == len(rows)
        if "next_offset" not in made.structured:
            break
        assert made.structured["next_offset"] > offset
        assert f"offset={made.structured['next_offset']}" in made.text
        offset = made.structured["next_offset"]
    else:
        pytest.fail("the list has no end")
    assert ids == [row["id"] for row in rows]


@pytest.mark.spec("ENC-TOKENS-2")
@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet=st.sampled_from('ab \n"\\ü漢'), min_size=1, max_size=6000), budget=BUDGETS)
def test_the_pages_of_a_text_are_the_text(text: str, budget: int) -> None:
    answer = Text({"id": "a"}, ("Title",), "text", text)
    offset, pages = 0, []
    while True:
        made = fit(answer, offset, budget)
        assert paid(made.text, made.structured) <= budget * 4
        assert made.structured["text"] in made.text
        pages.append(made.structured["text"])
        if "next_offset" not in made.structured:
            break
        assert made.structured["next_offset"] == offset + len(made.structured["text"])
        offset = made.structured["next_offset"]
    assert "".join(pages) == text


@pytest.mark.spec("ENC-TOKENS-1")
def test_more_tokens_never_show_less() -> None:
    rows = tuple({"id": f"{number}", "text": "word " * 80 * number} for number in range(1, 20))
    sizes = [fit(Rows({}, (), "results", rows), 0, budget) for budget in range(LEAST, MOST, 100)]
    for less, more in pairwise(sizes):
        assert len(more.structured["results"]) >= len(less.structured["results"])
    assert len(sizes[-1].structured["results"]) == len(rows)
    assert paid(sizes[-1].text, sizes[-1].structured) > MOST * 4 * 0.9


@pytest.mark.spec("ENC-TOKENS-1")
def test_texts_are_cut_before_rows_are_left_out() -> None:
    rows = tuple({"id": f"{number}", "text": "word " * 400} for number in range(8))
    made = fit(Rows({}, (), "results", rows), 0, 1000)
    assert len(made.structured["results"]) == 8
    assert {len(row["text"]) for row in made.structured["results"]} == {len(made.structured["results"][0]["text"])}


@pytest.mark.spec("ENC-TOKENS-3")
def test_a_row_that_cannot_fit_is_told_and_passed_over() -> None:
    rows = ({"id": "x" * 2000, "text": "a"}, {"id": "y", "text": "b"})
    made = fit(Rows({}, (), "results", rows), 0, LEAST)
    assert made.structured == {"total": 2, "offset": 0, "results": [], "next_offset": 1}
    assert "larger max_tokens" in made.text
    assert fit(Rows({}, (), "results", rows), 1, LEAST).structured["results"][0]["id"] == "y"
    assert fit(Rows({}, (), "results", rows), 0, MOST).structured["results"][0]["id"] == "x" * 2000


@pytest.mark.spec("ENC-TOKENS-3")
def test_an_offset_behind_the_end_is_an_empty_answer() -> None:
    assert fit(Rows({}, (), "results", ()), 7, LEAST).structured == {"total": 0, "offset": 7, "results": []}
    assert fit(Text({}, (), "text", "abc"), 9, LEAST).structured["text"] == ""
