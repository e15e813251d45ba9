"""Reading an entity page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local.catalog.page import read_page, slugify


def page(head, body="Text."):
    return read_page("tool/arcan.md", f"---\n{head}\n---\n{body}")


@pytest.mark.spec("ENC-CATALOG-4")
def test_the_properties_of_a_page() -> None:
    found = page(
        "title: Arcan\ntype: runtime\nstatus: active\nscore: {total: 6 / 9, novelty: 1}\ncore_claim: A **bold** [link](x)\n  claim.\n"
        "tags: [agent, run time]\naliases: Arc\nrelated:\n- '[[concept/Nous Gate|Nous]]'\n- '[[arcan]]'\nsources:\n- url: https://a.example\n",
        "See [[lago#top]].\n",
    )
    assert (found.slug, found.title, found.type, found.status, found.score) == ("arcan", "Arcan", "runtime", "active", "6/9")
    assert found.claim == "A bold link claim."
    assert (found.tags, found.aliases, found.sources) == (("agent", "run time"), ("Arc",), ("https://a.example",))
    assert found.links == {"lago", "nous-gate"}
    assert (found.body, found.line, found.problem) == ("See [[lago#top]].\n", 17, "")


@pytest.mark.spec("ENC-CATALOG-4")
def test_without_front_matter_the_path_and_the_first_paragraph_speak() -> None:
    found = read_page("tool/my-arc.md", "# Heading\n\n```\ncode\n```\n\nThe `first` words.\n\nMore.")
    assert (found.slug, found.title, found.type, found.status, found.score) == ("my-arc", "Heading", "tool", "—", None)
    assert read_page("tool/my-arc.md", "Text.").title == "my arc"
    assert (found.claim, found.line, found.tags) == ("The first words.", 1, ())
    assert read_page("arc.md", "").type == "_root"


@pytest.mark.spec("ENC-CATALOG-4")
def test_a_date_is_no_text_and_a_merged_page_is_marked() -> None:
    assert page("status: 2026-01-01").status == "—"
    assert page("status: merged").merged


@pytest.mark.spec("ENC-CATALOG-4")
@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("a: [", "no YAML"),
        ("a: 2026-13-45", "no YAML"),
        ("a: " + "[" * 20_000, "no YAML"),
        ("a: 1" + "0" * 5000, "no YAML"),
        ("a: !!python/object/apply:os.system [ls]", "no YAML"),
        ("? [a]\n: b", "no YAML"),
        ("a: &a {x: y}\n<<: *a", "merge key"),
        ("- a\n- b", "no list of properties"),
    ],
)
def test_a_hostile_front_matter_is_refused_and_named(head, told) -> None:
    found = page(head)
    assert told in found.problem
    assert (found.slug, found.claim) == ("arcan", "Text.")


@pytest.mark.spec("ENC-CATALOG-4")
def test_a_front_matter_without_end_or_of_a_megabyte_is_named() -> None:
    assert "no end" in read_page("a.md", "---\ntitle: x\n").problem
    assert "no end" in page("x: " + "y" * 1_000_000).problem


@pytest.mark.spec("ENC-CATALOG-4")
def test_aliases_of_aliases_do_not_grow() -> None:
    head = "a: &a [x,x]\n" + "".join(
        f"{n}: &{n} [*{b},*{b}]\n" for b, n in zip("abcdefghijklmnopqrstuv", "bcdefghijklmnopqrstuvw", strict=True)
    )
    assert page(f"{head}tags: *w").tags == ()


@pytest.mark.spec("ENC-CATALOG-4")
@pytest.mark.parametrize("name", ["slug", "type", "status", "title"])
def test_no_property_begins_a_line_of_the_catalog(name) -> None:
    found = page(f'{name}: "x\\n#### evil [a·b]\\u2028y"\naliases: ["x\\n#### evil"]')
    assert getattr(found, name) == "x #### evil [a·b] y"
    assert found.aliases == ("x #### evil",)


@pytest.mark.spec("ENC-CATALOG-4")
@given(st.text())
def test_no_text_crashes_and_a_slug_stays_a_slug(text) -> None:
    read_page("a/b.md", text)
    read_page("a/b.md", f"---\n{text}\n---\nx")
    assert slugify(slugify(text)) == slugify(text) or len(slugify(text)) == 80


@pytest.mark.spec("ENC-CATALOG-4")
@pytest.mark.parametrize(
    "text",
    [
        "[[" * 2_000_000 + "]",
        "[" * 4_000_000,
        "---\n" + "\n" * 65_000 + "x",
        "---\n" + "\n---x" * 10_000,
        "---\ncore_claim: " + "[" * 60_000 + "\n---\n",
        "`*" * 1_000_000,
        "\n" + " " * 3_000_000 + "x",
    ],
    ids=lambda text: text[:12],
)
def test_reading_takes_as_long_as_the_text_is(text) -> None:
    assert read_page("a/b.md", text).links == frozenset()


@pytest.mark.spec("ENC-CATALOG-4")
def test_links_are_those_that_the_next_bracket_closes() -> None:
    body = "[[one]] [[two|Two]] [[a/three#x]] [[]] [[open] [[four]] [[ [[five]] [[six\nseven]]"
    assert page("", body).links == {"one", "two", "three", "four", "five", "six-seven"}
