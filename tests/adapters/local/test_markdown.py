from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local import chunks, front_matter, markdown, walk

NOTES = Path(__file__).parents[2] / "fixtures" / "notes"


def read(name):
    return walk.decode((NOTES / name).read_bytes())


def outline(note):
    return [(" > ".join(chunk.headings), chunk.first, chunk.last) for chunk in note.chunks]


def words(count, word="word"):
    return " ".join([word] * count)


# ------------------------------------------------------------------ headings and lines


@pytest.mark.spec("ENC-DOCS-3")
def test_a_note_is_cut_at_its_headings():
    note = markdown.parse(read("deploy.md"))
    assert note.title == "Deploying the shop"
    assert note.tags == ("operations", "area/infra", "area", "release")
    assert note.aliases == ("rollout guide", "shipping")
    assert outline(note) == [
        ("", 9, 9),
        ("Preparation", 13, 13),
        ("Preparation > Database", 17, 26),
        ("Preparation > Roll back", 31, 31),
        ("Preparation > Roll back > Nobody told us", 33, 33),
        ("Empty at the end", 35, 35),
    ]


@pytest.mark.spec("ENC-DOCS-3")
@pytest.mark.parametrize("name", ["deploy.md", "areas/cooking.md", "windows.markdown", "latin1.md"])
def test_the_lines_of_a_passage_are_where_its_text_stands(name):
    lines = read(name).split("\n")
    note = markdown.parse(read(name))
    assert note.chunks
    for chunk in note.chunks:
        assert "\n".join(lines[chunk.first - 1 : chunk.last]) == chunk.text
        assert chunk.text.strip()


def test_code_is_never_read_for_headings_or_tags():
    (database,) = [chunk for chunk in markdown.parse(read("deploy.md")).chunks if chunk.headings[-1:] == ("Database",)]
    assert "# not a heading" in database.text
    assert "compare the row counts" in database.text


def test_a_rule_and_a_table_are_no_headings():
    note = markdown.parse(read("areas/cooking.md"))
    assert outline(note) == [("Bread", 3, 15)]
    assert note.tags == ("food/bread", "food")


def test_windows_line_ends_and_underlined_titles():
    note = markdown.parse(read("windows.markdown"))
    assert (note.title, outline(note)) == ("First line", [("First line", 4, 5)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n\n \n", []),
        ("plain", [("", 1, 1)]),
        ("# A\nx", [("A", 2, 2)]),
        ("# A", [("A", 1, 1)]),
        ("# A\n## B\nx", [("A > B", 3, 3)]),
        ("# A\n# B\nx", [("A", 1, 1), ("B", 3, 3)]),
        ("## B\nx\n# A\ny", [("B", 2, 2), ("A", 4, 4)]),
        ("# A\n### C\nx\n## B\ny", [("A > C", 3, 3), ("A > B", 5, 5)]),
        ("#nospace\nx", [("", 1, 2)]),
        ("####### seven\nx", [("", 1, 2)]),
        ("# A #\nx", [("A", 2, 2)]),
        ("# A#\nx", [("A#", 2, 2)]),
        ("#\nx", [("", 2, 2)]),
        ("    # code\nx", [("", 1, 2)]),
        ("   # A\nx", [("A", 2, 2)]),
        ("x\n# A\ny", [("", 1, 1), ("A", 3, 3)]),
        ("A\n===\nx", [("A", 3, 3)]),
        ("A\n-\nx", [("A", 3, 3)]),
        ("one\ntwo\n---\nx", [("", 1, 4)]),
        ("- item\n---\nx", [("", 1, 3)]),
        ("> quote\n---\nx", [("", 1, 3)]),
        ("\n---\nx", [("", 2, 3)]),
        ("```\n# no\n```\nx", [("", 1, 4)]),
        ("~~~\n```\n# no\n~~~\n# A\nx", [("", 1, 4), ("A", 6, 6)]),
        ("````\n```\n# no\n````\n# A\nx", [("", 1, 4), ("A", 6, 6)]),
        ("```\n# never closed\n\n# still code", [("", 1, 4)]),
        ("- list\n  ```\n  # no\n  ```\n", [("", 1, 4)]),
        ("``` inline ``` words\n# A\nx", [("", 1, 1), ("A", 3, 3)]),
        ("text\n```\ncode\n```", [("", 1, 4)]),
    ],
)
def test_outlines(text, expected):
    assert outline(markdown.parse(text)) == expected


def test_the_title_is_the_first_heading_of_the_first_level():
    assert markdown.parse("## Before\nx\n# The *title*\ny\n# Second").title == "The *title*"
    assert markdown.parse("## Only second\nx").title == ""
    assert markdown.parse("---\ntitle: 'From: above'\n---\n# Other\nx").title == "From: above"


# ------------------------------------------------------------------ sizes


@pytest.mark.spec("ENC-DOCS-4")
def test_a_long_section_is_cut_at_paragraphs():
    text = "# A\n" + "\n\n".join(words(90, f"p{at}") for at in range(10))
    note = markdown.parse(text)
    sizes = [len(chunk.text.split()) for chunk in note.chunks]
    assert sizes == [270, 270, 270, 90]
    assert all(chunk.headings == ("A",) for chunk in note.chunks)


def test_a_long_paragraph_is_cut_between_lines():
    note = markdown.parse("\n".join(words(20, f"l{at}") for at in range(60)))
    assert [(chunk.first, chunk.last) for chunk in note.chunks] == [(1, 12), (13, 24), (25, 36), (37, 48), (49, 60)]


def test_a_very_long_line_is_cut_into_passages_that_name_it():
    text = "intro\n\n" + words(3000, "endless")
    pieces = [chunk for chunk in markdown.parse(text).chunks if chunk.first == 3]
    assert len(pieces) > 5
    assert "".join(piece.text for piece in pieces) == text.split("\n")[2]
    assert {(piece.first, piece.last) for piece in pieces} == {(3, 3)}
    assert all(piece.text.strip().startswith("endless") for piece in pieces)


@pytest.mark.parametrize("blob", ["x" * 100_000, "検" * 50_000])
def test_a_blob_is_cut_too(blob):
    found = markdown.parse(blob).chunks
    assert len(found) > 10
    assert "".join(chunk.text for chunk in found) == blob


@pytest.mark.spec("ENC-DOCS-4")
def test_fenced_code_is_kept_whole_whatever_its_size():
    code = "```\n" + "\n\n".join(words(20, f"c{at}") for at in range(100)) + "\n```"
    note = markdown.parse(f"# A\nbefore\n\n{code}\n\nafter")
    assert code in [chunk.text for chunk in note.chunks]


def test_a_paragraph_is_not_left_with_too_much():
    found = list(chunks.fill([words(240), "", words(200), "", words(30)], [chunks.Block("text", n, n) for n in (1, 3, 5)], ()))
    assert [(chunk.first, chunk.last) for chunk in found] == [(1, 1), (3, 5)]


def test_plain_text_has_no_headings_and_no_tags():
    note = markdown.parse_plain(read("plain.txt"))
    assert (note.title, note.tags, outline(note)) == ("", (), [("", 1, 6)])
    assert "# this is a line of text" in note.chunks[0].text


@pytest.mark.parametrize("line", ["x", "", "# x", "```", "---", "- a", "tags: [x]", "|a|b|", "A\n===", "~~~", "é検 #tag"])
def test_every_line_with_text_is_in_a_passage_or_a_heading(line):
    @given(st.lists(st.sampled_from([line, "", "x", "# H", "```", "---", "word " * 300, "    code"]), max_size=12))
    def holds(parts):
        lines = "\n".join(parts).split("\n")
        note = markdown.parse("\n".join(lines))
        for chunk in note.chunks:
            whole = "\n".join(lines[chunk.first - 1 : chunk.last])
            assert chunk.text == whole or (chunk.first == chunk.last and chunk.text in whole)
        covered = {number for chunk in note.chunks for number in range(chunk.first, chunk.last + 1)}
        head = front_matter.parse(lines).end
        titles = {name for chunk in note.chunks for name in chunk.headings}
        for number, text in enumerate(lines, 1):
            bare = text.strip().strip("#=-").strip()
            if number > head and bare and number not in covered:
                assert bare in titles

    holds()


@given(st.text())
def test_any_text_is_parsed(text):
    note = markdown.parse(text)
    assert all(chunk.text.strip() and 1 <= chunk.first <= chunk.last for chunk in note.chunks)
    assert markdown.parse_plain(text).title == ""


# ------------------------------------------------------------------ tags


@pytest.mark.spec("ENC-DOCS-5")
@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#one and #Two", ("one", "two")),
        ("(#not) [x](y#not) a#not &#39; http://x/#not #", ()),
        ("#area/Work/now", ("area/work/now", "area/work", "area")),
        ("#2024 #v2 #2024-plan", ("v2", "2024-plan")),
        ("`#code` #real `x", ("real",)),
        ("\\#escaped", ()),
        ("# Heading #tagged", ("tagged",)),
        ("```\n#code\n```\n#after", ("after",)),
        ("#größe #タグ", ("größe", "タグ")),
        ("#a #a #A", ("a",)),
    ],
)
def test_inline_tags(text, tags):
    assert markdown.parse(text).tags == tags


# ------------------------------------------------------------------ front matter


@pytest.mark.parametrize(
    ("block", "title", "tags", "aliases"),
    [
        ("title: Plain", "Plain", (), ()),
        ('title: "Quoted: yes"', "Quoted: yes", (), ()),
        ("Title: Upper", "Upper", (), ()),
        ("title:", "", (), ()),
        ("title: x # a comment", "x", (), ()),
        ("tags: [a, 'b', \"c\"]", "", ("a", "b", "c"), ()),
        ("tags: a, b", "", ("a", "b"), ()),
        ("tags: a b", "", ("a", "b"), ()),
        ("tag: a", "", ("a",), ()),
        ("tags:\n- a\n- '#b'\n  - c", "", ("a", "b", "c"), ()),
        ("tags:\n  - x/y", "", ("x/y", "x"), ()),
        ("tags: []", "", (), ()),
        ("aliases: [One two, Three]", "", (), ("One two", "Three")),
        ("alias: Only", "", (), ("Only",)),
        ("aliases:\n- First\n\n- Second", "", (), ("First", "Second")),
        ("# comment\ntitle: T", "T", (), ()),
    ],
)
def test_front_matter(block, title, tags, aliases):
    lines = f"---\n{block}\n---\ntext".split("\n")
    found = front_matter.parse(lines)
    assert (found.title, found.tags, found.aliases) == (title, tags, aliases)
    assert lines[found.end :] == ["text"]
    assert not found.prose


@pytest.mark.spec("ENC-DOCS-5")
@pytest.mark.parametrize(
    ("block", "properties"),
    [
        ("date: 2024-02-30\nrating: 007", {"date": ("2024-02-30",), "rating": ("007",)}),
        ("author:\n  name: Ada\n  links: [a, b]", {"author.name": ("Ada",), "author.links": ("a", "b")}),
        ("up: [[A page]]\nnext: '[[B]]'", {"up": ("[[A page]]",), "next": ("[[B]]",)}),
        ("categories:\n  - '[[Books]]'\n  - [[Movies]]", {"categories": ("[[Books]]", "[[Movies]]")}),
        ("text: |\n  two\n  lines", {"text": ("two\nlines",)}),
        ("aliases: @handle\nstatus: open: now", {"aliases": ("@handle",), "status": ("open: now",)}),
        ("made: {{date}}", {"made": ("{{date}}",)}),
        ("a: 1\na: 2", {"a": ("2",)}),
        ("empty:\nnone: []", {"empty": (), "none": ()}),
        ("1: one\nTrue: yes", {"1": ("one",), "true": ("yes",)}),
    ],
)
def test_properties_are_text_as_it_is_written(block, properties):
    assert dict(front_matter.parse(f"---\n{block}\n---".split("\n")).properties) == properties


@pytest.mark.spec("ENC-DOCS-5")
@pytest.mark.parametrize(
    "block",
    [
        "\n".join(["a0: &a0 [x, x]", *(f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, 12))]),
        "a: &a [*a]",
        "a: " + "[" * 5000,
        "a: !!python/object/apply:os.getcwd []",
        "- a\n- b",
        "\x00\ufffe: \x07",
    ],
)
def test_hostile_properties_are_read_in_a_moment_or_stay_text(block):
    note = markdown.parse(f"---\ntitle: T\n{block}\n---\nbody")
    assert note.chunks[-1].text == "body"
    assert sum(map(len, note.properties.values())) <= 2000


@pytest.mark.parametrize(
    "text", ["", "---", "text\n---\nx: y\n---", "---\ntitle: no end", " ---\nx: y\n---", "---\n" + "x\n" * 300 + "---"]
)
def test_no_front_matter(text):
    assert front_matter.parse(text.split("\n")) == front_matter.FrontMatter()


@pytest.mark.spec("ENC-DOCS-5")
def test_what_is_odd_in_front_matter_stays_text():
    note = markdown.parse("---\ntitle: T\nnot yaml at all\nanchors: &x\n---\n# A\nbody")
    assert note.title == "T"
    assert note.chunks[0].text == "title: T\nnot yaml at all\nanchors: &x"
    assert (note.chunks[0].first, note.chunks[0].last) == (2, 4)


def test_a_long_description_in_front_matter_can_be_found():
    note = markdown.parse("---\ndescription: how we moved nine services over a quiet weekend\n---\nbody")
    assert "quiet weekend" in note.chunks[0].text
    assert markdown.parse("---\ndate: 2024-01-01\n---\nbody").chunks[0].text == "body"


def test_a_note_of_properties_only_can_be_found():
    note = markdown.parse("---\ntitle: Albums\ntags: [music]\n---\n")
    assert (note.title, note.tags, outline(note)) == ("Albums", ("music",), [("", 2, 3)])
