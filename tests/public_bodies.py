"""What public sources answer, composed for the tests, with the given titles, addresses and contents."""

from __future__ import annotations

from xml.sax.saxutils import escape

Row = tuple[str, str, str]


def stackexchange_body(*rows: Row, **more: object) -> dict[str, object]:
    """An answer of Stack Exchange's search, with bodies."""
    items = [
        {
            "tags": ["python", "routing"],
            "owner": {"display_name": "example-user"},
            "is_answered": True,
            "score": 12,
            "answer_count": 2,
            "creation_date": 1_767_225_600,
            "question_id": at,
            "link": url,
            "title": title,
            "body": content,
        }
        for at, (title, url, content) in enumerate(rows, 1)
    ]
    return {"items": items, "has_more": True, "quota_max": 300, "quota_remaining": 287, **more}


def hackernews_body(*rows: Row) -> dict[str, object]:
    """An answer of Algolia's search of Hacker News; a story without an address is a question to the readers."""
    hits = [
        {
            "objectID": str(at),
            "title": title,
            "url": url or None,
            "author": "example-user",
            "points": 40,
            "num_comments": 7,
            "story_text": content or None,
            "created_at": "2026-01-02T00:00:00Z",
            "created_at_i": 1_767_312_000,
        }
        for at, (title, url, content) in enumerate(rows, 1)
    ]
    return {"hits": hits, "nbHits": len(hits), "page": 0, "nbPages": 1}


def crossref_body(*rows: Row, **more: object) -> dict[str, object]:
    """An answer of Crossref; ``more`` goes into every item."""
    items = [
        {"URL": url, "title": [title], "abstract": content, "type": "journal-article", **more} for title, url, content in rows
    ]
    return {"status": "ok", "message-type": "work-list", "message": {"total-results": len(items), "items": items}}


def openalex_body(*rows: Row, **more: object) -> dict[str, object]:
    """An answer of OpenAlex, abstracts as inverted indexes; ``more`` goes into every work."""
    works = [
        {
            "id": f"https://openalex.org/W{at}",
            "doi": None,
            "display_name": title,
            "abstract_inverted_index": inverted(content),
            "primary_location": {"landing_page_url": url, "source": None},
            "authorships": [],
            **more,
        }
        for at, (title, url, content) in enumerate(rows, 1)
    ]
    return {"meta": {"count": len(works), "page": 1, "per_page": 25}, "results": works}


def inverted(text: str) -> dict[str, list[int]]:
    """Each word with its positions, the words in the order of the alphabet."""
    words = text.split(" ")
    return {word: [at for at, other in enumerate(words) if other == word] for word in sorted(set(words))}


def semanticscholar_body(*rows: Row, **more: object) -> dict[str, object]:
    """An answer of Semantic Scholar; ``more`` goes into every paper."""
    papers = [
        {"paperId": f"p{at}", "title": title, "url": url, "abstract": content, "authors": [], "openAccessPdf": None, **more}
        for at, (title, url, content) in enumerate(rows, 1)
    ]
    return {"total": len(papers), "offset": 0, "data": papers}


ENTRY = """<entry><id>{url}</id><title>{title}</title><summary>{content}</summary><published>2026-01-02T00:00:00Z</published>
<author><name>A. Example</name></author><link title="pdf" href="http://arxiv.org/pdf/1"/><category term="cs.SE"/></entry>"""


def arxiv_feed(*rows: Row) -> str:
    """An answer of arXiv."""
    entries = "".join(
        ENTRY.format(title=escape(title), url=escape(url), content=escape(content)) for title, url, content in rows
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"'
        ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        f"<opensearch:totalResults>{len(rows)}</opensearch:totalResults>{entries}</feed>"
    )
