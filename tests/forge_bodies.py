"""Answers of code forges with given titles, addresses and contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.upstream import Row


def github_body(*rows: Row) -> dict[str, object]:
    """An answer of GitHub's search for repositories."""
    items = [
        {"full_name": title, "html_url": url, "description": content, "topics": [], "language": None}
        for title, url, content in rows
    ]
    return {"total_count": len(rows), "incomplete_results": False, "items": items}


def gitlab_body(*rows: Row) -> list[dict[str, object]]:
    """An answer of GitLab's search for projects."""
    return [
        {"path_with_namespace": title, "web_url": url, "description": content, "topics": []} for title, url, content in rows
    ]
