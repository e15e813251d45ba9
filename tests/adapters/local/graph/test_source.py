"""A graph of books as a source of a search."""

from __future__ import annotations

from pathlib import Path

import pytest

from encyclopedia.model.errors import Refused
from encyclopedia.model.outcome import Hit, Reply
from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.local.graph import KIND
from encyclopedia_adapters.local.graph.source import GraphSource
from tests.graph_books import PATTERNS, PRIMER, copied, corpus, indexed


async def ask(source: GraphSource, text: str, **options: object) -> Reply:
    return await source.search(Request(text, QueryType.LIBRARY_DOCS, int(options.pop("limit", 5)), 5.0, **options))


def ids(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.id.partition(":")[2] for hit in hits]


@pytest.mark.spec("ENC-BOOKS-17")
async def test_a_hit_is_a_section_with_its_book_and_place(tmp_path: Path) -> None:
    shelf = copied(tmp_path)
    (shelf / "primer.md").write_text(PRIMER)
    indexed(made := corpus(tmp_path, shelf))
    reply = await ask(GraphSource(made), "which token makes a server recognise a request")
    assert reply.reduced == ""
    hit = next(hit for hit in reply.hits if hit.locator and hit.locator.path == "primer.md")
    assert hit.title == "Resilience Primer > Glossary"
    assert hit.locator.corpus == "books"
    assert hit.locator.section == "Glossary"
    first, last = hit.locator.lines
    assert hit.content == "\n".join(PRIMER.split("\n")[first - 1 : last])
    (adapter, *_) = (await ask(GraphSource(made), "adapter pattern wraps an incompatible object")).hits
    assert adapter.locator.path == "books-patterns/sections.jsonl"


@pytest.mark.spec("ENC-BOOKS-17")
async def test_the_sections_of_the_concept_that_is_meant_come_first(tmp_path: Path) -> None:
    indexed(made := corpus(tmp_path, PATTERNS))
    for question, concept in (("when to use the visitor", "visitor"), ("trade-offs of the proxy pattern", "proxy")):
        found = ids((await ask(GraphSource(made), question)).hits)
        assert all(concept in name for name in found[:2]), found


@pytest.mark.spec("ENC-BOOKS-17")
async def test_books_are_tags_and_a_scope_without_books_gives_nothing(tmp_path: Path) -> None:
    indexed(made := corpus(tmp_path, PATTERNS)._replace(tags=("own",)))
    assert dict(KIND.report(made).tags) == {"dp_humans": 26, "java_patterns": 1191}
    source = GraphSource(made)
    human = await ask(source, "adapter pattern", tags=("DP_Humans",))
    assert human.hits
    assert all(name.startswith("dp_humans") for name in ids(human.hits))
    assert (await ask(source, "adapter pattern", tags=("other",))).hits == ()
    assert len((await ask(source, "adapter pattern", tags=("own",))).hits) == 5


@pytest.mark.spec("ENC-BOOKS-17")
async def test_what_holds_too_little_of_the_question_is_no_hit_and_other_words_give_a_second_list(tmp_path: Path) -> None:
    indexed(made := corpus(tmp_path, PATTERNS))
    source = GraphSource(made)
    assert (await ask(source, "kubernetes ingress certificate renewal")).hits == ()
    reply = await ask(source, "undo", expanded="undo revert rollback")
    assert not set(ids(reply.hits)) & set(ids(reply.alternatives))


@pytest.mark.spec("ENC-BOOKS-18")
async def test_little_changes_are_read_when_asked_and_gone_books_are_not_served(tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "primer.md").write_text(PRIMER)
    made = corpus(tmp_path, shelf)
    source = GraphSource(made)
    assert (await ask(source, "idempotency key token")).hits  # read from nothing
    revision = KIND.revision(made)
    (shelf / "second.md").write_text("# Second\n\n## Zebra Crossing\n\nStripes help walkers.")
    assert KIND.revision(made) != revision
    assert ids((await ask(source, "zebra stripes")).hits) == ["second__zebra_crossing"]
    (shelf / "primer.md").unlink()
    assert (await ask(source, "idempotency key token")).hits == ()
    (shelf / "second.md").unlink()
    shelf.rmdir()
    with pytest.raises(Refused, match="is not there"):
        await ask(source, "zebra")


@pytest.mark.spec("ENC-BOOKS-18")
async def test_many_changes_are_told_with_the_remedy(tmp_path: Path) -> None:
    indexed(made := corpus(tmp_path, copied(tmp_path)))
    big = Path(made.path) / "big.md"
    big.write_text("# Big\n\n## Thing\n\n" + "words and words\n" * 200_000)
    reply = await ask(GraphSource(made), "adapter pattern")
    assert "corpus index books" in reply.reduced
    assert reply.hits


@pytest.mark.spec("ENC-BOOKS-18")
def test_the_card_loads_nothing_heavy_and_says_how_the_corpus_stands(tmp_path: Path) -> None:
    import subprocess
    import sys

    program = (
        "import sys; from encyclopedia_adapters.local.graph import KIND; from encyclopedia.model.corpus import Corpus; "
        "KIND.card(Corpus('a', '/x', 'graph', '/y', {})); "
        "print([m for m in ('sqlite3', 'tantivy', 'numpy', 're') if m in sys.modules and m != 're'])"
    )
    root = Path(__file__).parents[4]
    env = {"PYTHONPATH": f"{root}:{root / 'adapters'}"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "[]\n"
    made = corpus(tmp_path, PATTERNS)
    card = KIND.card(made)
    assert card.state(None) == "not indexed yet"
    indexed(made)
    assert card.state(None) == "2 books, 210 concepts, 437 relations, 1217 sections"
    assert card.knows(None, "flyweight")
    assert not card.knows(None, "xylophone")
