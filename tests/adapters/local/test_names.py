"""What results are called: the names by which an expected result can be written down, for every kind that has parts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from encyclopedia.model.corpus import Corpus
from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Context
from encyclopedia.wiring.kinds import corpus_kind
from encyclopedia.wiring.plugins import entry_points
from encyclopedia.wiring.resources import Resources

if TYPE_CHECKING:
    from pathlib import Path

BOOK = "# Patterns\n\n## Circuit breaker\n\nA circuit breaker stops calls to a service that fails.\n\n## Bulkhead\n\nA bulkhead isolates.\n"


@pytest.mark.spec("ENC-EVAL-3")
@pytest.mark.parametrize("kind", ["documents", "graph"])
def test_a_hit_is_called_by_a_name_that_its_kind_tells(tmp_path: Path, kind: str) -> None:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "patterns.md").write_text(BOOK)
    corpus = Corpus("shelf", str(tmp_path / "books"), kind, str(tmp_path / "index"), {QueryType.LIBRARY_DOCS: 0.4})
    found = corpus_kind(entry_points(), kind)
    assert found.names(corpus) == ()
    found.index(corpus, lambda *_: None)
    assert found.names(corpus) == ("patterns.md",)
    parts = found.names(corpus, "patterns.md")
    assert found.names(corpus, "other.md") == ()
    context = Context("shelf", str(tmp_path), "agent", 5.0, Resources(), lambda _name: "")
    source = found.card(corpus).make(context)
    reply = asyncio.run(source.search(Request("circuit breaker", QueryType.LIBRARY_DOCS, 5, 5.0)))
    hit = reply.hits[0]
    assert hit.locator.path == "patterns.md"
    assert hit.id.removeprefix("shelf:") in parts
    assert f"{hit.locator.path}#{hit.locator.section}" in parts
