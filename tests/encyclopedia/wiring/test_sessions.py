"""What is kept of a search."""

from __future__ import annotations

import pytest

from encyclopedia.wiring.sessions import session


@pytest.mark.spec("ENC-LABEL-3")
def test_of_a_secret_result_neither_title_nor_section_is_kept() -> None:
    locator = {"corpus": "notes", "path": "a.md", "section": "the key is 42", "lines": [1, 2]}
    row = {"title": "the key is 42", "url": None, "source": "notes", "locator": locator, "content": "42"}
    body = {"query": "q", "query_type": "library_docs", "degraded": False, "cached": False, "outcomes": []}
    for label, title, section in (("secret", "(secret)", None), ("personal", "the key is 42", "the key is 42")):
        (kept,) = session(body | {"results": [row | {"label": label}]}, 0.1)["results"]  # type: ignore[misc]
        assert (kept["title"], kept["locator"]["section"], "content" in kept) == (title, section, False)
