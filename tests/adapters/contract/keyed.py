"""What the services that need a key answer, composed for tests: each body holds rows of title, address and content."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.upstream import Row


def exa_body(*rows: Row) -> dict[str, object]:
    """An answer of Exa's ``POST /search`` with highlights."""
    results = [
        {"id": url, "url": url, "title": title, "publishedDate": "2026-01-02T00:00:00.000Z", "author": None, "highlights": [content]}
        for title, url, content in rows
    ]  # fmt: skip
    return {
        "requestId": "r-1",
        "resolvedSearchType": "neural",
        "results": results,
        "searchTime": 321.5,
        "costDollars": {"total": 0.007},
    }


def perplexity_body(*rows: Row) -> dict[str, object]:
    """An answer of Perplexity's ``POST /search``."""
    results = [
        {"title": title, "url": url, "snippet": content, "date": "2026-01-02", "last_updated": "2026-02-03"}
        for title, url, content in rows
    ]
    return {"id": "11111111-2222-3333-4444-555555555555", "results": results, "server_time": None}


def kagi_body(*rows: Row) -> dict[str, object]:
    """An answer of Kagi's ``POST /search``: a list without any result is not there."""
    found = [
        {"url": url, "title": title, "snippet": content, "time": "2026-01-02T00:00:00Z", "props": {}}
        for title, url, content in rows
    ]
    return {"meta": {"trace": "t-1", "node": "us-east", "ms": 210}, "data": {"search": found} if found else {}}


def first_kagi_body(*rows: Row) -> dict[str, object]:
    """An answer of ``GET /search`` of Kagi's first API: results, then related searches."""
    found: list[object] = [
        {"t": 0, "url": url, "title": title, "snippet": content, "published": "2026-01-02T00:00:00Z"}
        for title, url, content in rows
    ]
    return {"meta": {"id": "m-1", "node": "us-east", "ms": 9}, "data": [*found, {"t": 1, "list": ["async handlers"]}]}


def agent_body(*rows: Row, text: str | None = None) -> dict[str, object]:
    """An answer of Perplexity's ``POST /v1/responses``: what it searched for and found, then what it wrote of it."""
    results = [
        {"id": at, "title": title, "url": url, "snippet": content, "date": "2026-01-02", "last_updated": None, "source": "web"}
        for at, (title, url, content) in enumerate(rows, 1)
    ]
    written = ("Handlers may be coroutines [1]." if rows else "") if text is None else text
    part = {"type": "output_text", "text": written, "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1790000000,
        "model": "perplexity/sonar",
        "status": "completed",
        "output": [{"type": "search_results", "queries": ["as asked"], "results": results}, message],
        "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
    }


def fastgpt_body(*rows: Row, text: str | None = None) -> dict[str, object]:
    """An answer of Kagi's ``POST /fastgpt``: what it wrote, and the pages that its numbers refer to."""
    references = [{"title": title, "snippet": content, "url": url} for title, url, content in rows]
    written = ("Handlers may be coroutines.[1]" if rows else "") if text is None else text
    data = {"output": written, "tokens": 300, "references": references}
    return {"meta": {"id": "m-1", "node": "us-east", "ms": 900}, "data": data}


def tavily_body(*rows: Row) -> dict[str, object]:
    """An answer of Tavily's ``POST /search``."""
    results = [
        {"url": url, "title": title, "content": content, "score": 0.91, "raw_content": None} for title, url, content in rows
    ]
    more = {"follow_up_questions": None, "answer": None, "images": [], "response_time": 0.52, "request_id": "q-1"}
    return {"query": "as asked", "results": results, **more}


def brave_body(*rows: Row) -> dict[str, object]:
    """An answer of Brave's ``GET /web/search``: without results of the web it has no part for them."""
    results = [
        {
            "title": title,
            "url": url,
            "description": content,
            "page_age": "2026-01-02T00:00:00",
            "age": "January 2, 2026",
            "language": "en",
        }
        for title, url, content in rows
    ]
    query = {"original": "as asked", "more_results_available": False}
    return {"type": "search", "query": query, **({"web": {"type": "search", "results": results}} if results else {})}


def jina_body(*rows: Row) -> dict[str, object]:
    """An answer of Jina's search without the contents of the pages."""
    data = [{"title": title, "url": url, "description": content, "date": "Jan 2, 2026"} for title, url, content in rows]
    return {"code": 200, "status": 20000, "data": data, "meta": {"usage": {"tokens": 10000}}}
