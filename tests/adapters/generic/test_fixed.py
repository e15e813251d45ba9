from __future__ import annotations

import pytest

from encyclopedia.model.errors import Unavailable
from encyclopedia.model.outcome import Hit, Reply
from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.generic.fixed import Fixed

REQUEST = Request("a question", QueryType.LIBRARY_DOCS, 10, 5.0)


async def test_it_answers_what_it_was_given_and_remembers_what_it_was_asked() -> None:
    source = Fixed("fixed", [Hit("one"), Hit("two")], delay=0.001)
    assert [hit.title for hit in (await source.search(REQUEST)).hits] == ["one", "two"]
    assert source.requests == [REQUEST]
    assert await Fixed("fixed", reply=Reply(note="x")).search(REQUEST) == Reply(note="x")


async def test_it_raises_what_it_was_given() -> None:
    with pytest.raises(Unavailable, match="gone"):
        await Fixed("fixed", raises=Unavailable("gone")).search(REQUEST)
