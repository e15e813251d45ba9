"""Reading the text of a catalog."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local.catalog.dense import parse
from encyclopedia_adapters.local.catalog.entry import Entry
from encyclopedia_adapters.local.catalog.render import block
from tests.adapters.local.catalog.desk import PATTERNS

WHOLE = """---
generated: 2026-05-21T21:53:27+00:00
schema: dense-catalog-v2
---

# Knowledge Index

## Top hubs (in-degree)

`arcan` (111) · `lago` (7)

## Most-referenced missing pages

- `spaces` (3×)

## Entities

#### arcan [tool·active] · score 7/9
The runtime.
→ lago, nous · ← lago · #agent #run-time · aka: Arc, The Runtime · src: https://a.example/x_(a,b) | notes
path: tool/arcan.md

#### lago [tool·—]
The journal.
(no edges, no tags, no sources)
path: tool/lago.md
"""
ARCAN = Entry(
    slug="arcan",
    type="tool",
    status="active",
    score="7/9",
    claim="The runtime.",
    out_links=("lago", "nous"),
    in_links=("lago",),
    tags=("agent", "run-time"),
    sources=("https://a.example/x_(a,b)", "notes"),
    aliases=("Arc", "The Runtime"),
    path="tool/arcan.md",
)


@pytest.mark.spec("ENC-CATALOG-1")
def test_every_part_of_a_block_and_of_the_head_is_read() -> None:
    found = parse(WHOLE)
    assert found.head == {"generated": "2026-05-21T21:53:27+00:00", "schema": "dense-catalog-v2"}
    assert found.entries == (ARCAN, Entry("lago", "tool", "—", claim="The journal.", path="tool/lago.md"))
    assert found.hubs == (("arcan", 111), ("lago", 7))
    assert found.dangling == (("spaces", 3),)
    assert found.broken == ()


@pytest.mark.spec("ENC-CATALOG-1")
def test_the_whole_given_catalog_is_read() -> None:
    found = parse((PATTERNS / "docs" / "knowledge-index.md").read_text(encoding="utf-8"))
    assert len(found.entries) == int(found.head["entity_count"]) == 187
    assert found.hubs[0] == ("strategy", 29)
    assert dict(found.dangling)["dao"] == 4


@pytest.mark.spec("ENC-CATALOG-1")
def test_a_catalog_of_version_1_has_no_paths_and_commas_between_sources() -> None:
    (found,) = parse("#### a [concept·draft]\nClaim.\n→ b · src: one, two\n").entries
    assert (found.path, found.sources, found.id) == ("", ("one", "two"), "a")


@pytest.mark.spec("ENC-CATALOG-1")
def test_a_broken_block_is_left_out_named_by_its_line_and_costs_no_other() -> None:
    text = "#### no brackets\nx\ny\n\n#### cut [a·b]\n#### whole [a·b]\nClaim.\n→ x\npath: a/whole.md\n\n#### end [a·b]\nlast"
    found = parse(text)
    assert [entry.slug for entry in found.entries] == ["whole"]
    assert found.broken == (1, 5, 11)


@pytest.mark.spec("ENC-CATALOG-1")
def test_a_score_with_spaces_and_a_slug_with_spaces_cost_no_entity() -> None:
    found = parse("#### my note [a·b] · score {'total': '6/9', 'x': 1}\nClaim.\n#tag\npath: a/my note.md\n").entries
    assert [(entry.slug, entry.score, entry.tags, entry.path) for entry in found] == [
        ("my note", "{'total': '6/9', 'x': 1}", ("tag",), "a/my note.md")
    ]


WORD = st.text("abcdefgh-éß7", min_size=1, max_size=8).filter(lambda word: word.strip("-"))
WORDS = st.lists(WORD, max_size=3).map(tuple)


@pytest.mark.spec("ENC-CATALOG-1")
@given(
    st.builds(
        Entry,
        slug=WORD,
        type=WORD,
        status=WORD,
        score=st.none() | WORD,
        claim=WORD,
        out_links=WORDS,
        in_links=WORDS,
        tags=WORDS,
        sources=st.lists(WORD, min_size=2, max_size=3).map(tuple) | st.just(()),
        aliases=WORDS,
        path=WORD.map(lambda word: f"{word}.md"),
    )
)
def test_what_is_written_is_read_back(entry: Entry) -> None:
    assert parse(block(entry)).entries == (entry,)


@pytest.mark.spec("ENC-CATALOG-1")
@given(st.text() | st.lists(st.sampled_from(WHOLE.split("\n"))).map("\n".join))
def test_no_text_crashes_reading(text: str) -> None:
    found = parse(text)
    assert len(found.entries) + len(found.broken) == sum(
        line.startswith("#### ") for line in text.split("\n")
    ) or text.startswith("---")


@pytest.mark.spec("ENC-CATALOG-1")
@pytest.mark.parametrize("line", ["#### " * 2_000_000, "#### x [a·b] · score " + " " * 2_000_000, "#### " + "x [a" * 500_000])
def test_reading_takes_as_long_as_the_catalog_is(line) -> None:
    assert len(parse(f"{line}\nClaim.\n#t\n").entries) <= 1
