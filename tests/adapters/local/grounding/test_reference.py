"""The tables of a published search program give what that program itself found in them."""

from __future__ import annotations

import csv
from collections import Counter

import pytest

from encyclopedia_adapters.local.grounding.bm25_search import BM25, RETRIEVERS, load_csv, search_rows
from encyclopedia_adapters.local.grounding.decision_engine import ground
from encyclopedia_adapters.local.grounding.schema_validator import load_manifest
from encyclopedia_adapters.local.grounding.table import read_table
from tests.adapters.local.grounding.corpus import DESIGN, references

ROWS = references("search", "stack")
NAMES = {
    "product": "Product Type",
    "style": "Style Category",
    "color": "Product Type",
    "landing": "Pattern Name",
    "typography": "Font Pairing Name",
}
# Each row of the published tables that does not fit its header, and why that changes no result: file, lines, cells, surplus
# (negative: missing cells), whether a searched column is touched.
RAGGED = [
    *[("styles.csv", (line, line), 15, -3, False) for line in range(22, 38)],  # three columns of marks were not filled in
    ("charts.csv", (24, 24), 12, 2, True),  # commas without quotes in "Color Guidance": what follows has moved two to the right
    ("landing.csv", (23, 23), 10, 2, True),  # commas without quotes in "Recommended Effects"
    ("landing.csv", (24, 24), 11, 3, True),
    ("landing.csv", (25, 25), 10, 2, True),
    ("landing.csv", (26, 26), 10, 2, True),
    ("landing.csv", (27, 27), 10, 2, True),
    ("landing.csv", (28, 31), 36, 28, True),  # a quotation mark that never closes: four rows became one
    *[("web-interface.csv", (line, line), 10, -1, False) for line in (20, 27, 28)],  # the last column was forgotten
]


@pytest.fixture(scope="module")
def design():
    return load_manifest(DESIGN)


def columns(manifest, row):
    return manifest["domains"][row["domain"]] if row["op"] == "search" else manifest["stack_cols"]


@pytest.mark.spec("ENC-GROUND-1")
def test_there_are_168_reference_results():
    assert Counter(row["op"] for row in references("search", "stack", "ground")) == {"search": 108, "stack": 48, "ground": 12}


@pytest.mark.spec("ENC-GROUND-1")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['file']}-{row['query']}")
def test_rows_order_and_scores_are_those_of_the_published_program(design, row):
    wanted = columns(design, row)
    found = search_rows(DESIGN / row["file"], wanted["search_cols"], [row["id_column"]], row["query"], row["max_results"])
    assert [one[row["id_column"]] for one in found["results"]] == row["ids"]
    assert (found["count"], found["filtered_from"]) == (row["count"], row["filtered_from"])
    # the reference is rounded to six places, and so is what is compared with it
    assert [round(score, 6) for score in found["scores"]] == pytest.approx(row["scores"], abs=1e-9, rel=0)


@pytest.mark.spec("ENC-GROUND-1")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['file']}-{row['query']}")
def test_scores_are_the_formula_written_out_once_more(design, row):
    """Unrounded, with no code in common: also for the ragged rows, read as ``csv.DictReader`` reads them, ``None`` as empty."""
    from math import log

    wanted = columns(design, row)["search_cols"]
    with open(DESIGN / row["file"], encoding="utf-8") as file:
        texts = [" ".join(line.get(name) or "" for name in wanted) for line in csv.DictReader(file)]
    words = [BM25.tokenize(text) for text in texts]
    mean = sum(map(len, words)) / len(words)
    scores = []
    for text in words:
        score = 0.0
        for word in BM25.tokenize(row["query"]):
            holding, times = sum(word in other for other in words), text.count(word)
            idf = log(1 + (len(words) - holding + 0.5) / (holding + 0.5))
            score += idf * times * 2.5 / (times + 1.5 * (0.25 + 0.75 * len(text) / mean)) if holding else 0.0
        scores.append(score)
    best = sorted((score for score in scores if score > 0), reverse=True)[: row["max_results"]]
    rows = load_csv(DESIGN / row["file"])
    found = [score for _, score in RETRIEVERS["bm25"](rows, wanted, row["query"], row["max_results"])]
    assert found == pytest.approx(best, abs=1e-9, rel=0)


@pytest.mark.spec("ENC-GROUND-1")
@pytest.mark.parametrize("row", references("ground"), ids=lambda row: row["query"])
def test_a_grounded_choice_is_that_of_the_published_program(design, row):
    found = ground(design, row["query"])
    assert found["category"] == row["category"]
    assert found["rule"]["UI_Category"] == row["rule"]
    wishes = [wish.strip() for wish in found["rule"]["Style_Priority"].split("+")]
    assert wishes == row["style_priority"]
    evaluation = found["rules_evaluation"]
    assert evaluation["matched"] | evaluation["unmatched"] == row["decision_rules"]
    assert not evaluation["matched"].keys() & evaluation["unmatched"].keys()
    assert found["selections"]["style"]["best"].get("Style Category", "") == row["best_style"]
    for domain, selection in found["selections"].items():
        chosen = [selection["best"]] if selection["best"] else []
        names = [one[NAMES[domain]] for one in (*chosen, *selection["alternatives"])]
        # the best of the preferred domain stands first, the others in the order of the search
        wanted = [name for name in row["hits"][domain] if domain != "style" or name != row["best_style"]]
        assert [name for name in names if domain != "style" or name != row["best_style"]] == wanted
        assert sorted(names) == sorted(row["hits"][domain])


@pytest.mark.spec("ENC-GROUND-1")
def test_every_ragged_row_of_the_published_tables_is_known():
    files = dict.fromkeys(row["file"] for row in ROWS)
    found = [(file, *each) for file in files for each in read_table(DESIGN / file).ragged]
    assert sorted(found) == sorted((file, lines, cells) for file, lines, cells, _, _ in RAGGED)


@pytest.mark.spec("ENC-GROUND-1")
@pytest.mark.parametrize(("file", "lines", "cells", "surplus", "searched"), RAGGED)
def test_a_ragged_row_is_read_as_the_published_program_read_it(design, file, lines, cells, surplus, searched):
    """As ``csv.DictReader``: surplus cells have no name and are never searched; missing ones are empty here, ``None`` there.

    ``None`` became the word "none" in a searched text there. No searched column of the published tables is missing a cell, so
    that no score differs; where one were, the word would be found by nobody here.
    """
    table = read_table(DESIGN / file)
    number = table.lines.index(lines)
    with open(DESIGN / file, encoding="utf-8") as opened:
        theirs = list(csv.DictReader(opened))[number]
    ours = table.rows[number]
    assert ours == {name: theirs[name] or "" for name in table.columns}
    assert len(theirs.get(None, ())) == max(surplus, 0) == max(cells - len(table.columns), 0)
    missing = [name for name in table.columns if theirs[name] is None]
    assert len(missing) == max(-surplus, 0)
    search = {name for config in design["domains"].values() if config["file"] == file for name in config["search_cols"]}
    assert not search.intersection(missing)
    assert searched == (surplus > 0)  # moved cells may stand under a searched name, as they did there
