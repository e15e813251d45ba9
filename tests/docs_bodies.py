"""Answers of the documentation services, composed from rows of title, address and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.upstream import Row


def context7_body(*rows: Row) -> dict[str, object]:
    """An answer of Context7 with these pieces of prose."""
    infos = [{"pageId": url, "breadcrumb": title, "content": content, "contentTokens": 6} for title, url, content in rows]
    return {"codeSnippets": [], "infoSnippets": infos, "rules": {"global": ["orders to a model"]}}


def context7_libraries(*libraries: dict[str, object]) -> dict[str, object]:
    """An answer of Context7's search for libraries; each is told by what sets it apart."""
    usual = {
        "id": "/acme/webkit",
        "title": "Webkit",
        "description": "Example framework",
        "branch": "main",
        "lastUpdateDate": "2026-08-01T00:00:00.000Z",
        "state": "finalized",
        "totalTokens": 120000,
        "totalSnippets": 840,
        "stars": 5100,
        "trustScore": 9,
        "benchmarkScore": 80.5,
        "versions": ["v2.1.0", "v1.9.4"],
    }
    return {"results": [usual | library for library in libraries], "searchFilterApplied": False}


def readthedocs_body(*rows: Row, version: str = "latest") -> dict[str, object]:
    """An answer of Read the Docs with these pages, each with one section."""
    results = []
    for title, url, content in rows:
        host, slash, path = url.removeprefix("https://").partition("/")
        domain = f"https://{host}" if slash else ""
        block = {"type": "section", "id": "", "title": title, "content": content, "highlights": {"title": [], "content": []}}
        results.append(
            {
                "type": "page",
                "project": {"slug": "acme", "alias": None},
                "version": {"slug": version},
                "title": title,
                "domain": domain,
                "path": slash + path if domain else url,
                "highlights": {"title": []},
                "blocks": [block],
            }
        )
    return {"count": len(rows), "next": None, "previous": None, "projects": [], "query": "as asked", "results": results}


def mdn_body(*rows: Row) -> dict[str, object]:
    """An answer of MDN with these pages; it names paths on its own site."""
    documents = [
        {
            "mdn_url": url.removeprefix("https://example.org") if url else f"/en-US/docs/{at}",
            "title": title,
            "slug": "Web/Example",
            "summary": content,
            "score": 1 / at,
            "popularity": 0.5,
            "locale": "en-us",
            "highlight": {"body": [], "title": []},
        }
        for at, (title, url, content) in enumerate(rows, 1)
    ]
    metadata = {"took_ms": 3, "total": {"value": len(rows), "relation": "eq"}, "page": 1, "size": 10}
    return {"documents": documents, "metadata": metadata, "suggestions": []}
