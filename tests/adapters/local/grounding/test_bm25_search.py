"""Rows are filtered, then ranked; nothing is ever widened."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local.grounding import bm25_search
from encyclopedia_adapters.local.grounding.bm25_search import BM25, RETRIEVERS, apply_filters, load_csv, search_rows
from tests.adapters.local.grounding.corpus import write

ROWS = [{"Name": "Aurora", "Level": "HIGH"}, {"Name": "Bento", "Level": "low"}, {"Name": "Clay", "Level": ""}]


@pytest.mark.spec("ENC-GROUND-2")
def test_the_names_of_the_first_contract_are_there():
    assert {"BM25", "load_csv", "apply_filters", "search_rows", "RETRIEVERS"} <= set(bm25_search.__all__)
    assert list(RETRIEVERS) == ["bm25", "structured", "hybrid"]


@pytest.mark.spec("ENC-GROUND-3")
@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (None, ["Aurora", "Bento", "Clay"]),
        ({}, ["Aurora", "Bento", "Clay"]),
        ({"Level": "high"}, ["Aurora"]),
        ({"Level": "LO"}, ["Bento"]),
        ({"Level": ["high", "low"]}, ["Aurora", "Bento"]),
        ({"Level": "high", "Name": "b"}, []),
        ({"Colour": "red"}, []),
        ({"Colour": ""}, []),
        ({"Name": 7}, []),
    ],
)
def test_filters_hold_a_part_in_any_case(filters, names):
    assert [row["Name"] for row in apply_filters(ROWS, filters)] == names


@pytest.mark.spec("ENC-GROUND-3")
def test_a_cell_that_another_reader_left_out_holds_nothing():
    assert apply_filters([{"Level": None}], {"Level": "none"}) == []


@pytest.mark.spec("ENC-GROUND-6")
def test_words_are_lower_case_without_punctuation_and_of_three_letters():
    assert BM25.tokenize("UI, A11y & Dark-Mode #fff_a") == ["a11y", "dark", "mode", "fff_a"]
    assert BM25.tokenize("Café CAFÉ 😀😀😀") == ["café", "café"]
    assert BM25.tokenize(None) == ["none"]


@pytest.mark.spec("ENC-GROUND-6")
def test_a_search_has_the_promised_shape(tmp_path):
    folder = write(tmp_path)
    found = search_rows(folder / "engines.csv", ["Name", "Keywords"], ["Name", "Nowhere"], "server database", 2)
    assert list(found) == ["count", "results", "scores", "filtered_from"]
    assert found["results"][0] == {"Name": "PostgreSQL"}
    assert found["count"] == len(found["scores"]) == 2
    assert found["filtered_from"] == 4


@pytest.mark.spec("ENC-GROUND-6")
def test_retrievers_are_chosen_by_name(tmp_path):
    file = write(tmp_path) / "engines.csv"

    def names(query, retriever, **filters):
        found = search_rows(file, ["Keywords"], ["Name"], query, 3, filters, retriever)
        return [row["Name"] for row in found["results"]], found["scores"]

    assert names("nothing of this", "structured", Level="high") == (["PostgreSQL", "Redis"], [1.0, 1.0])
    assert names("memory", "hybrid", Level="high")[0] == ["Redis"]
    assert names(" ", "hybrid", Level="high")[0] == ["PostgreSQL", "Redis"]
    assert names(" ", "bm25", Level="high")[0] == []
    with pytest.raises(ValueError, match="unknown retriever 'dense'"):
        names("memory", "dense")


@pytest.mark.spec("ENC-GROUND-3")
def test_a_ranking_is_made_of_the_filtered_rows_alone(tmp_path):
    """A word that all rows of the scope hold is worth less than one that all rows of the table hold seldom."""
    file = write(tmp_path) / "engines.csv"
    whole = search_rows(file, ["Keywords"], ["Name"], "server", 1)
    scoped = search_rows(file, ["Keywords"], ["Name"], "server", 1, {"Level": "high"})
    assert whole["filtered_from"] == scoped["filtered_from"] == 4
    assert scoped["scores"][0] < whole["scores"][0]


@pytest.mark.spec("ENC-GROUND-4")
def test_a_missing_file_is_an_empty_result_with_the_reason(tmp_path):
    found = search_rows(tmp_path / "none.csv", ["Name"], ["Name"], "x")
    assert (found["count"], found["results"], found["scores"]) == (0, [], [])
    assert "none.csv is not there" in found["error"]
    with pytest.raises(FileNotFoundError):
        load_csv(tmp_path / "none.csv")


@pytest.mark.spec("ENC-GROUND-6")
@given(st.lists(st.text(alphabet="abc déf", max_size=20), max_size=8), st.text(alphabet="abc déf", max_size=12))
def test_scores_fall_and_every_text_is_scored_once(texts, query):
    ranking = BM25()
    ranking.fit(texts)
    found = ranking.score(query)
    assert sorted(number for number, _ in found) == list(range(len(texts)))
    assert all(before[1] >= after[1] >= 0 for before, after in pairwise(found))
    asked = set(BM25.tokenize(query))
    assert all((score > 0) == bool(asked & set(BM25.tokenize(texts[number]))) for number, score in found)
    assert all(a[0] < b[0] for a, b in pairwise(found) if a[1] == b[1])
